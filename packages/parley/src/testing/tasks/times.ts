import { added, equal, only, plenty, present, taskOf, eventually, type TaskStoreCheck } from './checks.ts';

const long = { node: 'node', forMs: 3_600_000 };
const day = 86_400_000;

/** Promises about time, which is that of the store. */
export const timeTests: readonly TaskStoreCheck[] = [
  {
    title: 'the read task has the time that is left',
    async check({ one, other, queue }) {
      const { id } = await added(one, taskOf(queue, { dueInMs: 500_000, expiresInMs: day }));
      const bare = await added(one, taskOf(queue, { owner: 'another', dueInMs: undefined }));
      for (const task of [
        await present(other, id),
        only(await other.list({ queue, owner: 'somebody' }, '', 9), 'a list'),
      ]) {
        equal(within(task.dueInMs, 400_000, 500_001), true, `${task.dueInMs} ms until it is due`);
        equal(within(task.expiresInMs, day - 100_000, day + 1), true, `${task.expiresInMs} ms until it is gone`);
      }
      const { dueInMs, expiresInMs } = await present(other, bare.id);
      equal([dueInMs ?? 'never', expiresInMs ?? 'never'], ['never', 'never'], 'times that were left out');
      await added(one, taskOf(queue, { dueInMs: 0 }));
      const claimed = only(await other.claim(queue, { node: 'node', forMs: 60_000, most: 5 }), 'a claim');
      equal(within(claimed.dueInMs, 1, 60_001), true, `${claimed.dueInMs} ms of a claim`);
    },
  },
  {
    title: 'a task whose time has come is gone everywhere, and its id and its place are free',
    async check({ one, other, queue }) {
      const task = await added(one, taskOf(queue, { expiresInMs: 30 }));
      await eventually('it is gone', async () => (await other.get(task.id)) === undefined);
      equal(await other.swap({ ...task, version: 2 }), false, 'a swap');
      equal(await other.claim(queue, { ...long, most: 5 }), [], 'a claim');
      equal(await other.renew([{ id: task.id, epoch: 0 }], 60_000), [task.id], 'a renewal');
      equal(await other.list({ queue, owner: 'somebody' }, undefined, 5), [], 'a list');
      equal(await other.add({ ...task, text: 'anew', expiresInMs: day }, 1), 'added', 'adding it again');
      equal((await present(one, task.id)).text, 'anew', 'the stored task');
      equal(await one.add(taskOf(queue), 1), 'full', 'one more than there may be');
    },
  },
  {
    title: 'a claim and a renewal do not change when a task is gone',
    async check({ one, other, queue }) {
      const { id } = await added(one, taskOf(queue, { expiresInMs: 200 }));
      const claimed = await one.claim(queue, { ...long, most: 1 });
      await one.renew(claimed, 7_200_000);
      await eventually('it is gone', async () => (await other.get(id)) === undefined);
    },
  },
  {
    title: 'a swap may set another expiry, and keeps the old one otherwise',
    async check({ one, other, queue }) {
      const task = await added(one, taskOf(queue, { expiresInMs: 3_600_000 }));
      equal(await one.swap({ ...task, version: 2, expiresInMs: undefined }), true, 'a swap that says nothing');
      const left = (await present(other, task.id)).expiresInMs;
      equal(within(left, 1, 3_600_001), true, `${left} ms`);
      equal(await one.swap({ ...task, version: 3, expiresInMs: day }), true, 'a swap that says more');
      const more = (await present(other, task.id)).expiresInMs;
      equal(within(more, day - 100_000, day + 1), true, `${more} ms`);
      equal(await one.swap({ ...task, version: 4, open: false, expiresInMs: 1 }), true, 'a swap that says less');
      await eventually('it is gone', async () => (await other.get(task.id)) === undefined);
      const endless = await added(one, taskOf(queue));
      equal(await one.swap({ ...endless, version: 2, expiresInMs: 1 }), true, 'a swap that says it first');
      await eventually('it is gone', async () => (await other.get(endless.id)) === undefined);
    },
  },
  {
    title: 'times may have fractions, and be as long as one likes',
    async check({ one, other, queue }) {
      const task = await added(one, taskOf(queue, { dueInMs: 1e15 + 0.5, expiresInMs: Number.MAX_SAFE_INTEGER }));
      equal(await one.swap({ ...task, version: 2, epoch: 1, dueInMs: 0.4, expiresInMs: 1e18 }), true, 'a swap');
      const claim = { node: 'node', forMs: 1e16 + 0.25, most: 1 };
      await eventually('it is due', async () => (await other.claim(queue, claim)).length === 1);
      equal(await other.renew([{ id: task.id, epoch: 2 }], Number.MAX_VALUE), [], 'the lost tasks');
      equal((await present(one, task.id)).version, 3, 'its version');
    },
  },
  {
    title: 'the clocks of those who use a store do not matter',
    async check({ one, other, queue }) {
      const { id } = await asOf(day, () => added(one, taskOf(queue, { expiresInMs: 3_600_000 })));
      const claim = { node: 'node', forMs: 3_600_000, most: 1 };
      equal(only(await asOf(-day, () => one.claim(queue, claim)), 'a late claim').id, id, 'what it got');
      equal(await asOf(day, () => other.claim(queue, claim)), [], 'an early claim');
      equal(await asOf(day, async () => (await other.get(id))?.version), 2, 'what who is early reads');
      equal(await asOf(-day, () => one.renew([{ id, epoch: 1 }], 3_600_000)), [], 'what who is late lost');
      equal(await asOf(2 * day, () => other.claim(queue, claim)), [], 'an earlier claim');
      await asOf(2 * day, () => other.sweep(10));
      equal((await present(one, id)).version, 2, 'the stored tasks after a sweep');
    },
  },
  {
    title: 'sweeping removes expired tasks, a few at once, and no others',
    async check({ one, other, queue }) {
      const stays = await added(one, taskOf(queue, { expiresInMs: day }));
      const endless = await added(one, taskOf(queue, { open: false, dueInMs: undefined }));
      const gone = [];
      for (let at = 0; at < 5; at++) gone.push(await added(one, taskOf(queue, { expiresInMs: 1 })));
      for (const { id } of gone) await eventually('it is gone', async () => (await one.get(id)) === undefined);
      for (let turns = 0; turns < 1000; turns++) {
        const swept = await other.sweep(2);
        equal(within(swept, 0, 2), true, `${swept} that were swept`);
        if (swept < 2) break;
      }
      const listed = await one.list({ queue, owner: 'somebody' }, undefined, 10);
      equal(
        listed.map(({ id }) => id),
        [stays.id, endless.id].toSorted(),
        'what stays',
      );
      for (const task of gone) equal(await other.add(task, plenty), 'added', 'an id that is free again');
    },
  },
];

function within(value: number | string | undefined, least: number, most: number): boolean {
  return typeof value === 'number' && value >= least && value <= most;
}

/** Runs something as a process does whose clock is wrong by so many milliseconds. */
async function asOf<Result>(ms: number, run: () => Promise<Result>): Promise<Result> {
  const { now } = Date;
  Date.now = () => now() + ms;
  try {
    return await run();
  } finally {
    Date.now = now;
  }
}
