import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { connect, type Client } from '../client.ts';
import { listen } from '../../../../test/support/http-answers.ts';
import { until } from '../../../../test/support/turns.ts';

interface Call {
  readonly id: number;
  readonly token: unknown;
  readonly reply: ServerResponse;
}

interface Scene {
  readonly client: Client;
  readonly warnings: readonly string[];
  /** The calls that the server has, each with its stream. */
  readonly calls: readonly Call[];
}

/** A client whose calls wait for what a test writes on their streams. */
async function scene(t: TestContext, revision: string): Promise<Scene> {
  const calls: Call[] = [];
  const capabilities = { tools: {} };
  const url = await listen(t, (incoming, outgoing) => {
    let text = '';
    incoming.on('data', (chunk: unknown) => (text += String(chunk)));
    incoming.on('end', () => {
      if (incoming.method !== 'POST') return void outgoing.writeHead(405).end();
      const { id, method, params } = JSON.parse(text) as {
        readonly id?: number;
        readonly method: string;
        readonly params?: { readonly _meta?: { readonly progressToken?: unknown } };
      };
      if (id === undefined) return void outgoing.writeHead(202).end();
      if (method === 'tools/call') {
        outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
        outgoing.flushHeaders();
        return void calls.push({ id, token: params?._meta?.progressToken, reply: outgoing });
      }
      const result =
        method === 'initialize'
          ? { protocolVersion: revision, capabilities, serverInfo: { name: 's', version: '1' } }
          : { resultType: 'complete', supportedVersions: [revision], capabilities, ttlMs: 0, cacheScope: 'private' };
      outgoing.writeHead(200, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  const warnings: string[] = [];
  const client = await connect(url, { revisions: [revision], onWarning: (message) => void warnings.push(message) });
  t.after(() => client.close());
  return { client, warnings, calls };
}

/** Has two calls run, tells of the first on both streams, and gives what was heard of it. */
async function heardOfFirst(t: TestContext, revision: string): Promise<readonly [readonly number[], Scene]> {
  const one = await scene(t, revision);
  const { client, calls } = one;
  const heard: number[] = [];
  const first = client.callTool('a', {}, { onProgress: ({ progress }) => heard.push(progress) });
  await until(() => calls.length === 1, 'the first call');
  const second = client.callTool('b', {}, { onProgress: () => assert.fail('this was about the first') });
  await until(() => calls.length === 2, 'the second call');
  const [a, b] = calls as [Call, Call];
  const write = ({ reply }: Call, message: object): void =>
    void reply.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  const tell = (on: Call, progress: number): void =>
    write(on, { method: 'notifications/progress', params: { progressToken: a.token, progress } });
  const result = { resultType: 'complete', content: [] };
  tell(b, 1);
  write(b, { id: b.id, result });
  await second;
  tell(a, 2);
  write(a, { id: a.id, result });
  await first;
  for (const { reply } of calls) reply.end();
  return [heard, one];
}

describe('progress that comes on the stream of another request', () => {
  it('is ignored where each stream is about its request alone', async (t) => {
    const [heard, { warnings }] = await heardOfFirst(t, '2026-07-28');
    assert.deepEqual(heard, [2]);
    assert.match(warnings.join(), /progress .* another request/);
  });

  for (const revision of ['2025-03-26', '2025-06-18', '2025-11-25'])
    it(`is heard in ${revision}, where it only should be elsewhere`, async (t) => {
      const [heard, { warnings }] = await heardOfFirst(t, revision);
      assert.deepEqual(heard, [1, 2]);
      assert.deepEqual(warnings, []);
    });
});
