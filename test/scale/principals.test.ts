import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { HttpOptions } from '../../packages/parley/src/http.ts';
import { listen } from '../../packages/parley/src/node.ts';
import { createServer } from '../../packages/parley/src/server.ts';
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

async function scene(t: TestContext): Promise<{ over: Service<unknown> }> {
  const server = createServer({ name: 'upstream', version: '1.0.0' }, { revisions: ['2025-11-25'] });
  define(new World())(server, 0);
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
    nodes: 1,
    isRemote: false,
    http: { authenticate },
    bridge: { upstreamAuth: 'exchange' },
  });
  return { over };
}

const call = (client: Speaker, tool: string): Visit =>
  client.request(0, 'tools/call', { name: tool, arguments: {}, _meta: { progressToken: 'p' } });

const answerOf = (visit: Visit): unknown =>
  (visit.messages.at(-1) as { result?: { content: { text: string }[] } }).result?.content[0]?.text ??
  visit.messages.at(-1);

describe('sessions of a bridge whose clients are themselves upstream', () => {
  for (const revision of ['2025-03-26', '2025-06-18', '2025-11-25'])
    it(`are each the session of one person of ${revision}`, async (t) => {
      const { over } = await scene(t);
      const [ada, bob] = [
        await new Speaker(over, revision, { authorization: 'Bearer ada' }).open(0, 0),
        await new Speaker(over, revision, { authorization: 'Bearer bob' }).open(0, 0),
      ];
      for (const _ of [1, 2]) {
        assert.equal(answerOf(await call(ada, 'whoami').whole()), 'ada');
        assert.equal(answerOf(await call(bob, 'whoami').whole()), 'bob');
      }
      const eve = new Speaker(over, revision, { ...ada.headers, authorization: 'Bearer eve' });
      assert.equal(await eve.request(0, 'ping').status(), 404);
      assert.deepEqual(over.errors, []);
    });

  for (const tokens of [
    ['1', '2'],
    ['wide', 'narrow'],
    ['narrow', 'wide'],
  ])
    it(`use the token of the request: ${tokens.join(', then ')}`, async (t) => {
      const { over } = await scene(t);
      const ada = await new Speaker(over, '2025-11-25', { authorization: `Bearer ada.${tokens[0]}` }).open(0, 0);
      for (const token of tokens) {
        ada.headers['authorization'] = `Bearer ada.${token}`;
        assert.equal(answerOf(await call(ada, 'token').whole()), `ada.${token}`);
      }
    });
});
