import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeEndpoint, type FakeConversation } from '../../../../../test/support/fake-endpoint.ts';
import { begin, settle, visit, type FakeVisit } from '../../../../../test/support/fake-http.ts';
import { createHttpHandler, type HttpHandler } from './server/handler.ts';
import type { HttpOptions } from './server/exchanges/options.ts';

/** A client with a session. */
interface Client {
  readonly handler: HttpHandler;
  readonly conversation: FakeConversation;
  readonly errors: Error[];
  post(method: string, id?: number, headers?: Record<string, string>): FakeVisit;
  get(lastEventId?: string): FakeVisit;
  remove(): Promise<FakeVisit>;
}

async function connect(version: string = '2025-11-25', options: HttpOptions = {}): Promise<Client> {
  const fake = fakeEndpoint();
  const errors: Error[] = [];
  const handler = createHttpHandler(fake, { onError: (error) => errors.push(error), ...options });
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const opened = await visit(handler, { body });
  const own = { 'Mcp-Session-Id': opened.headers['mcp-session-id'] };
  const [conversation] = fake.conversations;
  assert.ok(conversation);
  return {
    handler,
    conversation,
    errors,
    post: (method, id = 2, headers = {}) =>
      begin(handler, { headers: { ...own, ...headers }, body: JSON.stringify({ jsonrpc: '2.0', id, method }) }),
    get: (lastEventId) => begin(handler, { headers: { ...own, 'last-event-id': lastEventId } }),
    remove: () => visit(handler, { method: 'DELETE', headers: own }),
  };
}

const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' } as const;

/** A numbered message, and one that belongs to the request with id 2. */
function note(at: number): { readonly jsonrpc: '2.0'; readonly method: string; readonly params: { at: number } } {
  return { jsonrpc: '2.0', method: 'notifications/message', params: { at } };
}

function idsOf({ frames }: FakeVisit): string[] {
  return frames.flatMap(({ id }) => (id === undefined ? [] : [id]));
}

/** Begins a request whose stream has one message on it. */
async function streaming(client: Client): Promise<FakeVisit> {
  const answer = client.post('slow');
  await settle();
  client.conversation.link.send(note(1), 2);
  assert.deepEqual(answer.events, [note(1)]);
  return answer;
}

const released = { jsonrpc: '2.0', id: 2, result: { released: true } };

for (const version of ['2025-03-26', '2025-06-18', '2025-11-25']) {
  test(`in ${version} a POST stream that broke is replayed from where it broke, up to its response [http-029] [http-040]`, async () => {
    const client = await connect(version);
    const answer = await streaming(client);
    answer.leave();
    client.conversation.link.send(note(2), 2);
    client.conversation.release(2);
    await settle();
    const resumed = await client.get(idsOf(answer).at(-1)).done();
    assert.deepEqual([resumed.status, resumed.events], [200, [note(2), released]]);
  });

  test(`in ${version} a stream that was taken up goes on live, and its response ends it [http-019] [http-023]`, async () => {
    const client = await connect(version);
    const answer = await streaming(client);
    answer.leave();
    const resumed = client.get(idsOf(answer).at(-1));
    await settle();
    assert.deepEqual([resumed.events, resumed.ended], [[], false]);
    client.conversation.link.send(note(2), 2);
    assert.deepEqual(resumed.events, [note(2)]);
    client.conversation.release(2);
    await resumed.done();
    assert.deepEqual(resumed.events, [note(2), released]);
  });

  test(`in ${version} every event of a session has an id of its own, which names its stream [http-037] [http-038]`, async () => {
    const client = await connect(version);
    const listening = client.get();
    await settle();
    client.conversation.link.send(changed);
    client.conversation.link.send(changed);
    const answers = await Promise.all([client.post('notify', 2).done(), client.post('notify', 3).done()]);
    const streams = [listening, ...answers].map(idsOf);
    const ids = streams.flat();
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(streams.every((own) => own.length >= 2 && new Set(own.map((id) => id.split(':')[0])).size === 1));
    assert.equal(new Set(streams.map((own) => own[0]?.split(':')[0])).size, 3);
  });
}

test('in 2024-11-05 events have no ids, and a broken stream is not taken up', async () => {
  const client = await connect('2024-11-05');
  const answer = await client.post('notify').done();
  assert.deepEqual(idsOf(answer), []);
  const listening = client.get('anything:1');
  await settle();
  assert.deepEqual([listening.status, listening.written], [200, '']);
});

test('an owner may keep no events at all', async () => {
  const client = await connect('2025-11-25', { events: 'none' });
  const answer = await client.post('notify').done();
  assert.deepEqual(
    answer.frames.map((frame) => Object.keys(frame)),
    [['data'], ['data']],
  );
});

for (const [version, primed] of [
  ['2025-03-26', false],
  ['2025-06-18', false],
  ['2025-11-25', true],
] as const) {
  test(`in ${version} streams ${primed ? 'begin with an id to come back to' : 'begin with a message'} [http-024] [http-028]`, async () => {
    const client = await connect(version, { retryMs: 700 });
    const listening = client.get();
    const answer = client.post('notify');
    await answer.done();
    client.conversation.link.send(changed);
    for (const [first] of [listening.frames, answer.frames]) {
      assert.equal(first?.data === '' && first.id !== undefined && first.retry === '700', primed);
    }
  });
}

test('a server breaks the connection of a call and is polled for the rest [http-025]', async () => {
  const client = await connect();
  const answer = client.post('slow');
  await settle();
  client.conversation.link.disconnect?.(2, 500);
  await answer.done();
  assert.deepEqual(
    answer.frames.map(({ data, retry }) => [data, retry]),
    [
      ['', '1000'],
      [undefined, '500'],
    ],
  );
  assert.equal(client.conversation.closed, false);
  const resumed = client.get(idsOf(answer)[0]);
  await settle();
  client.conversation.release(2);
  await resumed.done();
  assert.deepEqual(resumed.events, [released]);
});

for (const [ms, written] of [
  [0.5, '1'],
  [Number.POSITIVE_INFINITY, '86400000'],
  [1e21, '86400000'],
] as const)
  test(`a client that is to stay away for ${ms} ms is told so in digits`, async () => {
    const client = await connect('2025-11-25', { retryMs: ms });
    const answer = client.post('slow');
    await settle();
    client.conversation.link.disconnect?.(2, ms);
    await answer.done();
    assert.deepEqual(
      answer.frames.map(({ retry }) => retry),
      [written, written],
    );
  });

for (const version of ['2025-03-26', '2025-06-18']) {
  test(`in ${version} no stream is broken before its response [http-022]`, async () => {
    const client = await connect(version);
    const answer = await streaming(client);
    client.conversation.link.disconnect?.(2);
    assert.equal(answer.ended, false);
    client.conversation.release(2);
    await answer.done();
    assert.deepEqual(answer.events, [note(1), released]);
  });
}

test('the result of a call that nobody waits for any more can be had later', async () => {
  const client = await connect();
  const answer = await streaming(client);
  answer.leave();
  client.conversation.release(2);
  await settle();
  for (const from of idsOf(answer)) {
    const resumed = await client.get(from).done();
    assert.deepEqual(resumed.events.at(-1), released);
  }
});

test('replay never includes messages of another stream [http-040]', async () => {
  const client = await connect();
  const listening = client.get();
  const one = client.post('slow', 2);
  const other = client.post('slow', 3);
  await settle();
  client.conversation.link.send(note(1), 2);
  client.conversation.link.send(note(9), 3);
  client.conversation.link.send(changed);
  for (const stream of [one, other, listening]) stream.leave();
  client.conversation.link.send(note(2), 2);
  client.conversation.link.send(note(8), 3);
  const [resumed, others] = [client.get(idsOf(one).at(-1)), client.get(idsOf(other)[0])];
  await settle();
  assert.deepEqual(resumed.events, [note(2)]);
  assert.deepEqual(others.events, [note(9), note(8)]);
});

test('the listening stream is replayed, then sends what waited, then goes on live [http-028]', async () => {
  const client = await connect();
  const first = client.get();
  await settle();
  client.conversation.link.send(note(1));
  client.conversation.link.send(note(2));
  first.leave();
  client.conversation.link.send(note(3));
  const again = client.get(idsOf(first)[1]);
  await settle();
  client.conversation.link.send(note(4));
  assert.deepEqual(again.events, [note(2), note(3), note(4)]);
});

test('a listening stream that is opened anew sends what no stream has sent', async () => {
  const client = await connect();
  const first = client.get();
  await settle();
  client.conversation.link.send(note(1));
  first.leave();
  client.conversation.link.send(note(2));
  const again = client.get();
  await settle();
  assert.deepEqual(again.events, [note(2)]);
});

test('who names the last event takes the place of a reader that only looks alive', async () => {
  const client = await connect();
  const first = client.get();
  await settle();
  assert.equal((await client.get().done()).status, 409);
  const again = client.get(idsOf(first)[0]);
  await settle();
  assert.deepEqual([first.ended, again.ended], [true, false]);
  client.conversation.link.send(changed);
  assert.deepEqual([first.events, again.events], [[], [changed]]);
});

for (const [title, id] of [
  ['that is none', 'nonsense'],
  ['that is empty', ''],
  ['of a stream that never was', 'abc-7:1'],
  ['with a prototype name', '__proto__:1'],
  ['that is endless', `${'a'.repeat(100_000)}:1`],
] as const) {
  test(`an event id ${title} is a bad request, and the session lives on`, async () => {
    const client = await connect();
    assert.equal((await client.get(id).done()).status, 400);
    assert.equal((await client.post('ping').done()).status, 200);
  });
}

test('an event id of another session is a bad request', async () => {
  const [one, other] = [await connect(), await connect()];
  const answer = await streaming(one);
  await streaming(other);
  assert.equal((await other.get(idsOf(answer)[0]).done()).status, 400);
});

test('an event that has not been sent is a bad request', async () => {
  const client = await connect();
  const answer = await streaming(client);
  assert.equal((await client.get(idsOf(answer)[0]?.replace(/\d+$/, '99')).done()).status, 400);
});

test('what is no longer kept is a bad request and not a replay with gaps', async () => {
  const client = await connect();
  const answer = await streaming(client);
  // A session keeps 1,000 events; the first two of this stream are its beginning and a note.
  for (let at = 0; at < 1_000; at++) client.conversation.link.send(changed, 2);
  const ids = idsOf(answer);
  assert.equal((await client.get(ids[0]).done()).status, 400);
  const resumed = client.get(ids.at(-3));
  await settle();
  assert.deepEqual(resumed.events, [changed, changed]);
});

test('a session that ended has nothing left to resume [http-047]', async () => {
  const client = await connect();
  const answer = await streaming(client);
  await client.remove();
  assert.equal((await client.get(idsOf(answer)[0]).done()).status, 404);
});

test('a slow reader loses log messages for now and may come back for the rest', async () => {
  const client = await connect('2025-11-25', { maxStreamBufferBytes: 500 });
  const answer = await streaming(client);
  answer.stalled = true;
  for (let at = 2; at <= 50; at++) client.conversation.link.send(note(at), 2);
  assert.equal(answer.destroyed, false);
  answer.leave();
  const seen = answer.events.length;
  const resumed = client.get(idsOf(answer).at(-1));
  await settle();
  assert.equal(seen + resumed.events.length, 50);
  assert.deepEqual(resumed.events.at(-1), note(50));
  assert.equal(resumed.ended, false);
});

test('a stalled reader costs a bounded amount of memory, however much is sent', async () => {
  const client = await connect('2025-11-25', { maxStreamBufferBytes: 10_000 });
  const listening = client.get();
  await settle();
  listening.stalled = true;
  for (let at = 0; at < 100_000; at++) client.conversation.link.send(note(at));
  assert.equal(listening.destroyed, false);
  assert.ok(listening.written.length < 10_200);
  client.conversation.link.send(changed);
  assert.equal(listening.destroyed, true);
  assert.ok(listening.written.length < 10_200);
});

test('a session with a running call does not expire while its stream is broken', async () => {
  let now = 0;
  const client = await connect('2025-11-25', { now: () => now, sessionIdleTimeoutMs: 1000 });
  const answer = await streaming(client);
  answer.leave();
  now = 5000;
  const resumed = client.get(idsOf(answer).at(-1));
  await settle();
  assert.equal(resumed.status, 200);
});
