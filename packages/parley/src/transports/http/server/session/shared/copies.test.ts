import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  faltering,
  heardOn,
  openSession,
  processOver,
  settle,
  uri,
} from '../../../../../../../../test/support/session-processes.ts';
import { memoryStore } from '../../../../../storage/memory/store.ts';
import type { Store } from '../../../../../storage/store.ts';

const ways = [
  { what: 'is not told of it', command: 'publish', given: '"kind":"changed"', at: 'teller' },
  { what: 'cannot look it up', command: 'get', given: 'session ', at: 'listener' },
  { what: 'cannot listen to the session', command: 'subscribe', given: 'session ', at: 'listener' },
] as const;

for (const { what, command, given, at } of ways)
  test(`a client hears of what it watches by the process that has its stream, also where that ${what} at once`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const store = memoryStore();
    let failed = 0;
    let isWell = command !== 'subscribe';
    const fails = (asked: string, text: string): boolean => {
      const isIt = !isWell && asked === command && text.includes(given);
      if (isIt) failed++;
      return isIt;
    };
    const listener = processOver(t, at === 'listener' ? faltering(store, fails) : store);
    const teller = processOver(t, at === 'teller' ? faltering(store, fails) : store);

    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    const opened = await teller.send('POST', {}, { id: 1, method: 'initialize', params });
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? assert.fail('it has an id') };
    await teller.send('POST', session, { method: 'notifications/initialized' });
    const stream = await listener.send('GET', session);
    assert.equal(stream.status, 200);
    const heard = heardOn(stream);
    await settle();

    isWell = false;
    const watched = await teller.send('POST', session, { id: 2, method: 'resources/subscribe', params: { uri } });
    assert.equal(watched.status, 200);
    await settle();
    assert.ok(failed > 0, 'it failed');
    isWell = true;
    t.mock.timers.tick(5_000);
    await settle();

    const before = heard();
    listener.server.resourceUpdated(uri);
    await settle();
    assert.match(heard().slice(before.length), /notifications\/resources\/updated/);
    await teller.send('DELETE', session);
  });

test('the end of a session that other processes could not be told of is told to them later', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const store = memoryStore();
  let isWell = true;
  const listener = processOver(t, store);
  const ender = processOver(
    t,
    faltering(store, (command, text) => !isWell && command === 'publish' && text.includes('"ended"')),
  );
  const session = await openSession(ender);
  const stream = await listener.send('GET', session);
  const reader = stream.body?.getReader() ?? assert.fail('it has a stream');
  await settle();

  isWell = false;
  assert.equal((await ender.send('DELETE', session)).status, 204);
  isWell = true;
  await settle();
  t.mock.timers.tick(1_000);
  await settle();
  while (!(await reader.read()).done);
  assert.equal((await listener.send('POST', session, { id: 3, method: 'ping' })).status, 404);
});

test('a change waits for its client also where nobody can tell which process has the stream', async (t) => {
  let isWell = true;
  const store = faltering(
    memoryStore(),
    (command, text) => !isWell && command === 'get' && text.includes('listening '),
  );
  const process = processOver(t, store);
  const session = await openSession(process);
  await process.send('POST', session, { id: 2, method: 'resources/subscribe', params: { uri } });

  isWell = false;
  process.server.resourceUpdated(uri);
  await settle();
  isWell = true;
  const heard = heardOn(await process.send('GET', session));
  await settle();
  assert.match(heard(), /notifications\/resources\/updated/);
  await process.send('DELETE', session);
});

test('a session whose record is gone with all that its store had ends in every process that has a copy', async (t) => {
  let store = memoryStore();
  const late = <Part extends object>(part: () => Part): Part =>
    new Proxy(part(), { get: (_, name) => Reflect.get(part(), name) as unknown });
  // What listens goes on listening, as after a FLUSHALL.
  const given: Store = { ...store, records: late(() => store.records) };
  const processes = [processOver(t, given), processOver(t, given)];
  const session = await openSession(processes[0] ?? assert.fail());
  const statuses = async (): Promise<readonly number[]> => {
    const answers = processes.map(({ send }) => send('POST', session, { id: 2, method: 'ping' }));
    return (await Promise.all(answers)).map(({ status }) => status);
  };
  const look = async (): Promise<void> => {
    for (const { server } of processes) await server.endpoint.store?.check();
    await settle();
  };
  await look();
  assert.deepEqual(await statuses(), [200, 200]);
  store = memoryStore();
  await look();
  assert.deepEqual(await statuses(), [404, 404]);
});

test('a call that runs in a session which its store has lost hears that its outcome is not known', async (t) => {
  let store = memoryStore();
  const late = <Part extends object>(part: () => Part): Part =>
    new Proxy(part(), { get: (_, name) => Reflect.get(part(), name) as unknown });
  const process = processOver(t, { ...store, records: late(() => store.records) });
  process.server.tool('waits', {}, async (_, { signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return 'x';
  });
  const session = await openSession(process);
  await process.server.endpoint.store?.check();
  await settle();
  const calling = process.send('POST', session, { id: 2, method: 'tools/call', params: { name: 'waits' } });
  await settle();
  store = memoryStore();
  await process.server.endpoint.store?.check();
  await settle();
  const answer = await (await calling).text();
  assert.match(
    answer,
    /"id":2,"error":\{"code":-32603,"message":"the session was lost while the request ran; its outcome is not known"/,
  );
});

test('what a client changes is kept also where its store took over without the last that it was told', async (t) => {
  let store = memoryStore();
  const late = <Part extends object>(part: () => Part): Part =>
    new Proxy(part(), { get: (_, name) => Reflect.get(part(), name) as unknown });
  const process = processOver(t, { ...store, records: late(() => store.records) });
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const opened = await process.send('POST', {}, { id: 1, method: 'initialize', params });
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? assert.fail('it has an id') };
  const key = `session ${session['mcp-session-id']}`;
  const { text = '' } = (await store.records.get(key)) ?? {};
  await process.send('POST', session, { method: 'notifications/initialized' });

  // A replica that has not heard of it.
  store = memoryStore();
  await store.records.put(key, text, 60_000);
  const watched = await process.send('POST', session, { id: 2, method: 'resources/subscribe', params: { uri } });
  assert.equal(watched.status, 200);
  const kept = JSON.parse((await store.records.get(key))?.text ?? '{}') as { readonly record?: object };
  assert.deepEqual(
    [Object(kept.record)['isReady'], Object(kept.record)['watched']],
    [true, [uri]],
    'what it knew, and what it was told',
  );
});
