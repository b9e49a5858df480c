/** Ids of tasks that leave a bridge: their limits, and how many are opened at once. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../../../test/support/raw.ts';
import { TaskIds } from './task-ids.ts';

/** A seal that shows what it seals, and opens when the test lets it. */
function plainSeal() {
  const opening: (() => void)[] = [];
  const opened: string[] = [];
  const seal = {
    sealAlike: async (text: string, boundTo: string) => `${boundTo} ${text}`,
    open: async (id: string, boundTo: string) => {
      opened.push(id);
      await new Promise<void>((resolve) => opening.push(resolve));
      return id.startsWith(`${boundTo} `) ? id.slice(boundTo.length + 1) : undefined;
    },
  };
  return { seal: seal as never, opened, open: () => opening.splice(0).forEach((run) => run()) };
}

const named = (taskId: string) => ({ member: 'm', taskId, revision: '2026-07-28' }) as const;

test('an id has 1 to 1,024 characters at its server, and opens for its principal and side alone', async () => {
  const { seal, open } = plainSeal();
  const ids = new TaskIds(seal);
  const sealed = await ids.seal(named('x'.repeat(1_024)), 'ann');
  for (const taskId of ['', 'x'.repeat(1_025)])
    await assert.rejects(ids.seal(named(taskId), 'ann'), /there can be 1 to 1024$/);
  const opened = async (by: TaskIds, principal?: string): Promise<unknown> => {
    const task = by.open(sealed, principal);
    open();
    return (await task)?.taskId;
  };
  assert.equal(await opened(ids, 'ann'), 'x'.repeat(1_024));
  assert.equal(await opened(ids, 'eve'), undefined);
  assert.equal(await opened(ids), undefined);
  assert.equal(await opened(new TaskIds(seal, 'client'), 'ann'), undefined);
});

test('a sealed id keeps the capabilities and the connection with which its task was made', async () => {
  const { seal, open } = plainSeal();
  const ids = new TaskIds(seal);
  for (const more of [{}, { declared: { roots: {} } }, { declared: { roots: {} }, within: 'w' }]) {
    const task = ids.open(await ids.seal({ ...named('a'), ...more }, undefined), undefined);
    open();
    assert.deepEqual(await task, { ...named('a'), declared: undefined, within: undefined, ...more });
  }
});

test('an id that is longer than any sealed one is not opened', async () => {
  const { seal, opened, open } = plainSeal();
  const ids = new TaskIds(seal);
  assert.equal(await ids.open('x'.repeat(12_289), 'ann'), undefined);
  assert.equal(opened.length, 0);
  const longest = ids.open('x'.repeat(12_288), 'ann');
  open();
  assert.deepEqual([await longest, opened.length], [undefined, 1]);
});

test('64 ids are opened at once, each of them once', async () => {
  const { seal, opened, open } = plainSeal();
  const ids = new TaskIds(seal);
  const sealed = await Promise.all(Array.from({ length: 65 }, (_, at) => ids.seal(named(`task ${at}`), 'ann')));
  const all = ids.openAll([...sealed, ...sealed, 'forged'], 'ann');
  await settle();
  assert.equal(opened.length, 64);
  open();
  await settle();
  assert.equal(opened.length, 66);
  open();
  const tasks = await all;
  assert.deepEqual([tasks.size, tasks.get(sealed[64] ?? '')?.taskId], [65, 'task 64']);
});
