/** The last words on streams that other processes of a service know. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { initializing } from '../../../../../test/support/session-client.ts';
import { createServer } from '../../../../server.ts';
import { memoryStore } from '../../../../store/memory/store.ts';
import { StoreError, type Store } from '../../../../store/store.ts';
import { begin, visit, type FakeVisit, type Sent } from '../../../../../test/support/fake-http.ts';
import { createHttpHandler, type HttpHandler } from '../../handler.ts';

/** A store that keeps no event with this text, nor any after it. */
function forgetting(store: Store, text: string): Store {
  const open: Store['events']['open'] = (session) => {
    const log = store.events.open(session);
    const write: typeof log.write = async (...given) => {
      const { mark, append } = await log.write(...given);
      let isFull = false;
      return {
        mark,
        append: (data, last) => {
          if ((isFull ||= data.includes(text))) throw new StoreError('full', 'no more');
          return append(data, last);
        },
      };
    };
    return { ...log, write };
  };
  return { ...store, events: { open } };
}

/** A store of which the keys of records that are put are known, until they are deleted. */
function noting(store: Store, left: Set<string>): Store {
  const { records } = store;
  return {
    ...store,
    records: {
      ...records,
      put(key, ...more) {
        left.add(key);
        return records.put(key, ...more);
      },
      delete(key) {
        left.delete(key);
        return records.delete(key);
      },
    },
  };
}

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
    await handler.close({ drainMs: 0 });
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
    await one.close({ drainMs: 0 });
    await answer.done();
    assert.deepEqual(answersOf(answer), [
      [id, 'the process that ran the request was stopped; its outcome is not known'],
    ]);
  });

/** Has another process go on with the stream of a batch whose first process is gone after some reports: only the request without an answer gets one. */
async function goesOnElsewhere(t: TestContext, store: Store, reports: number): Promise<void> {
  const [one, other] = [served(t, forgetting(store, `"progress":${reports}`), reports), served(t, store)];
  const headers = await opened(one, '2025-03-26');
  const body = JSON.stringify([paying(3), { ...paying(4), params: { name: 'soon', arguments: {} } }]);
  const answer = begin(one, { headers, body });
  await answer.until((so) => so.events.length > reports);
  const id = answer.frames.findLast((frame) => frame.id !== undefined)?.id;
  const again = begin(other, { headers: { ...headers, 'last-event-id': id } });
  await again.done();
  assert.deepEqual(answersOf(answer), [[4, 'a result']]);
  assert.deepEqual(
    answersOf(again).map((told) => String(told).split(',', 1)[0]),
    ['3'],
  );
}

test('of a batch whose process is gone no answer is given again that the log has still, where what was before is dropped', async (t) => {
  await goesOnElsewhere(t, memoryStore({ maxEvents: 19 }), 20);
});

test('of a batch whose process is gone no answer is given again that the log has dropped', async (t) => {
  const left = new Set<string>();
  await goesOnElsewhere(t, noting(memoryStore({ maxEvents: 10 }), left), 30);
  assert.deepEqual(
    [...left].filter((key) => key.startsWith('answered ')),
    [],
  );
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
