/** People who sign in at the server behind a bridge, all of it in memory. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mcp } from '../../../../../test/support/authorization-world.ts';
import { publicUrl, signingIn } from '../../../../../test/support/signing-in.ts';
import { settle } from '../../../../../test/support/raw.ts';
import { createBridge, type PerPrincipalUpstream } from '../../bridge.ts';
import type { Client } from '../../client.ts';
import { endpointOf, type AuthInfo } from '../../server/runtime/request-handler.ts';

async function names(client: Client): Promise<readonly string[]> {
  return (await client.listTools()).map(({ name }) => name).toSorted();
}

async function text(client: Client, tool: string): Promise<string> {
  const { content } = await client.callTool(tool, {});
  return content[0]?.type === 'text' ? content[0].text : '';
}

const both = ['2026-07-28', '2025-11-25'] as const;

for (const down of both)
  describe(`a client of ${down}`, () => {
    test('signs in by its first call, and then has what its person granted', async (t) => {
      const scene = signingIn(t);
      const bridge = await scene.bridge();
      const ann = await scene.as('ann', down);
      assert.deepEqual(await names(ann), ['sign_in']);
      assert.deepEqual([await ann.listPrompts(), await ann.listResources()], [[], []]);
      const [before] = bridge.upstreamsOf('ann');
      assert.deepEqual([before?.state, before?.facts], ['failing', undefined]);
      assert.match(before?.failure ?? '', /sign in/);
      assert.equal(await text(ann, 'read'), 'read');
      assert.deepEqual(await names(ann), ['read', 'write']);
      assert.match(await text(ann, 'sign_in'), /The user is signed in at The Files/);
      await assert.rejects(ann.callTool('missing', {}), { kind: 'invalidParams' });
      const [after] = bridge.upstreamsOf('ann');
      assert.deepEqual([after?.state, after?.failure, after?.facts?.server?.name], ['ready', undefined, 's']);
      // Nobody else has it.
      assert.deepEqual(await names(await scene.as('bob', down)), ['sign_in']);
    });

    test('is asked for consent alone if its person signed in with another client', async (t) => {
      const scene = signingIn(t);
      const bridge = await scene.bridge();
      assert.equal(await text(await scene.as('ann', down), 'read'), 'read');
      const opened: string[] = [];
      const other = await scene.as('ann', down, {
        auth: { principal: 'ann', clientId: 'other' },
        onElicitUrl: async ({ url }) => {
          opened.push(url);
          assert.equal(await scene.signIn('ann', url), 'Connected');
          return { action: 'accept' };
        },
      });
      assert.deepEqual(await names(other), ['sign_in']);
      await assert.rejects(other.request('x.example/anything', {}));
      assert.equal(await text(other, 'read'), 'read');
      assert.equal(opened.length, 1);
      assert.equal(scene.world.count('POST /token'), 1);
      assert.deepEqual((await bridge.grants())[0]?.clients.toSorted(), ['app', 'other']);
    });

    test('is asked for the scopes that a call needs', async (t) => {
      const scene = signingIn(t);
      scene.world.laws.needs = { write: ['write'] };
      await scene.bridge();
      const ann = await scene.as('ann', down);
      assert.equal(await text(ann, 'read'), 'read');
      assert.equal(await text(ann, 'write'), 'write');
      assert.equal(scene.world.count('POST /token'), 2);
    });

    test('hears if its person declines at the client or on the page', async (t) => {
      const scene = signingIn(t);
      await scene.bridge();
      const answers = [
        async () => 'decline' as const,
        async (url: string) => {
          const ann = scene.browser('ann');
          const { title } = await ann.answer(await ann.request(url), url, 'decline');
          assert.equal(title, 'Nothing was connected');
          return 'accept' as const;
        },
      ];
      const ann = await scene.as('ann', down, {
        onElicitUrl: async ({ url }) => ({ action: (await answers.shift()?.(url)) ?? 'cancel' }),
      });
      assert.match(
        await text(ann, 'read'),
        /the user is not signed in at The Files: the user did not agree to go there/,
      );
      assert.match(await text(ann, 'read'), /the user is not signed in at The Files: the user declined/);
    });

    test('whose person takes longer calls again afterwards', async (t) => {
      const scene = signingIn(t);
      await scene.bridge({}, { waitTimeoutMs: 1 });
      let link = '';
      const ann = await scene.as('ann', down, {
        onElicitUrl: ({ url }) => ((link = url), { action: 'accept' }),
      });
      const first = await text(ann, 'read').catch((error: Error) => error.message);
      assert.match(first, down === '2026-07-28' ? /this must be called again afterwards/ : /sign in first/);
      assert.equal(await scene.signIn('ann', link), 'Connected');
      assert.equal(await text(ann, 'read'), 'read');
    });
  });

test('a session is notified of the lists, and gets its log level, once its person signed in', async (t) => {
  const scene = signingIn(t);
  scene.world.server.tool('log', {}, (_, ctx) => {
    for (const level of ['debug', 'info'] as const) ctx.log(level, level);
    return 'logged';
  });
  await scene.bridge();
  const [logged, notified]: [unknown[], string[]] = [[], []];
  const ann = await scene.as('ann', '2025-11-25', {
    onLog: ({ data }) => void logged.push(data),
    onNotification: (method) => void notified.push(method),
  });
  await ann.setLogLevel('info');
  assert.equal(await text(ann, 'log'), 'logged');
  await settle();
  assert.deepEqual(
    [logged, notified],
    [['info'], ['notifications/elicitation/complete', 'notifications/tools/list_changed', 'notifications/message']],
  );
});

describe('bridge.grants and bridge.signOut', () => {
  test('list what people granted, and end it for one of them', async (t) => {
    const scene = signingIn(t);
    const bridge = await scene.bridge();
    assert.deepEqual(await bridge.grants(), []);
    assert.deepEqual(await bridge.signOut('ann'), { revoked: false });
    const [ann, bob] = [await scene.as('ann', '2026-07-28'), await scene.as('bob', '2026-07-28')];
    for (const client of [ann, bob]) await client.callTool('read', {});
    assert.deepEqual(
      (await bridge.grants()).map(({ principal, clients, upstream }) => [principal, clients, upstream]),
      ['ann', 'bob'].map((one) => [one, ['app'], mcp]),
    );
    assert.deepEqual((await bridge.grants('bob')).length, 1);
    assert.deepEqual(await bridge.signOut('ann'), { revoked: true });
    assert.equal(scene.world.count('POST /revoke') > 0, true);
    for (const kind of ['grant', 'consent'] as const)
      assert.deepEqual([...new Set((await scene.store.keys(kind)).map(({ principal }) => principal))], ['bob']);
    assert.deepEqual(bridge.upstreamsOf('ann'), []);
    assert.deepEqual(await names(await scene.as('ann', '2026-07-28')), ['sign_in']);
    assert.deepEqual(await names(bob), ['read', 'write']);
    const revocations = scene.world.count('POST /revoke');
    assert.deepEqual(await bridge.signOut('bob', { revoke: false }), { revoked: false });
    assert.equal(scene.world.count('POST /revoke'), revocations);
    assert.deepEqual(await bridge.grants(), []);
  });

  test('name the server of several, and sign out at that one alone', async (t) => {
    const scene = signingIn(t);
    const bridge = await scene.several({ mcp: {}, other: {} });
    const ann = await scene.as('ann', '2026-07-28');
    assert.deepEqual(await names(ann), ['mcp__sign_in', 'other__sign_in']);
    assert.match(await text(ann, 'mcp__sign_in'), /signed in at mcp/);
    assert.deepEqual(await names(ann), ['read', 'sign_in', 'write']);
    assert.deepEqual(
      (await bridge.grants('ann')).map(({ upstream }) => upstream),
      ['mcp'],
    );
    assert.deepEqual(await bridge.signOut('ann', { upstream: 'other' }), { revoked: false });
    assert.equal((await bridge.grants()).length, 1);
    await assert.rejects(bridge.signOut('ann', { upstream: 'none' }), /there is no sign-in at "none".* mcp, other/);
    assert.deepEqual(await bridge.signOut('ann', { upstream: 'mcp' }), { revoked: true });
    assert.deepEqual(await bridge.grants(), []);
    assert.equal(bridge.pages(new Request('https://bridge.example/other')), undefined);
    assert.deepEqual(
      bridge.upstreams.map(({ name, state, facts }) => [name, state, facts]),
      ['mcp', 'other'].map((name) => [name, 'per-principal', undefined]),
    );
  });
});

for (const down of both)
  test(`a person who signs out in one process is signed out in the others, at ${down}`, async (t) => {
    const scene = signingIn(t);
    const first = await scene.bridge();
    assert.equal(await text(await scene.as('ann', down), 'read'), 'read');
    await scene.bridge();
    const asked: string[] = [];
    const there = await scene.as('ann', down, {
      onElicitUrl: ({ url }) => (asked.push(url), { action: 'decline' }),
    });
    assert.equal(await text(there, 'read'), 'read');
    assert.deepEqual(await names(there), ['read', 'write']);
    await first.signOut('ann');
    assert.deepEqual(await names(there), ['sign_in']);
    assert.match(await text(there, 'read'), /the user is not signed in/);
    assert.equal(asked.length, 1);
  });

for (const down of both)
  test(`a known tool asks for the sign-in before the only server that wants it, at ${down}`, async (t) => {
    const scene = signingIn(t);
    const bridge = await scene.several({ mcp: {} });
    const ann = await scene.as('ann', down);
    assert.equal(await text(ann, 'read'), 'read');
    await bridge.signOut('ann');
    const asked: string[] = [];
    const again = await scene.as('ann', down, { onElicitUrl: ({ url }) => (asked.push(url), { action: 'decline' }) });
    assert.match(await text(again, 'read'), /the user is not signed in at mcp/);
    await assert.rejects(again.getPrompt('letter'), /the user is not signed in at mcp/);
    assert.equal(asked.length, 2);
    assert.equal(await text(await scene.as('ann', down), 'read'), 'read');
  });

test('an unknown tool before several servers that want a sign-in names the tools that sign in', async (t) => {
  const scene = signingIn(t);
  await scene.several({ mcp: {}, other: {} });
  const ann = await scene.as('ann', '2026-07-28');
  const advice = /unknown tool "read".*not signed in at mcp, other.*call the tool mcp__sign_in or other__sign_in/;
  await assert.rejects(ann.callTool('read', {}), advice);
  await text(ann, 'mcp__sign_in');
  assert.equal(await text(ann, 'read'), 'read');
});

test('another client of a person is not shown the names of the first one, among several servers', async (t) => {
  const scene = signingIn(t);
  const schema = { type: 'object', properties: { n: { type: 'integer', 'x-mcp-header': 'N' } } } as const;
  scene.world.server.tool('count', { input: schema }, () => 'counted');
  const bridge = await scene.several({ mcp: {}, other: {} });
  const other: AuthInfo = { principal: 'ann', clientId: 'other' };
  const client = await scene.as('ann', '2026-07-28', { auth: other, onElicitUrl: () => ({ action: 'decline' }) });
  const ann = await scene.as('ann', '2026-07-28');
  await names(client);
  await text(ann, 'mcp__sign_in');
  assert.deepEqual(await names(ann), ['count', 'read', 'sign_in', 'write']);
  await assert.rejects(client.callTool('read', {}), /unknown tool "read"/);
  assert.deepEqual(await names(client), ['mcp__sign_in', 'other__sign_in']);
  // The headers of a tool tell that there is one, and what it takes.
  const { headerParameters } = endpointOf(bridge);
  assert.deepEqual(headerParameters('count', other), []);
  assert.deepEqual(headerParameters('count', { principal: 'ann', clientId: 'app' }), [{ name: 'N', path: ['n'] }]);
});

describe('upstreamAuth per-principal', () => {
  const fine = { as: 'per-principal', publicUrl, sessionOf: () => 'ann' } as const;
  const refusals: readonly (readonly [options: object, message: RegExp])[] = [
    ...[
      undefined,
      7,
      'no URL',
      'http://bridge.example/sign-in',
      'ftp://127.0.0.1/sign-in',
      'https://bridge.example',
      'https://bridge.example/sign-in?a',
      'https://bridge.example/sign-in#a',
    ].map((url) => [{ publicUrl: url }, /needs publicUrl, the https: URL of a page of its own/] as const),
    [{ sessionOf: undefined }, /needs sessionOf, a function that identifies the user at a browser/],
    [{ name: 7 }, /upstreamAuth: name must be text/],
    [{ waitTimeoutMs: '1' }, /upstreamAuth: waitTimeoutMs/],
    [{ wait: 1 }, /upstreamAuth has no option "wait"/],
    [{ scopes: 'read' }, /scopes must be an array/],
  ];
  const create = async (options: object): Promise<void> => {
    const upstreamAuth = { ...fine, ...options } as unknown as PerPrincipalUpstream;
    await (await createBridge({ upstream: mcp, upstreamAuth })).close();
  };
  for (const [options, message] of refusals)
    test(`is rejected with ${JSON.stringify(options)}`, async () => {
      await assert.rejects(
        create(options),
        (error: Error) => error instanceof TypeError && message.test(error.message),
      );
    });

  test('takes an https: page, and an http: page of this machine', async () => {
    for (const url of [publicUrl, 'http://127.0.0.1:9/sign-in', 'http://localhost/sign-in'])
      await create({ publicUrl: url });
  });

  test('needs a page of its own for each server', async (t) => {
    const scene = signingIn(t);
    await assert.rejects(scene.several({ a: { publicUrl }, b: { publicUrl } }), /each upstream needs a publicUrl/);
  });
});
