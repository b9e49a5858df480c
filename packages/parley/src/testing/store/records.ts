import { maxRecordLength } from '../../storage/records.ts';
import type { Store } from '../../storage/store.ts';
import { equal, eventually } from '../tasks/checks.ts';
import { eachAtOnce, lasting, whyRefused, type StoreCheck } from './checks.ts';

/** Promises of records. */
export function recordChecks(races: number): readonly StoreCheck[] {
  return [...keeping, ...expiring, ...racing(races)];
}

const keeping: readonly StoreCheck[] = [
  {
    title: 'a record is added once, and read in every process',
    async check({ one, other, name }) {
      equal(await one.records.add(name, 'first', lasting), true, 'adding');
      equal(await other.records.add(name, 'second', lasting), false, 'adding what is there');
      equal((await other.records.get(name))?.text, 'first', 'the text');
      equal(await other.records.get(`${name} not`), undefined, 'a missing record');
      await other.records.delete(name);
      await other.records.delete(name);
      equal(await one.records.get(name), undefined, 'the deleted record');
      equal(await one.records.add(name, 'second', lasting), true, 'adding it again');
    },
  },
  {
    title: 'a put replaces the version that was read, or no record, or any version',
    async check({ one, other, name }) {
      equal(await one.records.put(name, 'x', lasting, 1), undefined, 'instead of a version that never existed');
      const first = await one.records.put(name, 'first', lasting, 0);
      equal(await other.records.put(name, 'x', lasting, 0), undefined, 'instead of no record, although one exists');
      equal(await other.records.get(name), { text: 'first', version: first }, 'the first version');
      const second = await other.records.put(name, 'second', lasting, first);
      equal(await one.records.put(name, 'x', lasting, first), undefined, 'instead of an old version');
      const third = await one.records.put(name, 'third', lasting);
      equal(await other.records.get(name), { text: 'third', version: third }, 'the third version');
      equal(ascends([0, first, second, third]), true, `the versions ${first}, ${second}, ${third}`);
    },
  },
  {
    title: 'versions grow over deletes and expiries',
    async check({ one, other, name }) {
      const versions = [await one.records.put(name, '', lasting)];
      for (let times = 0; times < 20; times++) {
        await other.records.delete(name);
        versions.push(await one.records.put(name, '', lasting, 0), await other.records.put(name, '', 1));
        await eventually('it expires', async () => (await one.records.get(name)) === undefined);
        versions.push(await other.records.put(name, '', lasting));
      }
      equal(ascends(versions), true, `the versions ${versions.join(', ')}`);
    },
  },
  {
    title: 'texts and keys come back character for character',
    async check({ one, other, name }) {
      const texts = ['', ' ', '\0', '"\\\n\r', 'é\u2028😀', '{"a":1}', '__proto__', '𝒳'.repeat(50_000)];
      for (const text of texts) {
        await one.records.put(name, text, lasting);
        equal((await other.records.get(name))?.text === text, true, `a text of ${text.length} characters`);
      }
      const keys = ['__proto__', '{a}', 'a:b', '*', 'ü 😀', '\0', 'k'.repeat(2_048 - name.length)];
      for (const key of keys) equal(await one.records.add(name + key, key, lasting), true, `the key ${key}`);
      for (const key of keys) equal((await other.records.get(name + key))?.text, key, `the record under ${key}`);
    },
  },
  {
    title: 'the longest text is kept, and a longer one refused with nothing changed',
    async check({ one, other, name }) {
      const longest = 'x'.repeat(maxRecordLength);
      equal(await whyRefused(() => one.records.add(name, `${longest}x`, lasting)), 'too-large', 'adding');
      equal(await one.records.add(name, longest, lasting), true, 'the longest one');
      equal(await whyRefused(() => one.records.put(name, `${longest}x`, lasting)), 'too-large', 'putting');
      equal((await other.records.get(name))?.text.length, maxRecordLength, 'its length');
      await one.records.delete(name);
    },
  },
];

const expiring: readonly StoreCheck[] = [
  {
    title: 'a record whose time is over is gone everywhere, and its key is free',
    async check({ one, other, name }) {
      await one.records.add(name, 'old', 20);
      await eventually('it expires', async () => (await other.records.get(name)) === undefined);
      equal(await other.records.touch(name, lasting), false, 'touching it');
      equal(await other.records.put(name, 'x', lasting, 1), undefined, 'putting in its place');
      equal(await other.records.add(name, 'new', lasting), true, 'adding anew');
      equal((await one.records.get(name))?.text, 'new', 'the stored record');
    },
  },
  {
    title: 'a record that is touched has its time from then on, with its text and version',
    async check({ one, other, name }) {
      // On a busy machine a short time may be over before the touch: then it is tried with a longer one.
      for (let ttlMs = 20; ; ttlMs *= 2) {
        const version = await one.records.put(name, 'text', ttlMs);
        const marker = `${name} marker`;
        await one.records.put(marker, '', ttlMs * 2);
        if (!(await other.records.touch(name, lasting))) continue;
        await eventually('as long passes', async () => (await one.records.get(marker)) === undefined);
        equal(await one.records.get(name), { text: 'text', version }, 'the record');
        break;
      }
      equal(await one.records.touch(name, 5), true, 'touching it for less');
      await eventually('it expires', async () => (await other.records.get(name)) === undefined);
    },
  },
  {
    title: 'a clock of a process that is an hour off changes no time',
    async check({ one, other, name }) {
      const rate = { perSecond: 0.001, burst: 1 };
      await one.records.put(name, 'kept', lasting);
      await (await one.events.open(name).write('s', '')).append('kept');
      await one.limits.take(name, rate);
      const now = Date.now;
      for (const hours of [1, -1]) {
        Date.now = () => now() + hours * 3_600_000;
        try {
          equal((await other.records.get(name))?.text, 'kept', 'a record');
          equal((await other.events.open(name).read('s', 0))?.events.length, 1, 'events');
          equal((await other.limits.take(name, rate)).ok, false, 'a measure that is empty');
          await other.records.put(`${name} ${hours}`, 'kept', lasting);
        } finally {
          Date.now = now;
        }
        equal((await one.records.get(`${name} ${hours}`))?.text, 'kept', 'a record that was put meanwhile');
      }
    },
  },
  {
    title: 'nothing is left when everything was deleted, cleared and expired',
    async check({ one, other, left, name }) {
      if (left === undefined) return;
      const before = await left();
      await one.records.put(`${name} deleted`, 'x', lasting);
      await one.records.put(`${name} expired`, 'x', 5);
      await one.limits.take(name, { perSecond: 1_000 });
      const log = one.events.open(name);
      for (const stream of ['a', 'b']) await (await log.write(stream, 'x')).append('x', stream === 'a');
      await other.records.delete(`${name} deleted`);
      await other.events.open(name).clear();
      await eventually('nothing is left', async () => (await left()) <= before);
    },
  },
];

function racing(races: number): readonly StoreCheck[] {
  return [
    {
      title: `of two that add the same, ${races} times, one does`,
      async check({ one, other, name }) {
        await eachAtOnce(races, 200, async (at) => {
          const key = `${name} ${at}`;
          const added = await Promise.all(each(one, other, async ({ records }) => await records.add(key, '', lasting)));
          equal(added.filter(Boolean).length, 1, `winners of race ${at}`);
          await one.records.delete(key);
        });
      },
    },
    {
      title: `of two puts that replace the same version, ${races} times, one does`,
      async check({ one, other, name }) {
        await eachAtOnce(races, 200, async (at) => {
          const key = `${name} ${at}`;
          const version = await one.records.put(key, 'first', lasting, 0);
          const put = await Promise.all(
            each(one, other, async ({ records }, who) => await records.put(key, String(who), lasting, version)),
          );
          equal(put.filter((won) => won !== undefined).length, 1, `winners of race ${at}`);
          const kept = await other.records.get(key);
          const winner = put.findIndex((won) => won !== undefined);
          equal(kept, { text: String(winner), version: put[winner] }, `the record of race ${at}`);
          await other.records.delete(key);
        });
      },
    },
  ];
}

function each<Result>(one: Store, other: Store, run: (store: Store, who: number) => Result): Result[] {
  return [one, other].map(run);
}

function ascends(versions: readonly (number | undefined)[]): boolean {
  return versions.every(
    (version, at) => Number.isSafeInteger(version) && (at === 0 || Number(version) > Number(versions[at - 1])),
  );
}
