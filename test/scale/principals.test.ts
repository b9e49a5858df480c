/** Sessions of bridges whose clients are themselves at the server behind, in several processes. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { HttpOptions } from '../../src/http.ts';
import { listen } from '../../src/node.ts';
import { createServer } from '../../src/server.ts';
import { define, World } from './definition.ts';
import { startBridges, type Service } from './service.ts';
import { Speaker, type Visit } from './speaker.ts';

/** A token is the name of a person, a point and a number. */
const tokenOf = (authorization: string | undefined): string => authorization?.replace(/^Bearer /, '') ?? 'nobody';
const person = (authorization: string | undefined): string => tokenOf(authorization).replace(/\..*/, '');

/** Gives each caller their own token for what is behind; one that is no number is a scope. */
const authenticate: NonNullable<HttpOptions['authenticate']> = (request) => {
  const token = tokenOf(request.header('authorization'));
  const [, scope = ''] = token.split('.');
  const isScope = /^[a-z]+$/.test(scope);
  // What is got for a scope is kept, which shows whose it is; anything else is got for each request.
  const expiresAt = Date.now() / 1000 + (isScope ? 3600 : 0);
  return {
    principal: person(token),
    scopes: isScope ? [scope] : [],
    exchange: async () => ({ token, type: 'Bearer', scopes: [], expiresAt }),
  };
};

async function scene(t: TestContext): Promise<{ over: Service<unknown>; world: World }> {
  const world = new World();
  const server = createServer({ name: 'upstream', version: '1.0.0' }, { revisions: ['2025-11-25'] });
  define(world)(server, 0);
  server.tool('whoami', {}, (_, { auth }) => auth?.principal ?? 'nobody');
  server.tool('token', {}, (_, { auth }) => String(auth?.claims?.['token']));
  const listening = await listen(server, {
    port: 0,
    authenticate: (request) => {
      const token = tokenOf(request.header('authorization'));
      return { principal: person(token), claims: { token } };
    },
  });
  t.after(() => listening.close());
  const over = await startBridges(t, () => listening.url, {
    nodes: 2,
    isRemote: false,
    http: { authenticate },
    bridge: { upstreamAuth: 'exchange' },
  });
  return { over, world };
}

const call = (client: Speaker, at: number, tool: string): Visit =>
  client.request(at, 'tools/call', { name: tool, arguments: {}, _meta: { progressToken: 'p' } });

const answerOf = (visit: Visit): unknown =>
  (visit.messages.at(-1) as { result?: { content: { text: string }[] } }).result?.content[0]?.text ??
  visit.messages.at(-1);

describe('sessions of bridges whose clients are themselves upstream, in several processes', () => {
  for (const revision of ['2025-03-26', '2025-06-18', '2025-11-25'])
    it(`are one session of one person, whichever process a client of ${revision} asks`, async (t) => {
      const { over } = await scene(t);
      const [ada, bob] = [
        await new Speaker(over, revision, { authorization: 'Bearer ada' }).open(1, 0),
        await new Speaker(over, revision, { authorization: 'Bearer bob' }).open(0, 1),
      ];
      for (const at of [0, 1, 0, 1]) {
        assert.equal(answerOf(await call(ada, at, 'whoami').whole()), 'ada');
        assert.equal(answerOf(await call(bob, at, 'whoami').whole()), 'bob');
      }
      const eve = new Speaker(over, revision, { ...ada.headers, authorization: 'Bearer eve' });
      for (const at of [0, 1]) assert.equal(await eve.request(at, 'ping').status(), 404);
      assert.deepEqual(over.errors, []);
    });

  it('are asked and cancelled from either process', async (t) => {
    const { over, world } = await scene(t);
    const ada = await new Speaker(over, '2025-11-25', { authorization: 'Bearer ada' }).open(0, 1);
    const asked = await call(ada, 0, 'ask').until(({ messages }) => messages.length > 0);
    const result = { action: 'accept', content: { name: 'Ada' } };
    assert.equal(await ada.say(1, { id: asked.messages[0]?.['id'], result }).status(), 202);
    assert.equal(answerOf(await asked.whole()), 'hello, Ada');
    call(ada, 1, 'steps');
    await world.until(() => world.runs.some(({ tool }) => tool === 'steps'));
    assert.equal(await ada.end(1).status(), 204);
    await world.until(() => world.cancelled.length === 1);
    assert.equal(await ada.request(0, 'ping').status(), 404);
  });

  it('go on by the token that came last to the process that has them', async (t) => {
    const { over } = await scene(t);
    const ada = await new Speaker(over, '2025-11-25', { authorization: 'Bearer ada.1' }).open(0, 1);
    assert.equal(answerOf(await call(ada, 1, 'token').whole()), 'ada.1');
    ada.headers['authorization'] = 'Bearer ada.2';
    assert.equal(answerOf(await call(ada, 0, 'token').whole()), 'ada.2');
    assert.equal(answerOf(await call(ada, 1, 'token').whole()), 'ada.2');
  });

  for (const [one, other] of [
    ['wide', 'narrow'],
    ['narrow', 'wide'],
  ])
    it(`never use what a ${one} token is given for a ${other} one that comes to another process`, async (t) => {
      const { over } = await scene(t);
      const ada = await new Speaker(over, '2025-11-25', { authorization: `Bearer ada.${one}` }).open(0, 1);
      assert.equal(answerOf(await call(ada, 0, 'token').whole()), `ada.${one}`);
      assert.equal(answerOf(await call(ada, 1, 'token').whole()), `ada.${one}`);
      ada.headers['authorization'] = `Bearer ada.${other}`;
      assert.doesNotMatch(JSON.stringify(answerOf(await call(ada, 1, 'token').whole())), /^"ada/);
      assert.equal(answerOf(await call(ada, 0, 'token').whole()), `ada.${other}`);
      assert.equal(answerOf(await call(ada, 1, 'token').whole()), `ada.${other}`);
      const fresh = await new Speaker(over, '2025-11-25', { authorization: `Bearer ada.${other}` }).open(0, 1);
      assert.equal(answerOf(await call(fresh, 0, 'token').whole()), `ada.${other}`);
    });
});
