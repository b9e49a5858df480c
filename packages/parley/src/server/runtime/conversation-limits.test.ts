import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withMeta } from '../../../../../test/support/raw.ts';
import { served } from '../../../../../test/support/tested-server.ts';
import type { RateDecision } from '../../storage/limits.ts';
import { memoryStore } from '../../storage/memory/store.ts';

test('a conversation runs no more requests at once than it may, and refuses the rest', async () => {
  const server = served();
  const waiting: (() => void)[] = [];
  server.tool('wait', {}, () => new Promise<string>((resolve) => waiting.push(() => resolve('done'))));
  const conversation = server.endpoint.openConnection({ lasting: true, send: () => undefined });
  const ask = (id: number): Promise<unknown> =>
    conversation.receive({ jsonrpc: '2.0', id, method: 'tools/call', params: withMeta({ name: 'wait' }) });
  const running = Array.from({ length: 1024 }, (_, id) => ask(id));
  assert.partialDeepStrictEqual(await ask(5000), { id: 5000, error: { code: -32603 } });
  // Every handler has begun by now: the refusal came after them.
  while (waiting.length < 1024) await new Promise((resolve) => setImmediate(resolve));
  for (const finish of waiting) finish();
  await Promise.all(running);
  const again = ask(5001);
  while (waiting.length < 1025) await new Promise((resolve) => setImmediate(resolve));
  waiting.at(-1)?.();
  assert.partialDeepStrictEqual(await again, { id: 5001, result: { resultType: 'complete' } });
});

test('a cancelled request whose handler goes on still counts', async () => {
  const server = served();
  server.tool('deaf', {}, () => new Promise<string>(() => undefined));
  const conversation = server.endpoint.openConnection({ lasting: true, send: () => undefined });
  for (let id = 0; id < 1024; id++) {
    const answer = conversation.receive({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: withMeta({ name: 'deaf' }),
    });
    // The handler must have begun: what is cancelled before runs nothing.
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    await conversation.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    assert.equal(await answer, undefined);
  }
  const refused = await conversation.receive({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: withMeta() });
  assert.partialDeepStrictEqual(refused, { id: 1, error: { code: -32603 } });
});

test('a client that says more of itself than is kept gets no session', async () => {
  const conversation = served().endpoint.openConnection({ lasting: true, send: () => undefined });
  const initialize = (text: string): Promise<unknown> =>
    conversation.receive({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: { experimental: { own: { text } } },
        clientInfo: { name: 'c', version: '1' },
      },
    });
  assert.partialDeepStrictEqual(await initialize('x'.repeat(200_000)), { error: { code: -32602 } });
  assert.equal(conversation.revision, undefined);
  assert.partialDeepStrictEqual(await initialize('x'.repeat(100_000)), { result: { protocolVersion: '2025-11-25' } });
});

test('requests whose rate a store still measures count among those that may wait, and get its answer', async () => {
  const asked: ((allowance: RateDecision) => void)[] = [];
  const take = (): Promise<RateDecision> => new Promise((resolve) => asked.push(resolve));
  const store = { ...memoryStore(), shared: true, limits: { take } };
  const server = served({
    store,
    rounds: { keys: [new Uint8Array(32)] },
    rateLimits: { requests: { perSecond: 10_000 } },
  });
  const conversation = server.endpoint.openConnection({ lasting: true, send: () => undefined });
  const ask = (id: number): Promise<unknown> =>
    conversation.receive({ jsonrpc: '2.0', id, method: 'tools/list', params: withMeta() });
  const measured = Array.from({ length: 1024 }, (_, id) => ask(id));
  while (asked.length < 1024) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([conversation.waits?.(7), conversation.waits?.(5000)], [true, false]);
  assert.partialDeepStrictEqual(await ask(5000), { id: 5000, error: { code: -32603 } });
  assert.equal(asked.length, 1024);
  for (const allow of asked.splice(0)) allow({ ok: true });
  await Promise.all(measured);
  assert.equal(conversation.waits?.(7), false);
  const again = ask(5001);
  while (asked.length < 1) await new Promise((resolve) => setImmediate(resolve));
  asked[0]?.({ ok: true });
  assert.partialDeepStrictEqual(await again, { id: 5001, result: { resultType: 'complete' } });
  await server.close();
});
