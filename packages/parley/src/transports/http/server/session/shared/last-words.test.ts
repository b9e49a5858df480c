/** The last words on streams that other processes of a service know. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { initializing } from '../../../../../../../../test/support/session-client.ts';
import { createServer } from '../../../../../server.ts';
import { memoryStore } from '../../../../../storage/memory/store.ts';
import type { Store } from '../../../../../storage/store.ts';
import { begin, visit, type FakeVisit, type Sent } from '../../../../../../../../test/support/fake-http.ts';
import { createHttpHandler, type HttpHandler } from '../../handler.ts';

/** A process of a service, whose tool says so many times that it goes on, and never ends. */
function served(t: TestContext, memory: Store, words = 1): HttpHandler {
  const store = { ...memory, shared: true };
  const server = createServer({ name: 's', version: '1' }, { store, rounds: { keys: [new Uint8Array(32)] } });
  server.tool('pay', {}, async (_, ctx) => {
    for (let word = 1; word <= words; word++) {
      ctx.progress(word);
      // What was asked with it is answered meanwhile.
      for (let at = 0; word === 1 && at < 3; at++) await turn();
    }
    return await new Promise<string>(() => undefined);
  });
  server.tool('soon', {}, async () => {
    await turn();
    return 'done';
  });
  const handler = createHttpHandler(server, { onError: () => undefined });
  t.after(async () => {
    await handler.close({ drainTimeoutMs: 0 });
    await server.close();
  });
  return handler;
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

const paying = (id: unknown): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'pay', arguments: {}, _meta: { progressToken: 'p' } },
});

/** A session that was opened at a process, by the headers that name it. */
async function opened(handler: HttpHandler, version: string): Promise<NonNullable<Sent['headers']>> {
  const { headers } = await visit(handler, { body: initializing(version) });
  return { 'mcp-session-id': headers['mcp-session-id'], 'mcp-protocol-version': version };
}

/** The answers on a stream, by their ids and the words of errors. */
function answersOf({ events }: FakeVisit): readonly unknown[] {
  return events.flatMap((event) => {
    const { id, error } = Object(event) as { readonly id?: unknown; readonly error?: { readonly message: string } };
    return id === undefined ? [] : [[id, error?.message ?? 'a result']];
  });
}

test('a request that runs when its client ends the session is told that, and of no stopped process', async (t) => {
  const one = served(t, memoryStore());
  const headers = await opened(one, '2025-11-25');
  const answer = begin(one, { headers, body: JSON.stringify(paying(3)) });
  await answer.until((so) => so.events.length > 0);
  await visit(one, { method: 'DELETE', headers });
  await answer.done();
  assert.deepEqual(answersOf(answer), [[3, 'the session was ended while the request ran; its outcome is not known']]);
});

test('a request that runs in one process when the session is ended in another is told the same', async (t) => {
  const store = memoryStore();
  const [one, other] = [served(t, store), served(t, store)];
  const headers = await opened(one, '2025-11-25');
  const answer = begin(one, { headers, body: JSON.stringify(paying(3)) });
  await answer.until((so) => so.events.length > 0);
  await visit(other, { method: 'DELETE', headers });
  await answer.done();
  assert.deepEqual(answersOf(answer), [[3, 'the session was ended while the request ran; its outcome is not known']]);
});

for (const length of [10, 30_000, 40_000, 70_000])
  test(`a request whose id has ${length} characters is told that its process was stopped`, async (t) => {
    const one = served(t, memoryStore());
    const headers = await opened(one, '2025-11-25');
    const id = 'i'.repeat(length);
    const answer = begin(one, { headers, body: JSON.stringify(paying(id)) });
    await answer.until((so) => so.events.length > 0);
    await one.close({ drainTimeoutMs: 0 });
    await answer.done();
    assert.deepEqual(answersOf(answer), [
      [id, 'the process that ran the request was stopped; its outcome is not known'],
    ]);
  });

test('what a batch was answered before it was a stream goes with the next answer', async (t) => {
  const one = served(t, memoryStore());
  const headers = await opened(one, '2025-03-26');
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
  const body = JSON.stringify([ping, paying(3), { ...paying(4), params: { name: 'soon', arguments: {} } }]);
  const answer = begin(one, { headers, body });
  await answer.until((so) => answersOf(so).length > 1);
  assert.deepEqual(answersOf(answer), [
    [2, 'a result'],
    [4, 'a result'],
  ]);
});
