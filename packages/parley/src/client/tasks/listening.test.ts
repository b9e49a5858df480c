import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { playing, type Played } from '../../../../../test/support/played-tasks.ts';

const times = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z' };
const working = { taskId: 'a', status: 'working', ...times, ttlMs: null };

/** A server that acknowledges each listen request, and ends its stream after a time. */
async function ending(t: TestContext, afterMs: number): Promise<Played> {
  return await playing(t, {
    'tools/call': () => ({ resultType: 'task', ...working }),
    'tasks/get': () => working,
    'subscriptions/listen': ({ notifications }, peer, sent) => {
      const _meta = { 'io.modelcontextprotocol/subscriptionId': sent.message['id'] };
      const method = 'notifications/subscriptions/acknowledged';
      peer.send({ jsonrpc: '2.0', method, params: { notifications, _meta } } as never);
      setTimeout(() => peer.reply(sent, { resultType: 'complete' }), afterMs);
      return undefined;
    },
  });
}

interface Listened {
  readonly one: Played;
  /** The listen requests, by the ids that they name. */
  readonly listens: { readonly ids: readonly string[]; readonly id: unknown; end(): void }[];
  tell(method: string, params: object, listen?: number): void;
  /** The ids of listen requests that were given up. */
  left(): readonly unknown[];
}

type Reply = 'all' | 'none' | 'nothing' | { readonly code: number } | ((ids: readonly string[]) => unknown);

/** A server with tasks without end, which acknowledges listen requests as it is told. */
async function listening(t: TestContext, reply: () => Reply): Promise<Listened> {
  const listens: { ids: readonly string[]; id: unknown; end(): void }[] = [];
  let count = 0;
  const one = await playing(t, {
    'tools/call': () => ({ resultType: 'task', ...working, taskId: `t${count++}` }),
    'tasks/get': ({ taskId }) => ({ ...working, taskId }),
    'tasks/cancel': () => ({}),
    'subscriptions/listen': ({ notifications }, peer, sent) => {
      const ids = (notifications as { readonly taskIds: readonly string[] }).taskIds;
      const id = sent.message['id'];
      listens.push({ ids, id, end: () => peer.reply(sent, { resultType: 'complete' }) });
      const how = reply();
      if (typeof how === 'object') return { ...how, message: 'no' };
      if (how === 'nothing') return undefined;
      const taskIds = how === 'all' ? ids : how === 'none' ? [] : how(ids);
      tell('notifications/subscriptions/acknowledged', { notifications: { taskIds } });
      return undefined;
    },
  });
  const tell: Listened['tell'] = (method, params, listen = listens.length - 1) => {
    const _meta = { 'io.modelcontextprotocol/subscriptionId': listens[listen]?.id };
    one.peer.send({ jsonrpc: '2.0', method, params: { ...params, _meta } } as never);
  };
  const left = (): readonly unknown[] =>
    one.transport.sent
      .filter(({ message }) => message['method'] === 'notifications/cancelled')
      .map(({ message }) =>
        listens.findIndex(({ id }) => id === (message['params'] as { requestId?: unknown }).requestId),
      )
      .filter((at) => at >= 0);
  return { one, listens, tell, left };
}

function begin({ one }: Listened): { readonly result: Promise<unknown>; stop(): void } {
  const stop = new AbortController();
  const result = one.client.callTool('t', {}, { signal: stop.signal }).catch((error: unknown) => error);
  return { result, stop: () => stop.abort(new Error('enough')) };
}

/** Times between the listen requests. */
function gaps({ asked }: Played): readonly number[] {
  const at = asked.filter(({ method }) => method === 'subscriptions/listen').map((one) => one.at);
  return at.slice(1).map((time, index) => time - (at[index] ?? 0));
}

test('a stream of tasks that ends as soon as it is acknowledged is asked for more and more seldom', async (t) => {
  const one = await ending(t, 10);
  one.client.callTool('t').catch(() => undefined);
  await one.pass(300_000);
  const between = gaps(one);
  // After 1, 2, 4, 8, 16 and then each 30 seconds.
  assert.ok(between.length >= 10 && between.length <= 15, `${between.length}`);
  assert.ok(Math.min(...between.slice(5)) >= 30_000, between.join());
});

test('a stream of tasks that stood for a while is asked for again soon, however often that was', async (t) => {
  const one = await ending(t, 20_000);
  one.client.callTool('t').catch(() => undefined);
  await one.pass(300_000);
  assert.ok(gaps(one).length >= 10, `${gaps(one).length}`);
  assert.ok(Math.max(...gaps(one)) <= 22_000, gaps(one).join());
});

test('a task is listened to after two seconds, one that comes later by a second request in place of the first', async (t) => {
  const served = await listening(t, () => 'all');
  begin(served);
  await served.one.pass(1900);
  assert.equal(served.listens.length, 0);
  await served.one.pass(1600);
  assert.deepEqual(
    served.listens.map(({ ids }) => ids),
    [['t0']],
  );
  begin(served);
  await served.one.pass(4000);
  assert.deepEqual(
    served.listens.map(({ ids }) => ids),
    [['t0'], ['t0', 't1']],
  );
  assert.deepEqual(served.left(), [0]);
});

test('the listen request ends with the last task that is waited for', async (t) => {
  const served = await listening(t, () => 'all');
  const calls = [begin(served), begin(served)];
  await served.one.pass(4000);
  calls[0]?.stop();
  await served.one.pass(500);
  assert.deepEqual(served.left(), []);
  calls[1]?.stop();
  await served.one.pass(500);
  assert.deepEqual(served.left(), [0]);
  await served.one.pass(10_000);
  assert.equal(served.listens.length, 1);
});

test('a task that the server leaves out is asked for as before, and is in no further request', async (t) => {
  const served = await listening(t, () => (ids) => ids.filter((id) => id !== 't0'));
  begin(served);
  begin(served);
  await served.one.pass(30_000);
  assert.deepEqual(
    served.listens.map(({ ids }) => ids),
    [['t0', 't1']],
  );
  const polls = served.one.asked.filter(({ method, at }) => method === 'tasks/get' && at > 10_000);
  assert.deepEqual([...new Set(polls.map(({ params }) => params['taskId']))], ['t0']);
  served.listens[0]?.end();
  await served.one.pass(5000);
  assert.deepEqual(served.listens[1]?.ids, ['t1']);
});

test('a task that the server left out is asked for again by the next who waits for it', async (t) => {
  const listens: unknown[] = [];
  const one = await playing(t, {
    'tools/call': () => ({ resultType: 'task', ...working }),
    'tasks/get': () => working,
    'subscriptions/listen': ({ notifications }, peer, sent) => {
      listens.push((notifications as { readonly taskIds: unknown }).taskIds);
      const _meta = { 'io.modelcontextprotocol/subscriptionId': sent.message['id'] };
      const params = { notifications: { taskIds: [] }, _meta };
      peer.send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params } as never);
      return undefined;
    },
  });
  const task = await one.client.startTask('t');
  for (const count of [1, 2]) {
    const stop = new AbortController();
    const result = task.result({ signal: stop.signal }).catch(() => 'given up');
    await one.pass(4000);
    assert.deepEqual(listens, Array(count).fill(['a']));
    stop.abort();
    assert.equal(await result, 'given up');
  }
});

for (const [title, after] of [
  ['and the next one leaves it out', 'none'],
  ['and the next one is not acknowledged', 'nothing'],
] as const)
  test(`a task is asked for as before if its stream ends ${title}`, async (t) => {
    const replies: Reply[] = ['all', after];
    const served = await listening(t, () => replies.shift() ?? after);
    const polls = (): readonly number[] =>
      served.one.asked.filter(({ method }) => method === 'tasks/get').map(({ at }) => at);
    begin(served);
    await served.one.pass(30_000);
    const before = polls().length;
    served.listens[0]?.end();
    await served.one.pass(5000);
    assert.equal(served.listens.length, 2);
    assert.ok(polls().length > before, polls().join());
    await served.one.pass(90_000);
    const times = polls().slice(before);
    const longest = Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? 0)));
    assert.ok(times.length > 2 && longest <= 33_000, times.join());
  });

test('a server that tells of no task three times in a row is listened to no more', async (t) => {
  const served = await listening(t, () => 'none');
  for (let at = 0; at < 5; at++) {
    begin(served);
    await served.one.pass(5000);
  }
  assert.deepEqual(
    served.listens.map(({ ids }) => ids),
    [['t0'], ['t1'], ['t2']],
  );
});

test('two streams without a task, and one with, begin the count anew', async (t) => {
  const replies: Reply[] = ['none', 'none', 'all', 'none', 'none'];
  const served = await listening(t, () => replies.shift() ?? 'none');
  for (let at = 0; at < 6; at++) {
    begin(served);
    await served.one.pass(5000);
  }
  assert.equal(served.listens.length, 6);
});

for (const [code, again] of [
  [-32601, false],
  [-32603, true],
] as const)
  test(`a listen request that is refused with ${code} is ${again ? 'sent again' : 'not sent again'}`, async (t) => {
    let isRefused = true;
    const served = await listening(t, () => (isRefused ? { code } : 'all'));
    begin(served);
    await served.one.pass(3000);
    assert.equal(served.listens.length, 1);
    isRefused = false;
    begin(served);
    await served.one.pass(10_000);
    const ids = served.listens.map((listen) => listen.ids.join());
    assert.deepEqual(ids, again ? ['t0', 't0', 't0,t1'] : ['t0']);
  });

test('a listen request that is not acknowledged within the time of a request is given up', async (t) => {
  const served = await listening(t, () => 'nothing');
  begin(served);
  await served.one.pass(62_000);
  assert.deepEqual(served.left(), []);
  await served.one.pass(1000);
  assert.deepEqual(served.left(), [0]);
});

test('who begins to wait before the acknowledgement is in the next request', async (t) => {
  const served = await listening(t, () => 'nothing');
  begin(served);
  await served.one.pass(4000);
  begin(served);
  await served.one.pass(6000);
  assert.equal(served.listens.length, 1);
  served.tell('notifications/subscriptions/acknowledged', { notifications: { taskIds: ['t0'] } });
  await served.one.pass(1000);
  assert.deepEqual(
    served.listens.map(({ ids }) => ids),
    [['t0'], ['t0', 't1']],
  );
});

test('malformed notifications about tasks are warned of, and those of other streams mean nothing', async (t) => {
  const served = await listening(t, () => 'all');
  const { result } = begin(served);
  await served.one.pass(4000);
  const done = { ...working, taskId: 't0', status: 'completed', result: { content: [] } };
  served.tell('notifications/tasks', done, 7);
  served.tell('notifications/tasks', { ...done, status: 'over' });
  served.tell('notifications/tasks', { ...done, taskId: 't9' });
  await served.one.pass(500);
  assert.deepEqual(
    served.one.warnings.filter((words) => words.includes('malformed')),
    ['a notification about a task was ignored, since it is malformed'],
  );
  served.tell('notifications/tasks', done);
  await served.one.pass(100);
  assert.deepEqual(await result, { content: [] });
});

test('an acknowledgement that is malformed is warned of, and names no task', async (t) => {
  const served = await listening(t, () => () => 7);
  begin(served);
  await served.one.pass(4000);
  assert.ok(served.one.warnings.includes('the acknowledgement of a subscription is malformed'));
  assert.deepEqual(served.left(), [0]);
});
