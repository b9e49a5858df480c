import { added, equal, only, present, race, racers, taskOf, eventually, type TaskStoreCheck } from './checks.ts';

const long = { node: 'node', forMs: 3_600_000 };

/** Promises about who works on a task. */
export const claimTests: readonly TaskStoreCheck[] = [
  {
    title: 'a claim gets the tasks that are open and due in its queue, and no others',
    async check({ one, other, queue }) {
      const due = await added(one, taskOf(queue, { text: 'due' }));
      await added(one, taskOf(queue, { dueInMs: 3_600_000 }));
      await added(one, taskOf(queue, { dueInMs: undefined }));
      await added(one, taskOf(queue, { dueInMs: 'keep' }));
      await added(one, taskOf(`${queue} too`));
      const ended = await added(one, taskOf(queue));
      equal(await one.swap({ ...ended, version: 2, open: false, dueInMs: 0 }), true, 'ending one');
      const { id, version, epoch, open, text } = only(await other.claim(queue, { ...long, most: 10 }), 'a claim');
      equal([id, version, epoch, open, text], [due.id, 2, 1, true, 'due'], 'the claimed tasks');
      equal(await one.claim(queue, { ...long, most: 10 }), [], 'the rest to claim');
    },
  },
  {
    title: 'a claim is a change: a swap that did not see it fails, and the next one succeeds',
    async check({ one, other, queue }) {
      const task = await added(one, taskOf(queue));
      const claimed = only(await other.claim(queue, { ...long, most: 1 }), 'a claim');
      equal(await one.swap({ ...task, version: 2, text: 'late' }), false, 'a swap over the version before the claim');
      equal(await other.swap({ ...claimed, version: 3, dueInMs: 'keep', text: 'done' }), true, 'a swap over the claim');
      const { epoch, text } = await present(one, task.id);
      equal([epoch, text], [1, 'done'], 'the written task');
    },
  },
  {
    title: 'a claim gets no more than it wants, first tasks that had a lease, then those that are due the longest',
    async check({ one, other, queue }) {
      const later = await added(one, taskOf(queue, { dueInMs: undefined }));
      const sooner = await added(one, taskOf(queue));
      equal(await one.swap({ ...later, version: 2, dueInMs: 1 }), true, 'making one due after another');
      const begun = await added(one, taskOf(queue));
      await eventually('the later one is due', async () => (await present(one, later.id)).dueInMs === 0);
      equal(await one.swap({ ...begun, version: 2, epoch: 1, dueInMs: 0 }), true, 'giving one back');
      for (const { id } of [begun, sooner, later])
        equal(only(await other.claim(queue, { ...long, most: 1 }), 'a claim').id, id, 'the next');
      equal(await other.claim(queue, { ...long, most: 1 }), [], 'the rest');
    },
  },
  {
    title: 'of many who claim no two get the same task, and together they get all',
    async check(stores) {
      const { one, queue } = stores;
      const ids = new Set<string>();
      for (let at = 0; at < 100; at++) ids.add((await added(one, taskOf(queue))).id);
      const claims = await race(stores, racers, (store) => store.claim(queue, { ...long, most: 3 }));
      equal(claims.filter((claimed) => claimed.length > 3).length, 0, 'claims that got more than they wanted');
      const found = claims.flat().map(({ id }) => id);
      equal(new Set(found).size, found.length, 'tasks that were claimed');
      // Who comes while another claims may be given less than there is.
      await eventually('the rest is claimed', async () => {
        const rest = await one.claim(queue, { ...long, most: 100 });
        found.push(...rest.map(({ id }) => id));
        return found.length >= 100;
      });
      equal(found.toSorted(), [...ids].toSorted(), 'all that were claimed');
    },
  },
  {
    title: 'another process claims a task whose lease ended, and the first one finds that it lost it',
    async check({ one, other, queue }) {
      const { id } = await added(one, taskOf(queue));
      const first = only(await one.claim(queue, { node: 'first', forMs: 1, most: 1 }), 'a claim');
      const [second] = await eventually('the lease ends', async () => {
        const claimed = await other.claim(queue, { ...long, most: 1 });
        return claimed.length > 0 && claimed;
      });
      equal([second?.id, second?.epoch, second?.version], [id, 2, 3], 'what the second got');
      equal(await one.renew([first], 60_000), [id], 'what the first lost');
      equal(await one.swap({ ...first, version: first.version + 1, open: false }), false, 'a late commit of the first');
      equal(await other.renew([{ id, epoch: 2 }], 60_000), [], 'what the second lost');
    },
  },
  {
    title: 'a renewal holds, also of an ended lease that no process took, and no swap undoes it',
    async check({ one, other, queue }) {
      const { id } = await added(one, taskOf(queue));
      const claimed = only(await one.claim(queue, { node: 'node', forMs: 1, most: 1 }), 'a claim');
      await eventually('the lease ends', async () => (await present(one, id)).dueInMs === 0);
      equal(await one.renew([{ id, epoch: 1 }], 3_600_000), [], 'the lost tasks');
      equal(await other.claim(queue, { ...long, most: 1 }), [], 'the due tasks');
      equal((await present(other, id)).version, claimed.version, 'the version after a renewal');
      const next = { ...claimed, version: claimed.version + 1 };
      equal(await one.swap({ ...next, dueInMs: 'keep', text: 'more' }), true, 'a swap that keeps the lease');
      equal(await other.claim(queue, { ...long, most: 1 }), [], 'the tasks that are due after it');
      equal(await one.swap({ ...next, version: next.version + 1, dueInMs: 0 }), true, 'giving it back');
      equal(only(await other.claim(queue, { ...long, most: 1 }), 'a claim').epoch, 2, 'the next epoch');
    },
  },
  {
    title: 'who takes a task by a swap has a lease like any other',
    async check({ one, other, queue }) {
      const task = await added(one, taskOf(queue, { dueInMs: 3_600_000 }));
      equal(await one.swap({ ...task, version: 2, epoch: 1, dueInMs: 1 }), true, 'taking it');
      equal(await one.renew([{ id: task.id, epoch: 1 }], 1), [], 'the lost tasks');
      await eventually('the lease ends', async () => (await other.claim(queue, { ...long, most: 1 })).length === 1);
      equal(await one.renew([{ id: task.id, epoch: 1 }], 1), [task.id], 'the tasks lost then');
    },
  },
  {
    title: 'a renewal says which leases were lost, and renews the others',
    async check({ one, other, queue }) {
      const names = ['held', 'taken', 'ended', 'parked'] as const;
      for (const id of names) await added(one, taskOf(queue, { id: `${id}-${crypto.randomUUID()}`, text: id }));
      const claimed = await one.claim(queue, { node: 'node', forMs: 3_600_000, most: 10 });
      const [held, taken, ended, parked] = names.map((name) => claimed.find(({ text }) => text === name));
      if (held === undefined || taken === undefined || ended === undefined || parked === undefined)
        throw new Error('a claim of all tasks has not got all of them');
      const next = { version: 3, dueInMs: 3_600_000 };
      equal(await other.swap({ ...taken, ...next, epoch: 2 }), true, 'taking one');
      equal(await other.swap({ ...ended, ...next, open: false, dueInMs: undefined }), true, 'ending one');
      equal(await other.swap({ ...parked, ...next, dueInMs: undefined }), true, 'letting one wait');
      const unknown = { id: 'nobody-added-this', epoch: 1 };
      const lost = await one.renew([parked, taken, unknown, held, ended], 7_200_000);
      const expected = [taken.id, ended.id, parked.id, unknown.id].toSorted();
      equal(lost.toSorted(), expected, 'the lost tasks');
      const left = [];
      for (const { id } of [held, taken, ended, parked]) left.push((await present(other, id)).dueInMs ?? null);
      equal(
        left.map((ms) => typeof ms === 'number' && ms > 3_600_000),
        [true, false, false, false],
        'which were renewed',
      );
      equal([left[2], left[3]], [null, null], 'those that are never due');
      equal(await one.renew([], 60_000), [], 'renewing nothing');
    },
  },
];
