import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { parseChallenges } from '../common/challenge.ts';
import type { AuthInfo } from '../../server/runtime/request-handler.ts';
import { requireScopesOf } from '../../server/runtime/middleware/require-scopes-of.ts';
import { entries, type Received } from '../../../../../test/support/http-entries.ts';
import type { Server } from '../../server/server.ts';
import { connectInMemory } from '../../testing/pair.ts';
import { createServer } from '../../server/server.ts';
import { bearer, call, open, said, type GuardedEntrance } from '../../../../../test/support/guarded-entrance.ts';

const entry = entries['createHttpHandler'] ?? assert.fail();
const isAdmin = (auth: AuthInfo | undefined): boolean => auth?.claims?.['role'] === 'admin';

interface Result {
  readonly [name: string]: unknown;
  readonly cacheScope?: string;
  readonly nextCursor?: string;
}

function resultOf({ text }: Received): Result {
  const { result } = JSON.parse(text) as { readonly result: Result };
  return result;
}

function namesOf(answer: Received, list: string): readonly string[] {
  return (resultOf(answer)[list] as readonly { readonly name: string }[]).map(({ name }) => name);
}

async function roles(
  t: TestContext,
  define: (server: Server) => void,
): Promise<GuardedEntrance & { as(role: string, scopes?: readonly string[]): Promise<Record<string, string>> }> {
  const opened = await open(t, entry, { define });
  const tokens = new Map<string, Promise<string>>();
  return {
    ...opened,
    as: async (role, scopes = []) => {
      const key = `${role} ${scopes.join(' ')}`;
      const token = tokens.get(key) ?? opened.issuer.issue({ scopes, claims: { role } });
      tokens.set(key, token);
      return bearer(await token);
    },
  };
}

test('what a caller may not see is neither listed nor found, and a cache keeps lists apart', async (t) => {
  const { send, as } = await roles(t, (server) => {
    server.tool('admin', { visible: isAdmin }, () => 'done');
    server.prompt('secret', { visible: isAdmin, arguments: [{ name: 'a' }], complete: { a: () => ['x'] } }, () => 'p');
    server.resource('note://secret', { name: 'secret', visible: isAdmin }, () => 'r');
    server.resourceTemplate('note://{id}', { name: 'note' }, () => 't');
    server.resourceTemplate(
      'vault://{id}',
      { name: 'vault', visible: isAdmin, complete: { id: () => ['1'] } },
      () => 'v',
    );
  });
  const [admin, guest] = [await as('admin'), await as('guest')];
  const lists: readonly (readonly [string, string, readonly string[], readonly string[]])[] = [
    ['tools/list', 'tools', ['who', 'admin'], ['who']],
    ['prompts/list', 'prompts', ['secret'], []],
    ['resources/list', 'resources', ['secret'], []],
    ['resources/templates/list', 'resourceTemplates', ['note', 'vault'], ['note']],
  ];
  for (const [method, list, all, some] of lists) {
    const [full, part] = [await send(call(method, {}, admin)), await send(call(method, {}, guest))];
    assert.deepEqual([namesOf(full, list), namesOf(part, list)], [all, some]);
    assert.deepEqual([resultOf(full).cacheScope, resultOf(part).cacheScope], ['private', 'private']);
  }
  const ref = { type: 'ref/prompt', name: 'secret' };
  const uses: readonly (readonly [string, Record<string, unknown>, Record<string, unknown>])[] = [
    ['tools/call', { name: 'admin' }, { name: 'nobody' }],
    ['prompts/get', { name: 'secret' }, { name: 'nobody' }],
    ['resources/read', { uri: 'vault://1' }, { uri: 'other://1' }],
    [
      'completion/complete',
      { ref, argument: { name: 'a', value: '' } },
      { ref: { ...ref, name: 'nobody' }, argument: { name: 'a', value: '' } },
    ],
    [
      'completion/complete',
      { ref: { type: 'ref/resource', uri: 'vault://{id}' }, argument: { name: 'id', value: '' } },
      { ref: { type: 'ref/resource', uri: 'other://{id}' }, argument: { name: 'id', value: '' } },
    ],
  ];
  const errorOf = (answer: Received): string =>
    answer.text.replace(/"id":\d+/, '').replaceAll(/admin|secret|nobody|vault|other/g, 'x');
  for (const [method, hidden, unknown] of uses) {
    assert.ok('result' in (JSON.parse((await send(call(method, hidden, admin))).text) as object), method);
    const [mine, nobodys] = [await send(call(method, hidden, guest)), await send(call(method, unknown, guest))];
    assert.deepEqual([mine.status, errorOf(mine)], [nobodys.status, errorOf(nobodys)]);
  }
  // No template stands in for a resource that is hidden.
  assert.match((await send(call('resources/read', { uri: 'note://secret' }, guest))).text, /no resource at/);
});

test('headers of a tool that a caller may not see are not asked for', async (t) => {
  const input = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } } as const;
  const { send, as } = await roles(t, (server) => void server.tool('admin', { visible: isAdmin, input }, () => 'done'));
  const wire = async (role: string): Promise<Received> =>
    send(call('tools/call', { name: 'admin', arguments: { region: 'eu' } }, await as(role)));
  assert.equal((await wire('admin')).status, 400);
  const answer = await wire('guest');
  assert.match(answer.text, /unknown tool/);
});

test('pages lead through what a caller sees', async (t) => {
  const { send, as } = await roles(t, (server) => {
    for (let at = 0; at < 1500; at++) server.tool(`t${at}`, at % 2 === 0 ? { visible: isAdmin } : {}, () => '');
  });
  const all = async (role: string): Promise<number> => {
    let count = 0;
    let cursor: string | undefined;
    do {
      const answer = await send(call('tools/list', cursor === undefined ? {} : { cursor }, await as(role)));
      count += namesOf(answer, 'tools').length;
      cursor = resultOf(answer).nextCursor;
    } while (cursor !== undefined);
    return count;
  };
  assert.deepEqual([await all('admin'), await all('guest')], [1501, 751]);
});

test('a list is made once for each set of rules, and anew after a change', async (t) => {
  let asked = 0;
  const { send, as, server } = await roles(t, (defined) => {
    defined.tool('a', { visible: (auth) => (asked++, isAdmin(auth)) }, () => '');
  });
  const list = async (role: string): Promise<readonly string[]> =>
    namesOf(await send(call('tools/list', {}, await as(role))), 'tools');
  for (let turn = 0; turn < 3; turn++)
    assert.deepEqual([await list('admin'), await list('guest')], [['who', 'a'], ['who']]);
  // Once for each request, and not once more for each page that is made.
  assert.equal(asked, 6);
  server.tool('b', {}, () => '');
  assert.deepEqual(
    [await list('admin'), await list('guest')],
    [
      ['who', 'a', 'b'],
      ['who', 'b'],
    ],
  );
});

test('a rule that throws or gives a promise shows nothing, and is told of', async (t) => {
  const told: unknown[] = [];
  const server = createServer({ name: 's', version: '1' }, { onError: (error) => void told.push(error) });
  server.tool('a', { visible: (async () => true) as never }, () => 'ran');
  const client = await connectInMemory(server);
  t.after(() => client.close());
  assert.deepEqual(await client.listTools(), []);
  await assert.rejects(client.callTool('a', {}));
  assert.match(String(told[0]), /visible must give true or false at once/);
});

test('over no network scopes are not looked at, and rules are asked without a caller [auth-002]', async (t) => {
  const server = createServer({ name: 's', version: '1' });
  server.tool('write', { scopes: ['files:write'] }, (_, ctx) => {
    ctx.requireScopes('files:delete');
    return 'written';
  });
  server.tool('admin', { visible: isAdmin }, () => 'done');
  const client = await connectInMemory(server);
  t.after(() => client.close());
  assert.deepEqual(
    (await client.listTools()).map(({ name }) => name),
    ['write'],
  );
  assert.deepEqual((await client.callTool('write', {})).content, [{ type: 'text', text: 'written' }]);
});

test('over HTTP what names scopes is for nobody as long as nothing guards it', async (t) => {
  const server = createServer({ name: 's', version: '1' });
  let ran = false;
  server.tool('write', { scopes: ['files:write'] }, () => ((ran = true), 'written'));
  server.tool('read', {}, () => 'read');
  const open = await entry(server);
  t.after(() => open.close());
  assert.equal((await open.send(call('tools/call', { name: 'write' }))).status, 403);
  assert.equal(ran, false);
  assert.equal((await open.send(call('tools/call', { name: 'read' }))).status, 200);
});

test('own authentication has its scopes looked at too', async (t) => {
  const server = createServer({ name: 's', version: '1' });
  server.tool('write', { scopes: ['files:write'] }, () => 'written');
  const open = await entry(server, {
    authenticate: (request) => ({ principal: 'a', scopes: (request.header('authorization') ?? '').split(' ') }),
  });
  t.after(() => open.close());
  const ask = (authorization: string): Promise<Received> =>
    open.send(call('tools/call', { name: 'write' }, { authorization }));
  assert.equal((await ask('files:write')).status, 200);
  assert.equal((await ask('files:read')).status, 403);
});

test('scopes may depend on arguments, and are named for resources, templates and prompts alike', async (t) => {
  const { send, as } = await roles(t, (server) => {
    const input = {
      type: 'object',
      properties: { repo: { type: 'string', default: 'main' } },
      required: ['repo'],
    } as const;
    server.tool('push', { input, scopes: ({ repo }) => [`repo:${repo}`] }, () => 'pushed');
    server.resource('note://a', { name: 'a', scopes: ['notes:a'] }, () => 'a');
    server.resourceTemplate(
      'user://{id}',
      { name: 'u', scopes: ({ id }) => [`user:${String(id)}`], complete: { id: () => ['1'] } },
      () => 'u',
    );
    server.prompt(
      'draft',
      { arguments: [{ name: 'to', required: true }], scopes: ({ to }) => [`mail:${to}`] },
      () => 'd',
    );
    server.tool('lost', { scopes: (() => Promise.resolve([])) as never }, () => 'ran');
  });
  const needs = async (
    method: string,
    params: Record<string, unknown>,
    scopes: readonly string[] = [],
  ): Promise<string | number | undefined> => {
    const answer = await send(call(method, params, await as('any', scopes)));
    return answer.status === 403
      ? parseChallenges(answer.headers['www-authenticate'])[0]?.parameters['scope']
      : answer.status;
  };
  assert.equal(await needs('tools/call', { name: 'push', arguments: { repo: 'x' } }), 'repo:x');
  assert.equal(await needs('tools/call', { name: 'push', arguments: { repo: 'y' } }, ['repo:x']), 'repo:y repo:x');
  assert.equal(await needs('tools/call', { name: 'push', arguments: { repo: 'x' } }, ['repo:x']), 200);
  assert.equal(await needs('resources/read', { uri: 'note://a' }), 'notes:a');
  assert.equal(await needs('resources/read', { uri: 'note://a' }, ['notes:a']), 200);
  assert.equal(await needs('resources/read', { uri: 'user://7' }), 'user:7');
  assert.equal(await needs('prompts/get', { name: 'draft', arguments: { to: 'anna' } }), 'mail:anna');
  assert.equal(await needs('prompts/get', { name: 'draft', arguments: { to: 'anna' } }, ['mail:anna']), 200);
  const listen = { notifications: { resourceSubscriptions: ['note://a', 'user://7'] } };
  assert.equal(await needs('subscriptions/listen', listen), 'notes:a user:7');
  // A function that gives no list lets nobody through.
  const lost = await send(call('tools/call', { name: 'lost' }, await as('any')));
  assert.doesNotMatch(lost.text, /ran/);
});

test('ctx.requireScopes is a 403 while nothing was sent, and words afterwards', async (t) => {
  const { send, as } = await roles(t, (server) => {
    server.tool('early', {}, (_, ctx) => {
      ctx.requireScopes('files:write', 'files:delete');
      return 'ran';
    });
    server.tool('late', {}, (_, ctx) => {
      ctx.progress(1);
      ctx.requireScopes('files:write');
      return 'ran';
    });
    server.tool('caught', {}, (_, ctx) => {
      try {
        ctx.requireScopes('files:write');
      } catch {
        return 'went on';
      }
      return 'ran';
    });
  });
  const early = await send(call('tools/call', { name: 'early' }, await as('any')));
  assert.equal(early.status, 403);
  assert.equal(parseChallenges(early.headers['www-authenticate'])[0]?.parameters['scope'], 'files:write files:delete');
  const wide = ['files:write', 'files:delete'];
  assert.equal(said(await send(call('tools/call', { name: 'early' }, await as('any', wide)))), 'ran');
  const late = call('tools/call', { name: 'late' }, await as('any'));
  const body = JSON.parse(late.body as string) as { params: { _meta: Record<string, unknown> } };
  body.params._meta['progressToken'] = 1;
  const answer = await send({ ...late, body: JSON.stringify(body) });
  assert.equal(answer.status, 200);
  assert.match(answer.text, /"isError":true/);
  assert.match(answer.text, /insufficient scope: this needs files:write/);
  assert.equal(said(await send(call('tools/call', { name: 'caught' }, await as('any')))), 'went on');
});

test('what lacks scopes is a 403 behind middleware too, and where middleware finds it out', async (t) => {
  const { send, as } = await roles(t, (server) => {
    server.tool('early', {}, (_, ctx) => {
      ctx.requireScopes('files:write');
      return 'ran';
    });
    server.tool('plain', {}, () => 'ran');
    server.use(async (_, next) => await next());
    server.use('tools/call', (passing, next) => {
      if (passing.params['name'] === 'plain') requireScopesOf(passing, 'calls:plain', 'calls:all');
      return next();
    });
  });
  for (const [name, scopes] of [
    ['early', 'files:write'],
    ['plain', 'calls:plain calls:all'],
  ] as const) {
    const refused = await send(call('tools/call', { name }, await as('any')));
    assert.equal(refused.status, 403);
    assert.equal(parseChallenges(refused.headers['www-authenticate'])[0]?.parameters['scope'], scopes);
    assert.equal(said(await send(call('tools/call', { name }, await as('any', scopes.split(' '))))), 'ran');
  }
});

test('a server without rules gives the same bytes as ever, guarded or not', async (t) => {
  const define = (server: Server): void => {
    for (let at = 0; at < 20; at++) server.tool(`t${at}`, { description: 'x'.repeat(50) }, () => '');
  };
  const plain = createServer({ name: 's', version: '1' });
  plain.tool('who', {}, () => '');
  define(plain);
  const unguarded = await entry(plain);
  t.after(() => unguarded.close());
  const { send, as } = await roles(t, define);
  const [mine, theirs] = [
    await send(call('tools/list', {}, await as('any'))),
    await unguarded.send(call('tools/list')),
  ];
  const withoutId = ({ text }: Received): string => text.replace(/"id":\d+/, '');
  assert.equal(withoutId(mine), withoutId(theirs));
});

test('a client hears nothing of resources that it may not see', async (t) => {
  const { stream, as, server } = await roles(t, (defined) => {
    defined.resource('note://a', { name: 'a' }, () => 'a');
    defined.resource('note://secret', { name: 'secret', visible: isAdmin }, () => 's');
  });
  const events = await stream(
    call(
      'subscriptions/listen',
      { notifications: { resourceSubscriptions: ['note://a', 'note://secret', 'note://unknown'] } },
      await as('guest'),
    ),
  );
  t.after(() => events.leave());
  server.resourceUpdated('note://secret');
  server.resourceUpdated('note://unknown');
  server.resourceUpdated('note://a');
  const text = await events.until((so) => so.includes('resources/updated'));
  assert.match(text, /"resourceSubscriptions":\["note:\/\/a"\]/);
  assert.doesNotMatch(text, /secret|unknown/);
});

test('no more resources are looked up for a subscription than one may watch', async (t) => {
  const looked: string[] = [];
  const server = createServer({ name: 's', version: '1' }, { subscriptions: { resourcesPerClient: 2 } });
  const visible = (): boolean => looked.push('once') > 0;
  server.resourceTemplate('note://{name}', { name: 'note', visible }, () => 'a');
  const { stream } = await entry(server).then((opened) => (t.after(() => opened.close()), opened));
  const resourceSubscriptions = Array.from({ length: 1000 }, (_, at) => `note://${at}`);
  const events = await stream(call('subscriptions/listen', { notifications: { resourceSubscriptions } }));
  t.after(() => events.leave());
  assert.match(await events.until((text) => text.includes('acknowledged')), /\["note:\/\/0","note:\/\/1"\]/);
  // For its scopes, and for whether it is there.
  assert.equal(looked.length, 4);
});

test('a method of the server’s own needs scopes too, also by its parameters, and is unknown to whom it is not shown', async (t) => {
  const params = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } as const;
  const { send, as } = await roles(t, (server) => {
    server.method('com.example/open', { scopes: ['files:open'] }, () => ({ done: true }));
    const scopes = ({ path }: { readonly path: string }): readonly string[] => [
      path === '/etc' ? 'admin' : 'files:read',
    ];
    server.method('com.example/read', { params, scopes }, ({ path }) => ({ path }));
    server.method('com.example/secret', { visible: isAdmin }, () => ({ secret: true }));
  });
  const scopeOf = ({ headers }: Received): string | undefined =>
    parseChallenges(headers['www-authenticate'])[0]?.parameters['scope'];
  const guest = await as('guest', ['files:read']);
  const refused = await send(call('com.example/open', {}, guest));
  assert.deepEqual([refused.status, scopeOf(refused)], [403, 'files:open']);
  assert.equal(resultOf(await send(call('com.example/read', { path: '/home' }, guest)))['path'], '/home');
  const etc = await send(call('com.example/read', { path: '/etc' }, guest));
  assert.deepEqual([etc.status, scopeOf(etc)], [403, 'admin files:read']);
  assert.equal(resultOf(await send(call('com.example/open', {}, await as('guest', ['files:open']))))['done'], true);
  const errorOf = (answer: Received): unknown => (JSON.parse(answer.text) as { readonly error: unknown }).error;
  const [hidden, absent] = [
    await send(call('com.example/secret', {}, guest)),
    await send(call('com.example/absent', {}, guest)),
  ];
  assert.equal(JSON.stringify(errorOf(hidden)).replaceAll('secret', 'absent'), JSON.stringify(errorOf(absent)));
  const admin = await as('admin');
  assert.equal(resultOf(await send(call('com.example/secret', {}, admin)))['secret'], true);
  const shown = JSON.stringify(resultOf(await send(call('server/discover', {}, admin))));
  assert.match(shown, /com\.example\/open/);
  assert.doesNotMatch(shown, /secret/);
});

test('a rule that gives a promise which rejects hides its tool, and rejects nowhere else', async () => {
  const server = createServer({ name: 's', version: '1' }, { onError: () => undefined });
  const rejects = (async () => {
    throw new Error('no directory');
  }) as never;
  server.tool('a', { visible: rejects }, () => 'ran');
  server.resource('file:///a', { name: 'a', visible: rejects }, () => 'read');
  const client = await connectInMemory(server);
  await assert.rejects(client.callTool('a'), /unknown tool/i);
  assert.deepEqual(await client.listTools(), []);
  await assert.rejects(client.readResource('file:///a'));
  await client.close();
});
