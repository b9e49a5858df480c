import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { createConnect } from '../../client/connect.ts';
import { httpTransport } from '../../transports/http/client/transport.ts';
import { revisions } from '../../protocol/revision.ts';
import { dates, open, type Json, type Raw } from '../../../../../test/support/raw.ts';
import { ways } from '../../../../../test/support/ways.ts';
import { createServer, type Server } from '../server.ts';
import { ToolError } from '../definition/tool-result.ts';

const connect = createConnect({ http: (url) => httpTransport(url) });

function createGit(): Server {
  const server = createServer({ name: 'git', version: '1' });
  server.tool(
    'status',
    {
      title: 'Status',
      input: z.object({ path: z.string() }),
      output: z.object({ path: z.string(), clean: z.boolean() }),
      annotations: { readOnlyHint: true },
      icons: [{ src: 'https://git.example/icon.png' }],
    },
    ({ path }, ctx) => {
      ctx.progress(1, 1);
      return { path, clean: true };
    },
  );
  server.tool('commit', {}, async (_, ctx) => {
    const id = await ctx.once('id', () => 'c1');
    const { action, content } = await ctx.elicit({ message: 'Message?', schema: z.object({ text: z.string() }) });
    return action === 'accept' ? `${id}: ${content.text}` : action;
  });
  server.resource('git://head', { name: 'head' }, () => 'abc');
  server.resourceTemplate(
    'git://file/{path}',
    { name: 'file', complete: { path: () => ['a.ts'] }, list: () => [{ uri: 'git://file/a.ts', name: 'a.ts' }] },
    (_, { path }) => (path === 'none' ? undefined : `file ${path}`),
  );
  server.prompt(
    'review',
    { arguments: [{ name: 'branch' }], complete: { branch: () => ['main'] } },
    ({ branch }) => `Review ${branch}`,
  );
  return server;
}

const host = (options: Parameters<typeof createServer>[1] = {}): Server =>
  createServer({ name: 'host', version: '1' }, options);

async function toolNames(raw: Raw): Promise<readonly string[]> {
  const { tools } = await raw.result('tools/list');
  return (tools as readonly Json[]).map(({ name }) => String(name));
}

for (const way of ways) {
  for (const { date } of revisions) {
    if (way.name === 'HTTP' && date === '2024-11-05') continue;
    test(`what is mounted is used as what is defined, over ${way.name} at ${date}`, async () => {
      const server = host();
      server.tool('own', {}, () => 'own');
      const git = createGit();
      server.mount('git', git);
      const client = await connect(way.reach(server), {
        revisions: [date],
        onElicit: () => ({ action: 'accept', content: { text: 'hello' } }),
      });
      const tools = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['own', 'git__status', 'git__commit'],
      );
      assert.equal(tools[1]?.annotations?.readOnlyHint, date === '2024-11-05' ? undefined : true);
      const status = await client.callTool('git__status', { path: '/' });
      assert.deepEqual(JSON.parse((status.content[0] as { text: string }).text), { path: '/', clean: true });
      const wrong = await client.callTool('git__status', {}).catch((error: Error) => error.message);
      assert.match(JSON.stringify(wrong), /git__status/);
      if (!['2024-11-05', '2025-03-26'].includes(date)) {
        const { content } = await client.callTool('git__commit');
        assert.deepEqual(content, [{ type: 'text', text: 'c1: hello' }]);
      }
      const { contents } = await client.readResource('git://head');
      assert.equal((contents[0] as { text: string }).text, 'abc');
      assert.deepEqual(
        (await client.listResources()).map(({ uri }) => uri),
        ['git://head', 'git://file/a.ts'],
      );
      assert.equal(((await client.readResource('git://file/b')).contents[0] as { text: string }).text, 'file b');
      await assert.rejects(async () => await client.readResource('git://file/none'), /no resource/);
      const { messages } = await client.getPrompt('git__review', { branch: 'main' });
      assert.deepEqual(messages[0]?.content, { type: 'text', text: 'Review main' });
      const ref = { type: 'ref/prompt', name: 'git__review' } as const;
      assert.deepEqual((await client.complete(ref, { name: 'branch', value: '' })).completion.values, ['main']);
      const file = { type: 'ref/resource', uri: 'git://file/{path}' } as const;
      assert.deepEqual((await client.complete(file, { name: 'path', value: '' })).completion.values, ['a.ts']);
      await assert.rejects(async () => await client.callTool('status', { path: '/' }), /unknown tool/);
      await client.close();
      await server.close();
    });
  }
}

for (const date of dates) {
  test(`what changes in the mounted server changes for clients of the other, and they hear of it at ${date}`, async () => {
    const [server, git] = [host(), createGit()];
    const unmount = server.mount('git', git);
    const raw = await open(server, date);
    const waits = () => new Promise<void>((resolve) => setImmediate(resolve));
    if (date === '2026-07-28')
      void raw.send('subscriptions/listen', {
        notifications: { toolsListChanged: true, resourceSubscriptions: ['git://head'] },
      });
    else await raw.result('resources/subscribe', { uri: 'git://head' });
    await waits();
    raw.take();
    const handle = git.tool('log', { description: 'one' }, () => 'x');
    await waits();
    assert.deepEqual(raw.methods, ['notifications/tools/list_changed']);
    assert.deepEqual(await toolNames(raw), ['git__status', 'git__commit', 'git__log']);
    handle.update({ description: 'two' });
    const { tools } = await raw.result('tools/list');
    assert.equal((tools as readonly Json[])[2]?.['description'], 'two');
    handle.disable();
    assert.deepEqual(await toolNames(raw), ['git__status', 'git__commit']);
    handle.enable();
    handle.remove();
    assert.deepEqual(await toolNames(raw), ['git__status', 'git__commit']);
    await waits();
    raw.take();
    git.resourceUpdated('git://head');
    await waits();
    assert.deepEqual(raw.methods, ['notifications/resources/updated']);
    unmount();
    unmount();
    assert.deepEqual(await toolNames(raw), []);
    git.tool('later', {}, () => 'x');
    assert.deepEqual(await toolNames(raw), []);
    assert.equal(
      await raw.error('resources/read', { uri: 'git://head' }).then(({ message }) => /no resource/.test(message)),
      true,
    );
    server.mount('git', git);
    assert.deepEqual(await toolNames(raw), ['git__status', 'git__commit', 'git__later']);
    raw.conversation.close();
  });
}

test('a clash is an error where it is made, and changes nothing', async () => {
  const [server, git] = [host(), createGit()];
  server.tool('git__commit', {}, () => 'own');
  assert.throws(() => server.mount('git', git), { name: 'TypeError', message: /"git__commit" is already registered/ });
  const raw = await open(server, '2026-07-28');
  assert.deepEqual(await toolNames(raw), ['git__commit']);
  server.mount('g', git);
  server.tool('g__log', {}, () => 'x');
  assert.throws(() => git.tool('log', {}, () => 'x'), { name: 'TypeError', message: /"g__log" is already registered/ });
  assert.deepEqual(await toolNames(await open(git, '2026-07-28')), ['status', 'commit']);
  assert.throws(() => server.tool('g__status', {}, () => 'x'), /"g__status" is already registered/);
  const other = createServer({ name: 'other', version: '1' });
  other.resource('git://head', { name: 'mine' }, () => 'x');
  assert.throws(() => server.mount('other', other), { name: 'TypeError', message: /git:\/\/head/ });
});

test('prefixes that are none, servers that are none and circles are refused', () => {
  const [server, git] = [host(), createGit()];
  for (const prefix of ['', 'a b', 'ä', 'x'.repeat(49), 7, undefined])
    assert.throws(() => server.mount(prefix as string, git), { name: 'TypeError', message: /prefix of a mounted/ });
  for (const none of [{}, undefined, { ...git }])
    assert.throws(() => server.mount('git', none as Server), { name: 'TypeError', message: /createServer/ });
  assert.throws(() => server.mount('me', server), /mounted in itself/);
  server.mount('git', git);
  assert.throws(() => git.mount('host', server), /mounted in itself/);
});

test('a server is mounted twice under two prefixes, and its resources are there until both are gone', async () => {
  const [server, git] = [host(), createGit()];
  const [first, second] = [server.mount('a', git), server.mount('b', git)];
  git.resource('git://new', { name: 'new' }, () => 'new');
  const raw = await open(server, '2026-07-28');
  assert.deepEqual(await toolNames(raw), ['a__status', 'a__commit', 'b__status', 'b__commit']);
  first();
  assert.deepEqual(await toolNames(raw), ['b__status', 'b__commit']);
  assert.equal((await raw.ask('resources/read', { uri: 'git://new' }))['error'], undefined);
  second();
  assert.ok((await raw.ask('resources/read', { uri: 'git://new' }))['error']);
});

test('a server that is mounted in two which are mounted in one has its resources there once', async () => {
  const [server, left, right, git] = [host(), host(), host(), createGit()];
  left.mount('git', git);
  right.mount('git', git);
  const unmount = server.mount('left', left);
  server.mount('right', right);
  const handle = git.resource('git://new', { name: 'new' }, () => 'new');
  const raw = await open(server, '2026-07-28');
  const read = async () => (await raw.ask('resources/read', { uri: 'git://new' }))['error'] === undefined;
  assert.equal((await toolNames(raw)).length, 4);
  assert.ok(await read());
  unmount();
  assert.ok(await read());
  handle.remove();
  assert.ok(!(await read()));
  git.resource('git://new', { name: 'new' }, () => 'new');
  assert.ok(await read());
});

test('what is mounted in a mounted server is there too, by both middlewares, the outer first', async () => {
  const [server, middle, git] = [host(), createServer({ name: 'm', version: '1' }), createGit()];
  middle.mount('git', git);
  server.mount('m', middle);
  const seen: string[] = [];
  for (const [who, one] of Object.entries({ server, middle, git }))
    one.use('tools/call', ({ params, known }, next) => {
      seen.push(`${who} ${String(params['name'])} ${known}`);
      return next();
    });
  const raw = await open(server, '2025-11-25');
  assert.deepEqual(await toolNames(raw), ['m__git__status', 'm__git__commit']);
  await raw.result('tools/call', { name: 'm__git__status', arguments: { path: '/' } });
  assert.deepEqual(seen, ['server m__git__status true', 'middle git__status true', 'git status true']);
  git.tool('log', {}, () => 'x');
  assert.equal((await toolNames(raw)).at(-1), 'm__git__log');
});

test('middleware of the mounted server refuses, changes and answers all that is used of it', async () => {
  const [server, git] = [host(), createGit()];
  server.mount('git', git);
  const methods: string[] = [];
  git.use((passing, next) => {
    methods.push(passing.method);
    return next();
  });
  git.use('tools/call', async ({ params }, next) => {
    const args = params['arguments'] as Json | undefined;
    if (args?.['path'] === 'secret') throw new ToolError('not that one');
    const result = await next({ ...params, arguments: { path: 'changed' } });
    return { ...result, _meta: { 'com.example/seen': true } };
  });
  git.use('prompts/get', () => ({ messages: [] }));
  const raw = await open(server, '2025-11-25');
  const called = await raw.result('tools/call', { name: 'git__status', arguments: { path: '/' } });
  assert.deepEqual(called['structuredContent'], { path: 'changed', clean: true });
  assert.deepEqual(called['_meta'], { 'com.example/seen': true });
  const refused = await raw.result('tools/call', { name: 'git__status', arguments: { path: 'secret' } });
  assert.deepEqual([refused['isError'], refused['content']], [true, [{ type: 'text', text: 'not that one' }]]);
  assert.deepEqual((await raw.result('prompts/get', { name: 'git__review', arguments: {} }))['messages'], []);
  await raw.result('resources/read', { uri: 'git://head' });
  await raw.result('resources/read', { uri: 'git://file/a' });
  await raw.error('resources/read', { uri: 'git://file/none' });
  await raw.result('completion/complete', {
    ref: { type: 'ref/prompt', name: 'git__review' },
    argument: { name: 'branch', value: '' },
  });
  assert.deepEqual(methods, [
    'tools/call',
    'tools/call',
    'prompts/get',
    'resources/read',
    'resources/read',
    'resources/read',
    'completion/complete',
  ]);
});

test('limits of both servers hold for a mounted tool, each by its own name', async () => {
  const rate = { perSecond: 0.000_001, burst: 1 };
  const inner = createServer({ name: 'i', version: '1' }, { rateLimits: { byTool: { a: rate } } });
  for (const name of ['a', 'b', 'c']) inner.tool(name, {}, () => 'x');
  const server = host({ rateLimits: { byTool: { i__b: rate } } });
  server.mount('i', inner);
  const raw = await open(server, '2025-11-25');
  const failed: unknown[] = [];
  for (const name of ['a', 'a', 'b', 'b', 'c', 'c'])
    failed.push((await raw.result('tools/call', { name: `i__${name}` }))['isError'] === true);
  assert.deepEqual(failed, [false, true, false, true, false, false]);
});

test('who may see what is as the mounted server says, in lists and in use', async () => {
  const [server, git] = [host(), createGit()];
  server.mount('git', git);
  git.tool('push', { visible: (auth) => auth?.principal === 'ann' }, () => 'pushed');
  const as = (principal: string) => open(server, '2026-07-28', { auth: { principal } });
  assert.ok((await toolNames(await as('ann'))).includes('git__push'));
  const bob = await as('bob');
  assert.ok(!(await toolNames(bob)).includes('git__push'));
  assert.match((await bob.error('tools/call', { name: 'git__push' })).message, /unknown tool/);
});

test('the mounted server is served by itself at the same time, and its end ends nothing of the other', async () => {
  const [server, git] = [host(), createGit()];
  server.mount('git', git);
  const raw = await open(git, '2025-11-25');
  assert.deepEqual(await toolNames(raw), ['status', 'commit']);
  await git.close();
  assert.deepEqual(await toolNames(await open(server, '2025-11-25')), ['git__status', 'git__commit']);
});

test('errors of a mounted tool are those of the server that serves it', async () => {
  const heard: string[] = [];
  const server = host({ onError: (_, where) => void heard.push(where) });
  const inner = createServer({ name: 'i', version: '1' }, { exposeErrors: true });
  inner.tool('t', {}, () => {
    throw new Error('secret');
  });
  server.mount('i', inner);
  const { content } = await (await open(server, '2025-11-25')).result('tools/call', { name: 'i__t' });
  assert.deepEqual(content, [{ type: 'text', text: 'the tool "i__t" failed' }]);
  assert.deepEqual(heard, ['tool "i__t"']);
});

test('pages of a list go on where they were while the mounted server changes', async () => {
  const [server, inner] = [host({ pageSize: 2 }), createServer({ name: 'i', version: '1' })];
  const handles = ['a', 'b', 'c', 'd'].map((name) => inner.tool(name, {}, () => 'x'));
  server.mount('i', inner);
  const raw = await open(server, '2025-11-25');
  const { nextCursor } = await raw.result('tools/list');
  handles[1]?.remove();
  handles[2]?.update({ description: 'changed' });
  inner.tool('e', {}, () => 'x');
  const second = await raw.result('tools/list', { cursor: nextCursor });
  assert.deepEqual(
    (second['tools'] as readonly Json[]).map(({ name }) => name),
    ['i__c', 'i__d'],
  );
});

test('whatever servers call their tools, each mounted one is reached by its own name, or refused at once', async () => {
  const name = fc.stringMatching(/^[ab_]{1,5}$/);
  const server = fc.tuple(name, fc.uniqueArray(name, { maxLength: 5 }));
  await fc.assert(
    fc.asyncProperty(fc.array(server, { maxLength: 4 }), async (all) => {
      const outer = createServer({ name: 'o', version: '1' });
      outer.tool('none', {}, () => 'none');
      const wanted = new Map<string, string>();
      for (const [prefix, names] of all) {
        const inner = createServer({ name: 'i', version: '1' });
        for (const one of names) inner.tool(one, {}, () => `${prefix} ${one}`);
        const clash = names.some((one) => wanted.has(`${prefix}__${one}`));
        if (clash) assert.throws(() => outer.mount(prefix, inner), { name: 'TypeError' });
        else outer.mount(prefix, inner);
        if (!clash) for (const one of names) wanted.set(`${prefix}__${one}`, `${prefix} ${one}`);
      }
      const raw = await open(outer, '2025-11-25');
      assert.deepEqual((await toolNames(raw)).toSorted(), ['none', ...wanted.keys()].toSorted());
      for (const [full, text] of wanted) {
        const { content } = await raw.result('tools/call', { name: full });
        assert.deepEqual(content, [{ type: 'text', text }]);
      }
    }),
    { numRuns: 50 },
  );
});

for (const date of ['2025-11-25', '2026-07-28'] as const)
  test(`questions of a mounted tool pass its middleware, which cannot lose them, at ${date}`, async () => {
    const faults: unknown[] = [];
    const [server, git] = [host({ onError: (error) => void faults.push(error) }), createGit()];
    server.mount('git', git);
    git.use('tools/call', async (_, next) => {
      try {
        return await next();
      } catch {
        throw new Error('in its place');
      }
    });
    const client = await connect(ways[0]?.reach(server) ?? assert.fail(), {
      revisions: [date],
      onElicit: () => ({ action: 'accept', content: { text: 'hello' } }),
    });
    const { content } = await client.callTool('git__commit');
    assert.deepEqual(content, [{ type: 'text', text: 'c1: hello' }]);
    assert.deepEqual(faults, []);
    await client.close();
  });

test('what middleware of the mounted server changes needs the scopes of what it becomes, and may be another tool', async () => {
  const [server, inner] = [host(), createServer({ name: 'i', version: '1' })];
  const input = z.object({ deep: z.boolean().default(false) });
  inner.tool('look', { input, scopes: ({ deep }) => (deep ? ['deep'] : []) }, ({ deep }) => `looked ${deep}`);
  inner.tool('other', { scopes: ['other'] }, () => 'other');
  inner.tool('free', {}, () => 'free');
  server.mount('i', inner);
  let change: Json = {};
  inner.use('tools/call', ({ params }, next) => next({ ...params, ...change }));
  const raw = await open(server, '2025-11-25', { auth: { principal: 'ann', scopes: [] } });
  const call = async (changed: Json) => {
    change = changed;
    const answer = await raw.ask('tools/call', { name: 'i__look', arguments: {} });
    return JSON.stringify(answer['error'] ?? (answer['result'] as Json)['content']);
  };
  assert.match(await call({}), /looked false/);
  assert.match(await call({ arguments: { deep: true } }), /scope.*deep/);
  assert.match(await call({ name: 'other' }), /scope.*other/);
  assert.match(await call({ name: 'free', arguments: {} }), /"free"/);
});
