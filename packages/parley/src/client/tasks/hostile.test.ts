/** Servers whose tasks are not what they should be: each is told apart, or followed on at a pace that harms nobody. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { playing, type Played } from '../../../../../test/support/played-tasks.ts';
import { ConnectionError, TaskCancelledError, TaskGoneError, TaskInputRequiredError } from '../../client.ts';

type Json = Readonly<Record<string, unknown>>;

const extension = 'io.modelcontextprotocol/tasks';
const times = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z' };
const working = { taskId: 'a', status: 'working', ...times, ttlMs: null };
const done = { content: [{ type: 'text', text: 'done' }] };
const completed = { ...working, status: 'completed', result: done };
const question = {
  method: 'elicitation/create',
  params: { message: 'Name?', requestedSchema: { type: 'object', properties: {} } },
};

const created =
  (task: Json = working) =>
  (): Json => ({ resultType: 'task', ...task });

/** Times between the questions for the task. */
function gaps({ asked }: Played): readonly number[] {
  const at = asked.filter(({ method }) => method === 'tasks/get').map((one) => one.at);
  return at.slice(1).map((time, index) => time - (at[index] ?? 0));
}

test('a task that had ended when it was created is asked for what came of it', async (t) => {
  const error = { code: -32602, message: 'no such leaf' };
  const ends: readonly (readonly [Json, (call: Promise<unknown>) => Promise<unknown>])[] = [
    [completed, async (call) => assert.deepEqual(((await call) as Json)['content'], done.content)],
    [{ ...working, status: 'failed', error }, (call) => assert.rejects(call, /no such leaf/)],
  ];
  for (const [told, judge] of ends) {
    const { result: _, error: __, ...bare } = told;
    const one = await playing(t, { 'tools/call': created(bare), 'tasks/get': () => told });
    const judged = judge(one.client.callTool('t'));
    await one.pass(100);
    await judged;
    assert.equal(one.asked.filter(({ method }) => method === 'tasks/get').length, 1);
    t.mock.timers.reset();
  }
});

test('each call declares the extension, and so do the requests about its task [tasks-051, tasks-081]', async (t) => {
  const one = await playing(t, { 'tools/call': created(), 'tasks/get': () => completed });
  const call = one.client.callTool('t');
  await one.pass(1500);
  assert.deepEqual((await call).content, done.content);
  for (const { params } of one.asked.filter(({ method }) => method !== 'server/discover')) {
    const declared = (params['_meta'] as Json)['io.modelcontextprotocol/clientCapabilities'] as Json;
    assert.deepEqual(declared['extensions'], { [extension]: {} });
  }
});

test('a task of a call that declared none, or of another request, is no valid answer [tasks-052]', async (t) => {
  const one = await playing(t, { 'tools/call': created(), 'prompts/get': created() }, { tasks: false });
  for (const request of [one.client.callTool('t'), one.client.request('tools/call', { name: 't' })])
    await assert.rejects(request, (error) => error instanceof ConnectionError && error.reason === 'invalid-message');
  assert.equal(JSON.stringify(one.asked).includes(extension), false);
});

for (const told of [0, -5, 1, 100])
  test(`a server that wants to be asked every ${told} ms is asked every 100 ms at most`, async (t) => {
    const one = await playing(t, {
      'tools/call': created({ ...working, pollIntervalMs: told }),
      'tasks/get': () => ({ ...working, pollIntervalMs: told, statusMessage: String(Math.random()) }),
    });
    one.client.callTool('t').catch(() => undefined);
    await one.pass(1800);
    assert.ok(one.asked.length > 5);
    for (const gap of gaps(one)) assert.ok(gap >= 100, `${gap}`);
  });

test('a server is never asked faster than it says, and more and more seldom while nothing changes [tasks-016, tasks-062]', async (t) => {
  const task = { ...working, pollIntervalMs: 2000 };
  const one = await playing(t, {
    'tools/call': created(task),
    'tasks/get': () => task,
    'subscriptions/listen': () => ({ code: -32601, message: 'no' }),
  });
  one.client.callTool('t').catch(() => undefined);
  await one.pass(300_000);
  const waits = gaps(one);
  for (const gap of waits) assert.ok(gap >= 2000 && gap <= 33_000, `${gap}`);
  assert.ok((waits.at(-1) ?? 0) > 20_000);
  assert.equal(one.asked.filter(({ method }) => method === 'subscriptions/listen').length, 1);
});

test('a server that wants to be asked in thirty years is asked in an hour', async (t) => {
  const one = await playing(t, {
    'tools/call': created({ ...working, pollIntervalMs: 1e12 }),
    'tasks/get': () => completed,
  });
  const call = one.client.callTool('t');
  await one.pass(60_000);
  assert.deepEqual(gaps(one), []);
  t.mock.timers.tick(60 * 60_000);
  await one.pass(100);
  assert.deepEqual((await call).content, done.content);
});

test('what is malformed about a task is an error that says so', async (t) => {
  const cases: readonly (readonly [Json, RegExp])[] = [
    [{ ...working, taskId: 'b' }, /another task/],
    [{ ...working, status: 'completed' }, /without a result/],
    [{ ...working, status: 'failed' }, /without an error/],
    [{ ...completed, result: { content: 7 } }, /tools\/call is malformed.*content/],
    [{ ...working, status: 'done' }, /tasks\/get is malformed.*status/],
    [{ ...working, pollIntervalMs: 'soon' }, /tasks\/get is malformed.*pollIntervalMs/],
    [{ ...working, status: 'input_required', inputRequests: { k: 7 } }, /tasks\/get is malformed/],
  ];
  for (const [task, words] of cases) {
    await t.test(words.source, async (t) => {
      const one = await playing(t, { 'tools/call': created(), 'tasks/get': () => task, 'tasks/cancel': () => ({}) });
      const call = assert.rejects(one.client.callTool('t'), (error) => {
        assert.ok(error instanceof ConnectionError);
        assert.equal(error.reason, 'invalid-message');
        assert.match(error.message, words);
        return true;
      });
      await one.pass(1500);
      await call;
      // One that has ended is not cancelled.
      const isOver = task['status'] === 'completed' || task['status'] === 'failed';
      assert.equal(one.asked.at(-1)?.method, isOver ? 'tasks/get' : 'tasks/cancel');
    });
  }
});

test('a created task that is malformed is an error that says so', async (t) => {
  for (const task of [{ status: 'working' }, { ...working, taskId: 7 }, { ...working, status: 'x' }]) {
    await t.test(JSON.stringify(task), async (t) => {
      const one = await playing(t, { 'tools/call': created(task) });
      await assert.rejects(one.client.callTool('t'), /tools\/call is malformed/);
    });
  }
});

test('a task that wants input and says none is waited for, and the signal ends that', async (t) => {
  const one = await playing(t, {
    'tools/call': created(),
    'tasks/get': () => ({ ...working, status: 'input_required' }),
    'tasks/cancel': () => ({}),
  });
  const given = new AbortController();
  const call = assert.rejects(one.client.callTool('t', {}, { signal: given.signal }), /enough/);
  await one.pass(20_000);
  assert.ok(one.asked.length < 20);
  given.abort(new Error('enough'));
  await call;
  await one.pass(50);
  assert.equal(one.asked.at(-1)?.method, 'tasks/cancel');
  const { length } = one.asked;
  await one.pass(60_000);
  assert.equal(one.asked.length, length);
});

test('a key that comes again and again is asked for once, and its answer is sent until the server has it [tasks-070]', async (t) => {
  let asked = 0;
  let updates = 0;
  const one = await playing(
    t,
    {
      'tools/call': created(),
      'tasks/get': () =>
        updates < 3 ? { ...working, status: 'input_required', inputRequests: { k: question } } : completed,
      'tasks/update': () => (++updates < 3 ? { code: -32603, message: 'later' } : {}),
    },
    {
      onElicit: () => {
        asked++;
        return { action: 'accept', content: {} };
      },
    },
  );
  const call = one.client.callTool('t');
  await one.pass(30_000);
  assert.deepEqual((await call).content, done.content);
  assert.deepEqual([asked, updates], [1, 3]);
});

test('input that nothing here gives rejects the call and cancels its task; a handle may be answered by hand', async (t) => {
  let isAnswered = false;
  const one = await playing(
    t,
    {
      'tools/call': created(),
      'tasks/get': () =>
        isAnswered ? completed : { ...working, status: 'input_required', inputRequests: { k: question } },
      'tasks/cancel': () => ({}),
      'tasks/update': () => {
        isAnswered = true;
        return {};
      },
    },
    { capabilities: { elicitation: {} } },
  );
  const call = assert.rejects(one.client.callTool('t'), TaskInputRequiredError);
  await one.pass(2000);
  await call;
  assert.equal(one.asked.at(-1)?.method, 'tasks/cancel');
  const task = await one.client.startTask('t');
  const { inputRequests } = await task.poll();
  assert.deepEqual(Object.keys(inputRequests ?? {}), ['k']);
  await assert.rejects(task.answer({ other: 'decline' }), /does not wait for an answer to "other"/);
  await task.answer({ k: 'decline' });
  assert.deepEqual(task.reference?.answered, ['k']);
  const result = task.result();
  await one.pass(2000);
  assert.deepEqual((await result).content, done.content);
});

test('failures that may pass are waited out, until the task must have expired', async (t) => {
  let isUp = false;
  const one = await playing(t, {
    'tools/call': created({ ...working, ttlMs: 60_000 }),
    'tasks/get': () => (isUp ? completed : { code: -32603, message: 'busy', data: { retryAfterMs: 1 } }),
    'tasks/cancel': () => ({}),
  });
  const first = one.client.callTool('t');
  await one.pass(20_000);
  isUp = true;
  await one.pass(30_000);
  assert.deepEqual((await first).content, done.content);
  isUp = false;
  const second = assert.rejects(one.client.callTool('t'), (error) => {
    assert.ok(error instanceof TaskGoneError);
    assert.equal(error.reason, 'expired');
    return true;
  });
  await one.pass(120_000);
  await second;
});

test('a task that is cancelled elsewhere, or expired, rejects with what it is', async (t) => {
  const cancelled = await playing(t, {
    'tools/call': created(),
    'tasks/get': () => ({ ...working, status: 'cancelled', statusMessage: 'by ann' }),
  });
  const first = assert.rejects(cancelled.client.callTool('t'), (error) => {
    assert.ok(error instanceof TaskCancelledError);
    assert.match(error.message, /by ann/);
    return true;
  });
  await cancelled.pass(1500);
  await first;
});

test('tasks that take long are listened to by one request, and asked for once a minute [tasks-063]', async (t) => {
  let count = 0;
  const one = await playing(t, {
    'tools/call': () => ({ resultType: 'task', ...working, taskId: `t${count++}` }),
    'tasks/get': ({ taskId }) => ({ ...working, taskId }),
    'subscriptions/listen': (params, peer, { message }) => {
      const _meta = { 'io.modelcontextprotocol/subscriptionId': message['id'] };
      const { notifications } = params;
      peer.send({
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications, _meta },
      } as never);
      return undefined;
    },
  });
  const calls = Array.from({ length: 100 }, async () => await one.client.callTool('t'));
  await one.pass(10_000);
  const listens = one.asked.filter(({ method }) => method === 'subscriptions/listen');
  assert.equal(listens.length, 1);
  const { notifications } = listens[0]?.params ?? {};
  const { taskIds } = notifications as { readonly taskIds: readonly string[] };
  assert.equal(taskIds.length, 100);
  const before = one.asked.length;
  await one.pass(40_000);
  assert.ok(one.asked.length - before <= 100, `${one.asked.length - before}`);
  const id = one.transport.sent.find(({ message }) => message['method'] === 'subscriptions/listen')?.message['id'];
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
  for (const taskId of taskIds)
    one.peer.send({ jsonrpc: '2.0', method: 'notifications/tasks', params: { ...completed, taskId, _meta } } as never);
  await one.pass(100);
  for (const { content } of await Promise.all(calls)) assert.deepEqual(content, done.content);
});

test('a task whose input somebody else gave is waited for again', async (t) => {
  let isAnswered = false;
  const one = await playing(
    t,
    {
      'tools/call': created(),
      'tasks/get': () =>
        isAnswered ? completed : { ...working, status: 'input_required', inputRequests: { k: question } },
    },
    { capabilities: { elicitation: {} } },
  );
  const task = await one.client.startTask('t');
  const wanting = assert.rejects(task.result(), TaskInputRequiredError);
  await one.pass(2000);
  await wanting;
  isAnswered = true;
  const result = task.result();
  result.catch(() => undefined);
  await one.pass(2000);
  assert.deepEqual((await result).content, done.content);
});

test('the longest time of a call counts from its beginning, be it a task by then or not', async (t) => {
  const one = await playing(t, {
    'tools/call': (_, peer, sent) => {
      setTimeout(() => peer.reply(sent, created()()), 2_000);
      return undefined;
    },
    'tasks/get': () => working,
    'tasks/cancel': () => ({}),
  });
  const call = one.client.callTool('t', undefined, { maxTotalTimeoutMs: 3_000 });
  let [endedAt, passed] = [0, 0];
  const ended = assert.rejects(call, /within 3000 ms/).then(() => void (endedAt = passed));
  for (; passed < 6_000; passed += 500) await one.pass(500);
  await ended;
  assert.ok(endedAt > 2_000 && endedAt <= 3_500, `${endedAt}`);
});

for (const status of ['completed', 'input_required'] as const)
  test(`a task of which the server tells that it is ${status}, and no more, is asked for`, async (t) => {
    let isSo = false;
    let isAnswered = false;
    const asking = { ...working, status: 'input_required', inputRequests: { k: question } };
    const then = status === 'completed' ? completed : asking;
    const one = await playing(
      t,
      {
        'tools/call': created(),
        'tasks/get': () => (isAnswered ? completed : isSo ? then : working),
        'tasks/update': () => ((isAnswered = true), {}),
        'subscriptions/listen': ({ notifications }, peer, { message }) => {
          const _meta = { 'io.modelcontextprotocol/subscriptionId': message['id'] };
          const method = 'notifications/subscriptions/acknowledged';
          peer.send({ jsonrpc: '2.0', method, params: { notifications, _meta } } as never);
          return undefined;
        },
      },
      { onElicit: () => ({ action: 'accept', content: {} }) },
    );
    const call = one.client.callTool('t');
    await one.pass(6000);
    isSo = true;
    const id = one.transport.sent.find(({ message }) => message['method'] === 'subscriptions/listen')?.message['id'];
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
    const before = one.asked.length;
    const params = { ...working, status, _meta };
    for (let times = 0; times < 100; times++)
      one.peer.send({ jsonrpc: '2.0', method: 'notifications/tasks', params } as never);
    await one.pass(4000);
    const methods = one.asked.slice(before).map(({ method }) => method);
    assert.deepEqual(methods, status === 'completed' ? ['tasks/get'] : ['tasks/get', 'tasks/update']);
    // Of what follows an answer this server tells nothing.
    await one.pass(status === 'completed' ? 0 : 70_000);
    assert.deepEqual((await call).content, done.content);
  });
