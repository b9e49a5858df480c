/** A program that answers all requests of a server itself. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectScripted } from '../../../../../test/support/scripted-client.ts';
import { until } from '../../../../../test/support/turns.ts';

test('requests of a server reach onRequest in the newest words, and its results go back in those of the version', async (t) => {
  const seen: unknown[] = [];
  const onRequest = async (method: string, params: object): Promise<object> => {
    seen.push([method, params]);
    if (method === 'roots/list') return { roots: [{ uri: 'file:///a' }] };
    if (method === 'sampling/createMessage')
      return { role: 'assistant', model: 'm', content: [{ type: 'text', text: 'a' }] };
    return { own: true };
  };
  const { client, peer, transport } = await connectScripted(() => undefined, {
    date: '2025-06-18',
    connect: { onRequest: onRequest as never, capabilities: { roots: {}, sampling: {} } },
  });
  t.after(() => client.close());
  let count = 0;
  const ask = async (method: string, params: object = {}): Promise<Readonly<Record<string, unknown>>> => {
    const id = `q${++count}`;
    peer.send({ jsonrpc: '2.0', id, method, params });
    const answer = () => transport.sent.find(({ message }) => message['id'] === id && message['method'] === undefined);
    await until(() => answer() !== undefined);
    const { result, error } = (answer()?.message ?? {}) as { result?: object; error?: { code: number } };
    return { ...result, ...(error && { code: error.code }) };
  };
  assert.deepEqual(await ask('roots/list'), { roots: [{ uri: 'file:///a' }] });
  const message = { role: 'user', content: { type: 'text', text: 'q' } };
  const sampled = await ask('sampling/createMessage', { messages: [message], maxTokens: 1 });
  assert.deepEqual(sampled['content'], { type: 'text', text: 'a' });
  assert.deepEqual(await ask('x.example/y', { a: 1 }), { own: true });
  assert.deepEqual(await ask('tools/list'), { code: -32601 });
  assert.deepEqual(
    seen.map((one) => (one as readonly [string, object])[0]),
    ['roots/list', 'sampling/createMessage', 'x.example/y'],
  );
  assert.equal((await ask('sampling/createMessage', { messages: 'wrong' }))['code'], -32602);
  assert.equal(seen.length, 3);
});
