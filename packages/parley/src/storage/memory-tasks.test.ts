import assert from 'node:assert/strict';
import { test } from 'node:test';
import { taskStoreContract } from '../testing/task-store.ts';
import { memoryTasks } from './memory-tasks.ts';
import type { StoredTask } from './tasks.ts';

for (const { title, run } of taskStoreContract(async () => {
  const one = memoryTasks();
  return { one, other: one, close: async () => {} };
}))
  test(`tasks in memory: ${title}`, run);

function task(id: string, parts: Partial<StoredTask> = {}): StoredTask {
  return { id, queue: 'q', owner: '', version: 1, epoch: 0, open: true, text: '{}', ...parts };
}

test('a full store forgets what ended the longest ago, and nothing that is open', async () => {
  const store = memoryTasks({ maxTasks: 3 });
  for (const id of ['a', 'b', 'c']) assert.equal(await store.add(task(id), 100), 'added');
  assert.equal(await store.add(task('d'), 100), 'no-room');
  assert.equal(await store.swap(task('b', { version: 2, open: false })), true);
  assert.equal(await store.swap(task('a', { version: 2, open: false })), true);
  assert.equal(await store.add(task('d'), 100), 'added');
  assert.equal(await store.get('b'), undefined);
  assert.equal((await store.get('a'))?.version, 2);
  assert.equal(await store.add(task('e'), 100), 'added');
  assert.equal(await store.add(task('f'), 100), 'no-room');
  const left = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(async (id) => (await store.get(id)) !== undefined));
  assert.deepEqual(left, [false, false, true, true, true]);
});

test('where nothing can be forgotten a change that needs room rejects, and one that needs none succeeds', async () => {
  const store = memoryTasks({ maxBytes: 12_000 });
  const long = 'x'.repeat(2_000);
  assert.equal(await store.add(task('a', { text: long }), 100), 'added');
  assert.equal(await store.add(task('b', { text: long }), 100), 'added');
  assert.equal(await store.add(task('c', { text: long }), 100), 'no-room');
  await assert.rejects(store.swap(task('a', { version: 2, text: `${long}${long}` })), /no room/);
  assert.equal((await store.get('a'))?.version, 1);
  assert.equal(await store.swap(task('a', { version: 2, text: long, open: false })), true);
  assert.equal(await store.swap(task('b', { version: 2, text: `${long}${long}` })), true);
  assert.equal(await store.get('a'), undefined);
});

test('new tasks leave those that there are room to go on, and those leave each other room to end', async () => {
  const store = memoryTasks({ maxBytes: 100_000 });
  const long = 'x'.repeat(5_000);
  assert.equal(await store.add(task('ann'), 100), 'added');
  let added = 0;
  while ((await store.add(task(`eve ${added}`, { text: long }), 100)) === 'added') added++;
  assert.equal(added, 7, 'three quarters are taken');
  const grows = async (id: string, to: number, open: boolean): Promise<boolean> => {
    const version = ((await store.get(id))?.version ?? 0) + 1;
    return await store.swap(task(id, { version, open, text: 'x'.repeat(to) }));
  };
  assert.equal(await grows('ann', 3_000, true), true);
  assert.equal(await grows('eve 0', 7_000, true), true);
  await assert.rejects(grows('eve 0', 10_000, true), /no room/);
  await assert.rejects(grows('ann', 8_000, true), /no room/);
  assert.equal(await grows('ann', 8_000, false), true);
  assert.equal((await store.get('ann'))?.text.length, 8_000);
});

test('a change of what ended does not forget what is changed', async () => {
  const store = memoryTasks({ maxBytes: 10_000 });
  const long = 'x'.repeat(2_000);
  await store.add(task('a', { text: long, open: false }), 100);
  await store.add(task('b', { text: long, open: false }), 100);
  assert.equal(await store.swap(task('a', { version: 2, text: `${long}${long}`, open: false })), true);
  assert.equal((await store.get('a'))?.version, 2);
  assert.equal(await store.get('b'), undefined);
});

test('time is that of the clock that was given, and what has expired needs no place', async () => {
  let time = 0;
  const store = memoryTasks({ maxTasks: 1, now: () => time });
  await store.add(task('a', { dueInMs: 10, expiresInMs: 20 }), 1);
  const by = { node: 'n', forMs: 5, most: 1 };
  time = 9;
  assert.deepEqual(await store.claim('q', by), []);
  time = 10;
  assert.equal((await store.claim('q', by)).length, 1);
  time = 14;
  assert.deepEqual(await store.renew([{ id: 'a', epoch: 1 }], 3), []);
  time = 16;
  assert.deepEqual(await store.claim('q', by), []);
  time = 17;
  assert.equal((await store.claim('q', by))[0]?.epoch, 2);
  time = 19;
  assert.equal((await store.get('a'))?.expiresInMs, 1);
  time = 20;
  assert.equal(await store.get('a'), undefined);
  assert.equal(await store.add(task('b'), 1), 'added');
  assert.equal(await store.sweep(10), 0);
});

test('a claim for no time ends, and the task is due at once', async () => {
  const store = memoryTasks();
  await store.add(task('a', { dueInMs: 0 }), 1);
  const by = { node: 'n', forMs: 0, most: 10 };
  assert.equal((await store.claim('q', by)).length, 1);
  assert.equal((await store.claim('q', by))[0]?.epoch, 2);
});

test('options that make no sense are a mistake', () => {
  assert.throws(() => memoryTasks({ maxTask: 5 } as never), { name: 'TypeError', message: /"maxTask".*maxTasks/ });
  assert.throws(() => memoryTasks({ maxBytes: '5' } as never), { name: 'TypeError', message: /maxBytes/ });
  assert.throws(() => memoryTasks({ now: 5 } as never), { name: 'TypeError', message: /now/ });
});

test('an owner may take as much room as it leaves free, and others find the rest', async () => {
  const store = memoryTasks({ maxBytes: 100_000 });
  const text = 'x'.repeat(2_000);
  const added = async (parts: Partial<StoredTask>): Promise<number> => {
    for (let at = 0; ; at++)
      if ((await store.add(task(`${JSON.stringify(parts)} ${at}`, { text, ...parts }), 1_000)) !== 'added') return at;
  };
  const shares = [await added({ owner: 'eve' }), await added({ share: 'address a' }), await added({ owner: 'bob' })];
  assert.deepEqual(shares, [8, 4, 2]);
  assert.equal(await store.add(task('more', { owner: 'eve', text }), 1_000), 'no-room');
  assert.equal(await store.add(task('first', { owner: 'new', text }), 1_000), 'added');
});

test('one address takes at most half of the tasks of all clients without a principal', async () => {
  const store = memoryTasks();
  const most = 10;
  const outcomes: unknown[] = [];
  for (let at = 0; at < most; at++) outcomes.push(await store.add(task(`a${at}`, { share: 'address a' }), most));
  assert.equal(outcomes.filter((outcome) => outcome === 'added').length, 5);
  assert.equal(outcomes.at(-1), 'no-room');
  assert.equal(await store.add(task('b', { share: 'address b' }), most), 'added');
});

test('the ended tasks of whoever has the most make way first', async () => {
  const store = memoryTasks({ maxBytes: 100_000 });
  const text = 'x'.repeat(5_000);
  await store.add(task('ann', { owner: 'ann', open: false, text }), 100);
  for (let at = 0; at < 40; at++) await store.add(task(`eve ${at}`, { owner: 'eve', open: false, text }), 100);
  assert.equal((await store.get('ann'))?.id, 'ann');
  assert.equal(await store.get('eve 0'), undefined);
  assert.equal((await store.get('eve 39'))?.id, 'eve 39');
  assert.equal(await store.swap(task('ann', { version: 2, open: false, text: 'x' })), true);
});
