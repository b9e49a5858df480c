import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { connect, type Client } from '../packages/parley/src/client.ts';
import { listen, type Listening } from '../packages/parley/src/node.ts';
import type { RevisionDate } from '../packages/parley/src/protocol/revision.ts';
import { createServer } from '../packages/parley/src/server.ts';

const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

/** A server whose tool asks who is there, and a client that answers when it is told to. */
async function asked(
  t: TestContext,
  revision: RevisionDate,
): Promise<{ readonly client: Client; readonly listening: Listening; readonly asked: Promise<void>; answer(): void }> {
  const server = createServer({ name: 's', version: '1' });
  server.tool('greet', {}, async (_, ctx) => {
    if (revision < '2025-06-18') return `hello, ${(await ctx.roots())[0]?.name}`;
    const { content } = await ctx.elicit({ message: 'who is there?', schema });
    return `hello, ${content?.name}`;
  });
  const listening = await listen(server, { port: 0, drainTimeoutMs: 60_000 });
  t.after(() => listening.close());
  let heard = (): void => undefined;
  let answer = (): void => undefined;
  const question = new Promise<void>((resolve) => (heard = resolve));
  const answering = new Promise<void>((resolve) => (answer = resolve));
  const name = async (): Promise<string> => {
    heard();
    await answering;
    return 'Ada';
  };
  const client = await connect(listening.url, {
    info: { name: 'c', version: '1' },
    revisions: [revision],
    roots: async () => [{ uri: 'file:///home', name: await name() }],
    onElicit: async () => ({ action: 'accept', content: { name: await name() } }),
  });
  t.after(() => client.close());
  return { client, listening, asked: question, answer };
}

for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const) {
  test(`a drain does not refuse the answer that a running call waits for, over new connections too, at ${revision}`, async (t) => {
    const so = await asked(t, revision);
    const called = so.client.callTool('greet');
    await so.asked;
    const closed = so.listening.close();
    so.answer();
    const { content } = await called;
    assert.deepEqual(content, [{ type: 'text', text: 'hello, Ada' }]);
    await closed;
    await assert.rejects(so.client.callTool('greet'));
  });
}
