import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createServer } from '../../../../../server.ts';
import { memoryStore } from '../../../../../storage/memory/store.ts';
import { StoreError, type Store } from '../../../../../storage/store.ts';
import { createHandler } from '../../fetch.ts';
import { resolveHttpOptions } from '../../exchanges/options.ts';
import { StreamLease } from './stream-lease.ts';
import { ProcessMailbox } from './process-mailbox.ts';

type Send = (body: object | undefined, session?: string, method?: string) => Promise<Response>;

const rounds = { keys: [new Uint8Array(32)] };

/** A server over a store that processes share, by what is sent to it. */
function served(t: TestContext, store: Store): Send {
  const server = createServer({ name: 's', version: '1' }, { store: { ...store, shared: true }, rounds });
  server.tool('t', {}, () => 'x');
  const handler = createHandler(server, { onError: () => undefined });
  t.after(async () => {
    await handler.close();
    await server.close();
  });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return (body, session, method = 'POST') =>
    handler(
      new Request('http://localhost/mcp', {
        method,
        headers: { ...headers, ...(session !== undefined && { 'mcp-session-id': session }) },
        ...(body !== undefined && { body: JSON.stringify({ jsonrpc: '2.0', ...body }) }),
      }),
    );
}

async function opened(send: Send): Promise<string> {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const answer = await send({ id: 1, method: 'initialize', params });
  const id = answer.headers.get('mcp-session-id') ?? assert.fail('it has an id');
  await send({ method: 'notifications/initialized' }, id);
  return id;
}

test('an id that was never given out is not asked for at the store, however long it is', async (t) => {
  const store = memoryStore();
  const asked: string[] = [];
  const get: Store['records']['get'] = (key) => (asked.push(key), store.records.get(key));
  const send = served(t, { ...store, records: { ...store.records, get } });
  for (const id of ['x', 'x'.repeat(8_000), 'a b'.repeat(20)])
    assert.equal((await send({ id: 1, method: 'ping' }, id)).status, 404, id.slice(0, 10));
  assert.deepEqual(asked, []);
  assert.equal((await send({ id: 1, method: 'ping' }, 'f'.repeat(48))).status, 404);
  assert.equal(asked.length, 1);
});

test('a session that could not be listened to is listened to by its next request', async (t) => {
  const store = memoryStore();
  let failures = 0;
  const heard: string[] = [];
  const subscribe: Store['bus']['subscribe'] = (channel, hear, onGap) => {
    if (channel.startsWith('session ') && failures++ === 0) throw new StoreError('unavailable', 'away');
    heard.push(channel.split(' ', 1)[0] ?? '');
    return store.bus.subscribe(channel, hear, onGap);
  };
  const send = served(t, { ...store, bus: { ...store.bus, subscribe } });
  const id = await opened(send);
  await send({ id: 2, method: 'ping' }, id);
  assert.equal(heard.filter((kind) => kind === 'session').length, 1);
});

test('a session that the store could not forget is not said to have ended', async (t) => {
  const store = memoryStore();
  let isAway = true;
  const forget: Store['records']['delete'] = (key) => {
    if (isAway) throw new StoreError('unavailable', 'away');
    return store.records.delete(key);
  };
  const send = served(t, { ...store, records: { ...store.records, delete: forget } });
  const id = await opened(send);
  const first = await send(undefined, id, 'DELETE');
  assert.deepEqual([first.status, first.headers.get('retry-after')], [503, '1']);
  isAway = false;
  assert.equal((await send(undefined, id, 'DELETE')).status, 204);
  assert.equal((await send({ id: 2, method: 'ping' }, id)).status, 404);
});

test('a change that could not be kept is refused with the time after which to try again', async (t) => {
  const store = memoryStore();
  let isAway = false;
  const put: Store['records']['put'] = (...given) => {
    if (isAway) throw new StoreError('unavailable', 'away');
    return store.records.put(...given);
  };
  const send = served(t, { ...store, records: { ...store.records, put } });
  const id = await opened(send);
  isAway = true;
  const refused = await send({ id: 2, method: 'logging/setLevel', params: { level: 'error' } }, id);
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
  const { error } = (await refused.json()) as { readonly error: { readonly data?: unknown } };
  assert.deepEqual(error.data, { retryAfterMs: 1000 });
  isAway = false;
  const taken = await send({ id: 3, method: 'logging/setLevel', params: { level: 'error' } }, id);
  assert.equal(taken.status, 200);
});

test('a process that ends takes no stream from the process that has it', async (t) => {
  const store = memoryStore();
  let asked = (): void => undefined;
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const mailbox = new ProcessMailbox(
    { ...store, bus: { ...store.bus, publish: () => (asked(), 1) } },
    () => {},
    () => {},
  );
  t.after(() => mailbox.close());
  const settings = resolveHttpOptions({});
  await store.records.put('listening s', 'another', 60_000, 0);
  const taking = new StreamLease({ store, mailbox, settings }, 's').take(false);
  await isAsked;
  await mailbox.close();
  assert.equal(await taking, undefined);
  assert.equal((await store.records.get('listening s'))?.text, 'another');
});
