/** The options of a task's requests, and a call that the server answered at once. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestRevision } from '../../protocol/revision.ts';
import { answeredAtOnce, handleOf } from './handle.ts';
import type { TaskHandle } from './task-handle.ts';

test('options that do not exist are refused before anything is sent', async () => {
  const asked: string[] = [];
  const task = {
    reference: 'r',
    poll: async () => void asked.push('poll'),
    cancel: async () => void asked.push('cancel'),
    abandon: () => asked.push('abandon'),
  };
  const handle = handleOf({
    task: task as never,
    check: undefined,
    immediate: undefined,
    revision: () => newestRevision,
  });
  const wrong = { timeout: 1 } as never;
  const ways: readonly (() => Promise<unknown>)[] = [
    () => handle.result(wrong),
    () => handle.poll(wrong),
    () => handle.answer({}, wrong),
    () => handle.cancel(wrong),
    async () => await handle.updates(wrong)[Symbol.asyncIterator]().next(),
  ];
  for (const way of ways)
    await assert.rejects(async () => await way(), { name: 'TypeError', message: /has no option "timeout"/ });
  await assert.rejects(async () => await handle.result({ onGiveUp: 'stop' } as never), /onGiveUp/);
  assert.deepEqual(asked, []);
  await handle.cancel({ timeoutMs: 1 });
  assert.deepEqual([asked, handle.reference], [['cancel'], 'r']);
});

test('a call that was answered at once has a result, and no task', async () => {
  const result = { content: [] };
  const checked: unknown[] = [];
  const handle: TaskHandle = answeredAtOnce(result, (one) => checked.push(one));
  assert.equal(await handle.result(), result);
  assert.deepEqual(checked, [result]);
  assert.deepEqual([handle.reference, handle.immediate], [undefined, undefined]);
  for await (const _ of handle.updates()) assert.fail('there are none');
  for (const way of [() => handle.poll(), () => handle.answer({})]) await assert.rejects(way, /answered at once/);
  await handle.cancel();
  await assert.rejects(handle.result({ signal: AbortSignal.abort(new Error('given up')) }), /given up/);
  await assert.rejects(handle.result({ timeout: 1 } as never), TypeError);
});
