/** What tasks of 2026-07-28 ask: which handlers run, what becomes of their answers, and what ends them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { playing, type Played } from '../../../../../test/support/played-tasks.ts';
import { ConnectionError, McpError, TaskInputRequiredError, type ConnectOptions } from '../../client.ts';
import type { TaskReference } from '../api/task-handle.ts';

type Json = Readonly<Record<string, unknown>>;
type OnElicit = NonNullable<ConnectOptions['onElicit']>;

const times = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z' };
const working = { taskId: 'a', status: 'working', ...times, ttlMs: null };
const done = { content: [{ type: 'text', text: 'done' }] };
const completed = { ...working, status: 'completed', result: done };
const created = (): Json => ({ resultType: 'task', ...working });
const question = {
  method: 'elicitation/create',
  params: { message: 'Name?', requestedSchema: { type: 'object', properties: {} } },
};
const accept: OnElicit = () => ({ action: 'accept', content: {} });

function asking(keys: readonly string[], request: Json = question): Json {
  return { ...working, status: 'input_required', inputRequests: Object.fromEntries(keys.map((key) => [key, request])) };
}

function reference(answered: readonly string[] = []): TaskReference {
  return { server: '', taskId: 'a', revision: '2026-07-28', tool: 't', createdAt: '', ttlMs: null, answered };
}

function count({ asked }: Played, method: string): number {
  return asked.filter((one) => one.method === method).length;
}

const numbered = (length: number): string[] => Array.from({ length }, (_, at) => `k${at}`);

/** A handler that never answers, and its signals. */
function waiting(): { readonly onElicit: OnElicit; readonly signals: AbortSignal[] } {
  const signals: AbortSignal[] = [];
  const onElicit: OnElicit = (_, { signal }) => {
    signals.push(signal);
    return new Promise(() => undefined);
  };
  return { onElicit, signals };
}

test('a task may ask 100 things at once; one more is not asked', async (t) => {
  for (const most of [100, 101]) {
    let asked = 0;
    let isGiven = false;
    const one = await playing(
      t,
      {
        'tools/call': created,
        'tasks/get': () => (isGiven ? completed : asking(numbered(most))),
        'tasks/update': () => ((isGiven = true), {}),
        'tasks/cancel': () => ({}),
      },
      { onElicit: (...given) => (asked++, accept(...given)) },
    );
    const outcome = one.client.callTool('t').catch((error: unknown) => error);
    await one.pass(3000);
    if (most === 100) assert.deepEqual(await outcome, done);
    else {
      const error = await outcome;
      assert.ok(error instanceof TaskInputRequiredError);
      assert.match(error.message, /asks 101 things at once, and at most 100/);
      assert.equal(Object.keys(error.inputRequests).length, 101);
    }
    assert.equal(asked, most === 100 ? 100 : 0);
    t.mock.timers.reset();
  }
});

test('a task may ask 1,000 things in all; with one more the wait for it ends', async (t) => {
  for (const answered of [999, 1000]) {
    let isGiven = false;
    const one = await playing(
      t,
      {
        'tasks/get': () => (isGiven ? completed : asking(['new'])),
        'tasks/update': () => ((isGiven = true), {}),
      },
      { onElicit: accept },
    );
    const task = await one.client.task(reference(numbered(answered)));
    const outcome = task.result().catch((error: unknown) => error);
    await one.pass(3000);
    const error = await outcome;
    if (answered === 999) assert.deepEqual(error, done);
    else {
      assert.ok(error instanceof ConnectionError);
      assert.deepEqual([error.reason, count(one, 'tasks/update')], ['too-large', 0]);
    }
    t.mock.timers.reset();
  }
});

test('a reference holds at most 10,000 answered keys, and a task id', async (t) => {
  const one = await playing(t, { 'tasks/get': () => completed });
  assert.ok(await one.client.task(reference(numbered(10_000))));
  assert.ok(await one.client.task({ ...reference(), ttlMs: 0 }));
  await assert.rejects(one.client.task(reference(numbered(10_001))), /answered must be a list/);
  await assert.rejects(one.client.task({ ...reference(), taskId: '' }), /taskId is empty/);
});

test('an input that is malformed ends the call, and the message says which', async (t) => {
  const key = 'k'.repeat(65);
  const one = await playing(
    t,
    {
      'tools/call': created,
      'tasks/get': () => asking([key], { method: 'elicitation/create', params: { message: 'x', requestedSchema: 7 } }),
      'tasks/cancel': () => ({}),
    },
    { onElicit: accept },
  );
  const call = assert.rejects(one.client.callTool('t'), (error: Error) => {
    assert.ok(error instanceof ConnectionError);
    assert.equal(error.message.includes(key), false);
    return error.reason === 'invalid-message' && error.message.includes(key.slice(1));
  });
  await one.pass(3000);
  await call;
});

test('an error of the handler ends the call, cancels the task, and is told once', async (t) => {
  const one = await playing(
    t,
    { 'tools/call': created, 'tasks/get': () => asking(['k']), 'tasks/cancel': () => ({}) },
    {
      onElicit: () => {
        throw new TypeError('broken handler');
      },
    },
  );
  const call = assert.rejects(one.client.callTool('t'), /broken handler/);
  await one.pass(3000);
  await call;
  assert.deepEqual([count(one, 'tasks/cancel'), count(one, 'tasks/update')], [1, 0]);
});

test('a handle whose handler failed can be waited for again', async (t) => {
  let tries = 0;
  const one = await playing(
    t,
    {
      'tools/call': created,
      'tasks/get': () => (one.asked.some(({ method }) => method === 'tasks/update') ? completed : asking(['k'])),
      'tasks/update': () => ({}),
    },
    {
      onElicit: (...given) => {
        if (tries++ === 0) throw new TypeError('broken handler');
        return accept(...given);
      },
    },
  );
  const task = await one.client.startTask('t');
  const first = assert.rejects(task.result(), /broken handler/);
  await one.pass(3000);
  await first;
  const second = task.result();
  await one.pass(3000);
  assert.deepEqual([await second, tries], [done, 2]);
});

test('a question that the task withdraws aborts its handler, and the answer is not sent', async (t) => {
  const { onElicit, signals } = waiting();
  let state: Json = asking(['k']);
  const one = await playing(t, { 'tools/call': created, 'tasks/get': () => state }, { onElicit });
  const call = one.client.callTool('t');
  await one.pass(2000);
  assert.deepEqual([signals.length, signals[0]?.aborted], [1, false]);
  state = working;
  await one.pass(5000);
  assert.equal(signals[0]?.aborted, true);
  assert.match(String(signals[0].reason), /does not want this input/);
  state = completed;
  await one.pass(20_000);
  assert.deepEqual([await call, count(one, 'tasks/update')], [done, 0]);
});

test('an answer by hand aborts the handler that was asked for it, and no other', async (t) => {
  const { onElicit, signals } = waiting();
  const one = await playing(
    t,
    {
      'tools/call': created,
      'tasks/get': () => asking(['k', 'l']),
      'tasks/update': () => ({}),
      'tasks/cancel': () => ({}),
    },
    { onElicit },
  );
  const task = await one.client.startTask('t');
  const stop = new AbortController();
  const wait = assert.rejects(task.result({ signal: stop.signal }), /enough/);
  await one.pass(2000);
  await task.answer({ k: 'decline' });
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, false],
  );
  await assert.rejects(task.answer({ k: 'decline' }), /does not wait for an answer to "k"/);
  stop.abort(new Error('enough'));
  await wait;
  assert.equal(signals[1]?.aborted, true, 'nobody waits any more');
  assert.equal(count(one, 'tasks/cancel'), 0);
});

for (const [what, then] of [
  ['has ended meanwhile', completed],
  ['goes on', asking(['k'])],
] as const)
  test(`an answer that is refused ends the call unless the task ${what}`, async (t) => {
    let state: Json = asking(['k']);
    const one = await playing(
      t,
      {
        'tools/call': created,
        'tasks/get': () => state,
        'tasks/update': () => ((state = then), { code: -32602, message: 'not wanted' }),
        'tasks/cancel': () => ({}),
      },
      { onElicit: accept },
    );
    const outcome = one.client.callTool('t').catch((error: unknown) => error);
    await one.pass(5000);
    const end = await outcome;
    if (then === completed) assert.deepEqual(end, done);
    else assert.ok(end instanceof McpError && end.message.includes('not wanted'));
    assert.equal(count(one, 'tasks/update'), 1);
  });

test('the longest time of a call stands still while a handler is asked', async (t) => {
  const answers: (() => void)[] = [];
  const both = asking(['k', 'l']);
  let state = both;
  const one = await playing(
    t,
    {
      'tools/call': created,
      'tasks/get': () => state,
      'tasks/update': () => ((state = state === both ? asking(['l']) : working), {}),
      'tasks/cancel': () => ({}),
    },
    { onElicit: () => new Promise((resolve) => answers.push(() => resolve({ action: 'decline' }))) },
  );
  let isOver = false;
  const call = assert
    .rejects(one.client.callTool('t', {}, { maxTotalTimeoutMs: 4000 }), /within 4000 ms/)
    .then(() => (isOver = true));
  await one.pass(20_000);
  assert.equal(answers.length, 2);
  answers[0]?.();
  await one.pass(20_000);
  assert.equal(isOver, false, 'one handler is still asked');
  answers[1]?.();
  await one.pass(5000);
  assert.equal(isOver, true);
  await call;
});

test('what is left of the longest time of a call goes on when the handler has answered', async (t) => {
  let at = 0;
  t.mock.method(performance, 'now', () => at);
  let answer = (): void => undefined;
  let state: Json = working;
  const one = await playing(
    t,
    {
      'tools/call': created,
      'tasks/get': () => state,
      'tasks/update': () => ((state = working), {}),
      'tasks/cancel': () => ({}),
    },
    { onElicit: () => new Promise((resolve) => (answer = () => resolve({ action: 'decline' }))) },
  );
  const pass = async (ms: number): Promise<void> => {
    for (const end = at + ms; at < end;) {
      at += 50;
      await one.pass(50);
    }
  };
  let isOver = false;
  const call = assert
    .rejects(one.client.callTool('t', {}, { maxTotalTimeoutMs: 8000 }), /within 8000 ms/)
    .then(() => (isOver = true));
  await pass(4000);
  state = asking(['k']);
  await pass(20_000);
  assert.equal(isOver, false);
  answer();
  await pass(4500);
  assert.equal(isOver, true, 'half of it was over');
  await call;
});
