import assert from 'node:assert/strict';
import { test } from 'node:test';
import { broadcast, connect, request } from '../../../../../../../test/support/session-client.ts';
import { settle, visit } from '../../../../../../../test/support/fake-http.ts';

test('a message of a request goes on the stream of its POST, which its response ends [http-019] [http-021] [http-023] [http-035] [http-036]', async () => {
  const client = await connect();
  const stream = client.get();
  const answer = await client.post(request('notify')).done();
  assert.deepEqual(
    answer.events.map((event) => Object.keys(event as object).includes('result')),
    [false, true],
  );
  assert.deepEqual(stream.events, []);
});

test('a message of no request goes on the stream of the GET alone [http-032] [http-033] [http-034] [http-035] [http-036]', async () => {
  const client = await connect();
  const stream = client.get();
  await settle();
  const answer = await client.post(request('broadcast')).done();
  assert.equal(answer.headers['content-type'], 'application/json');
  assert.deepEqual(stream.events, [broadcast]);
});

test('messages wait for the stream of the GET, the oldest dropped and told when there are too many', async () => {
  const client = await connect();
  for (let at = 0; at < 70; at++) client.fake.conversations[0]?.link.send({ ...broadcast, params: { at } });
  assert.equal(client.errors.length, 6);
  const stream = client.get();
  await settle();
  assert.equal(stream.events.length, 64);
  assert.deepEqual(stream.events[0], { ...broadcast, params: { at: 6 } });
});

test('a request of the server travels on the stream of the POST and its answer comes by another POST [http-022]', async () => {
  const client = await connect();
  const answer = client.post(request('ask'));
  await answer.until((so) => so.events.length === 1);
  assert.equal((await client.post({ jsonrpc: '2.0', id: 'q', result: { roots: [] } }).done()).status, 202);
  await answer.done();
  assert.deepEqual(answer.events[1], {
    jsonrpc: '2.0',
    id: 2,
    result: { answer: { jsonrpc: '2.0', id: 'q', result: { roots: [] } } },
  });
});

test('a client that takes JSON alone gets the request of the server on its GET stream', async () => {
  const client = await connect();
  const stream = client.get();
  const answer = client.post(request('ask'), { accept: 'application/json' });
  await stream.until((so) => so.events.length === 1);
  client.post({ jsonrpc: '2.0', id: 'q', result: { roots: [] } });
  await answer.done();
  assert.equal(answer.headers['content-type'], 'application/json');
});

test('a client that disconnects has not cancelled its request [http-029]', async () => {
  const client = await connect();
  const answer = client.post(request('slow'));
  await settle();
  answer.leave();
  await settle();
  assert.equal(client.fake.conversations[0]?.closed, false);
  client.fake.conversations[0]?.release(2);
  await settle();
  assert.equal((await client.post(request('ping', 3)).done()).status, 200);
});

test('a second GET is refused while the first is alive, and taken once it is gone', async () => {
  const client = await connect();
  const first = client.get();
  await settle();
  assert.equal((await client.get().done()).status, 409);
  first.leave();
  const third = client.get();
  await settle();
  assert.deepEqual([third.status, third.ended], [200, false]);
});

test('a GET that takes no event stream is not acceptable', async () => {
  const client = await connect();
  assert.equal((await client.get({ accept: 'application/json' }).done()).status, 406);
});

test('a silent stream is kept open by comments [http-059]', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const client = await connect('2025-11-25', { keepAliveIntervalMs: 1000 });
  const stream = client.get();
  await settle();
  // It looks twice in the time, and the timers of a test run once in a tick.
  for (let half = 0; half < 6; half++) t.mock.timers.tick(500);
  assert.match(stream.written, /\ndata:\n\n(?::\n\n){3}$/);
  stream.leave();
});

test('a request that was cancelled leaves an empty stream', async () => {
  const client = await connect();
  const answer = client.post(request('slow'));
  await settle();
  await visit(client.handler, { method: 'DELETE', headers: { 'Mcp-Session-Id': client.id } });
  await answer.done();
  assert.deepEqual([answer.status, answer.written], [200, '']);
});
