/** Servers that make no task of a call, or make one for a caller that has left. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connected, handshake, lastOf, tool, type Connected } from '../../../../../test/support/connected-client.ts';
import { playing } from '../../../../../test/support/played-tasks.ts';
import { until } from '../../../../../test/support/turns.ts';

const times = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z' };
const working = { taskId: 'a', status: 'working', ...times, ttlMs: null };
const content = [{ type: 'text', text: 'done' }];

/** A server of 2025-11-25 with tasks, whose calls are answered as the test says. */
async function inCore(
  revision = handshake,
  result: Readonly<Record<string, unknown>> = { content },
): Promise<Connected> {
  const execution = { taskSupport: 'required' };
  return await connected(
    (sent, peer) => {
      const { method } = sent.message;
      if (method === 'tools/list') peer.reply(sent, { tools: [tool('t', { execution })] });
      if (method === 'tools/call') peer.reply(sent, result);
    },
    { revision, capabilities: { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } } },
  );
}

test('a server that answers a call as a task at once has the call answered', async (t) => {
  const one = await inCore();
  t.after(() => one.client.close());
  await one.client.listTools();
  assert.deepEqual((await one.client.callTool('t')).content, content);
  assert.notEqual(lastOf(one).params['task'], undefined);
  const task = await one.client.startTask('t');
  assert.deepEqual([task.reference, (await task.result()).content], [undefined, content]);
});

test('a task of 2025-11-25 is answered by handlers alone, and is none in an older version', async (t) => {
  const [one, older] = [await inCore(handshake, { task: working }), await inCore('2025-06-18')];
  t.after(async () => await Promise.all([one.client.close(), older.client.close()]));
  const task = await one.client.startTask('t');
  const { reference = assert.fail('it is a task') } = task;
  await assert.rejects(task.answer({}), /tasks of 2025-11-25 ask by requests/);
  await assert.rejects(older.client.task(reference), /begun at "2025-11-25", and 2025-06-18 has no tasks/);
});

test('a task that is made of a call which was given up is cancelled, unless it is to be left', async (t) => {
  for (const onGiveUp of ['cancel', 'leave'] as const) {
    let answer = (): void => undefined;
    const one = await playing(t, {
      'tools/call': (_, peer, sent) => {
        answer = () => peer.reply(sent, { resultType: 'task', ...working });
        return undefined;
      },
      'tasks/cancel': () => ({ resultType: 'complete' }),
    });
    const stop = new AbortController();
    const called = one.client.callTool('t', {}, { signal: stop.signal, onGiveUp }).catch(() => 'given up');
    await one.pass(50);
    stop.abort();
    assert.equal(await called, 'given up');
    answer();
    await one.pass(2000);
    const cancelled = one.asked.filter(({ method }) => method === 'tasks/cancel').map(({ params }) => params['taskId']);
    assert.deepEqual(cancelled, onGiveUp === 'cancel' ? ['a'] : []);
    t.mock.timers.reset();
  }
});

test('a malformed task that is made of a call which was given up is warned of', async (t) => {
  let answer = (): void => undefined;
  const one = await playing(t, {
    'tools/call': (_, peer, sent) => {
      answer = () => peer.reply(sent, { resultType: 'task', ...working, status: 'odd' });
      return undefined;
    },
  });
  const stop = new AbortController();
  const called = one.client.callTool('t', {}, { signal: stop.signal }).catch(() => 'given up');
  await one.pass(50);
  stop.abort();
  await called;
  answer();
  await until(() => one.warnings.some((warning) => /an unneeded task was not cancelled/.test(warning)));
});
