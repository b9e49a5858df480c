/** Whoever comes to a guarded bridge with what is somebody else's: a session, a stream, an event, a pair, a token. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { toNodeHandler } from '../../packages/parley/src/node.ts';
import { protect } from '../../packages/parley/src/protect.ts';
import type { RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { exchange, guardedBridge, type GuardedBridge } from '../support/guarded-bridge.ts';
import { speaking, type HttpSpeaker } from '../support/http-speaker.ts';

const types = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const whoami = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'whoami', arguments: {} } };
const revoking = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'mine' } };

/** Somebody with a token, and the status of what they are refused. */
type Stranger = readonly [what: string, token: string | undefined, status: number];

interface Scene extends GuardedBridge {
  readonly ann: HttpSpeaker;
  readonly strangers: readonly Stranger[];
}

async function scene(t: TestContext, down: RevisionDate, up: RevisionDate): Promise<Scene> {
  const guarded = await guardedBridge(t, {
    up,
    define: (server) =>
      void server.tool('long', {}, async (_, ctx) => {
        ctx.progress(1);
        return `the secret of ${ctx.auth?.subject}`;
      }),
  });
  const { issuer, upstream, tokenOf, front } = guarded;
  const ann = await speaking(front.url, down, { authorization: `Bearer ${await tokenOf('ann')}` });
  const there = await issuer.issue({ audience: upstream.url, subject: 'ann' });
  const unsigned = `${(await tokenOf('ann')).split('.').slice(0, 2).join('.')}.`;
  const strangers: readonly Stranger[] = [
    ['another person', await tokenOf('bob'), 404],
    ['her token for the server behind the bridge', there, 401],
    ['her token without a signature', unsigned, 401],
    ['no token', undefined, 401],
  ];
  return { ...guarded, ann, strangers };
}

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}

/** Sends something, and gives the status and the body. */
async function sent(url: string, init: RequestInit): Promise<readonly [status: number, body: string]> {
  const response = await fetch(url, init);
  return [response.status, await response.text()];
}

const pairs: readonly (readonly [down: RevisionDate, up: RevisionDate])[] = [
  ['2025-03-26', '2026-07-28'],
  ['2025-11-25', '2025-11-25'],
  ['2025-11-25', '2026-07-28'],
];

describe('strangers', () => {
  for (const [down, up] of pairs)
    test(`do nothing with a session that is not theirs: a client of ${down} before ${up}`, async (t) => {
      const { ann, strangers, front, upstream } = await scene(t, down, up);
      const own = { ...types, 'Mcp-Session-Id': ann.session ?? '', 'MCP-Protocol-Version': down };
      const meta = { _meta: { progressToken: 'p' } };
      const told = await ann.request('tools/call', { name: 'long', arguments: {}, ...meta });
      assert.match(told, /the secret of ann/);
      const [, event = 'none'] = /^id: ?(\S+)$/m.exec(told) ?? [];
      assert.notEqual(event, 'none', told);
      const bodies = [whoami, revoking, ...(down === '2025-03-26' ? [[whoami, { ...whoami, id: 8 }]] : [])];
      const before = upstream.recorded.length;
      for (const [what, token, status] of strangers) {
        const headers = { ...own, ...bearer(token) };
        const ways: readonly RequestInit[] = [
          ...bodies.map((body) => ({ method: 'POST', headers, body: JSON.stringify(body) })),
          { method: 'GET', headers },
          { method: 'GET', headers: { ...headers, 'Last-Event-ID': event } },
          { method: 'DELETE', headers },
        ];
        for (const init of ways) {
          const [answered, body] = await sent(front.url, init);
          assert.equal(answered, status, `${what}: ${init.method}`);
          assert.doesNotMatch(body, /secret|"text"/);
        }
      }
      assert.equal(upstream.recorded.length, before);
      assert.match(await ann.request('tools/call', { name: 'whoami', arguments: {} }), /"text":"ann"/);
    });

  test('say nothing on a pair that is not theirs', async (t) => {
    const { bridge, issuer, front, strangers, tokenOf } = await scene(t, '2025-11-25', '2025-11-25');
    const ssePair = { sse: '/sse', messages: '/messages' };
    const guarded = protect(bridge, { ...issuer.options, resource: front.url, exchange });
    front.serve(toNodeHandler(guarded, { path: '/mcp', ssePair }));
    const { origin } = new URL(front.url);
    const over = new AbortController();
    t.after(() => over.abort());
    const ann = bearer(await tokenOf('ann'));
    const stream = await fetch(`${origin}/sse`, { headers: ann, signal: over.signal });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let heard = '';
    const hears = async (wanted: RegExp): Promise<string> => {
      for (;;) {
        const found = wanted.exec(heard);
        if (found !== null) return found[1] ?? '';
        const part = await reader?.read();
        assert.ok(part?.done === false, heard);
        heard += part.value;
      }
    };
    const endpoint = `${origin}${await hears(/^data: ?(\/messages\S+)$/m)}`;
    const post = async (headers: Record<string, string>, body: unknown): Promise<number> =>
      (await sent(endpoint, { method: 'POST', headers: { ...types, ...headers }, body: JSON.stringify(body) }))[0];
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    assert.equal(await post(ann, { jsonrpc: '2.0', id: 1, method: 'initialize', params }), 202);
    await hears(/("protocolVersion")/);
    assert.equal(await post(ann, { jsonrpc: '2.0', method: 'notifications/initialized' }), 202);
    for (const [what, token, status] of strangers) assert.equal(await post(bearer(token), whoami), status, what);
    assert.equal(await post(ann, { ...whoami, id: 9 }), 202);
    await hears(/("id":9)/);
    assert.match(heard, /"text":"ann"/);
    assert.doesNotMatch(heard, /"id":7|\bbob\b/);
  });
});
