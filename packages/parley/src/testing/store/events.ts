import { equal } from '../tasks/checks.ts';
import { eachAtOnce, whyRefused, type StoreCheck } from './checks.ts';

/** Promises of the events of streams. */
export function eventChecks(races: number): readonly StoreCheck[] {
  return [...reading, ...writing, oneWriter(races)];
}

const reading: readonly StoreCheck[] = [
  {
    title: 'events are numbered from 1, and read after any of them in every process',
    async check({ one, other, name }) {
      const writer = await one.events.open(name).write('s', 'about it');
      const log = other.events.open(name);
      equal(await log.read('s', 0), { events: [], complete: false, about: 'about it' }, 'a stream without events');
      for (const [at, data] of ['a', '', 'ü😀\n\0'].entries()) equal(await writer.append(data), at + 1, 'the number');
      const last = { number: 3, data: 'ü😀\n\0' };
      const events = [{ number: 2, data: '' }, last];
      equal(await log.read('s', 1), { events, complete: false, about: 'about it' }, 'after the first');
      equal(await log.read('s', 3), { events: [], complete: false, about: 'about it' }, 'after the newest');
      equal(await log.read('s', 4), undefined, 'after one that is not there');
      equal(await writer.append('end', true), 4, 'the number of the last');
      equal(await log.read('s', 4), { events: [], complete: true, about: 'about it' }, 'when it is complete');
    },
  },
  {
    title: 'streams and sessions know nothing of each other',
    async check({ one, other, name }) {
      for (const session of [name, `${name} 2`])
        for (const stream of ['a', 'b'])
          await (await one.events.open(session).write(stream, '')).append(`${session}${stream}`);
      for (const session of [name, `${name} 2`]) {
        const data = (await other.events.open(session).read('b', 0))?.events.map((event) => event.data);
        equal(data, [`${session}b`], 'the events');
        equal(await other.events.open(session).read('c', 0), undefined, 'a stream without a writer');
        equal(await other.events.open(session).read('__proto__', 0), undefined, 'a name of the language');
      }
      await one.events.open(name).clear();
      equal(await other.events.open(name).read('a', 0), undefined, 'a session that was cleared');
      equal((await other.events.open(`${name} 2`).read('a', 0))?.events.length, 1, 'another session');
    },
  },
  {
    title: 'of more events than are kept a read gives all that followed, or nothing, and numbers count on',
    async check({ one, other, name }) {
      const writer = await one.events.open(name).write('s', '');
      const log = other.events.open(name);
      const count = 3_000;
      for (let from = 0; from < count; from += 500)
        await Promise.all(Array.from({ length: 500 }, async () => await writer.append('x'.repeat(500))));
      let whole = 0;
      for (const read of [0, 1, count - 500, count - 100, count - 1]) {
        const rest = await log.read('s', read);
        if (rest === undefined) continue;
        whole++;
        const numbers = rest.events.map(({ number }) => number);
        equal(numbers.join() === Array.from({ length: count - read }, (_, at) => read + 1 + at).join(), true, 'events');
      }
      equal(whole > 0, true, 'the newest can be read');
      equal(await writer.append('after'), count + 1, 'the next number');
    },
  },
  {
    title: 'an event of any length is counted, and what follows it can be read',
    async check({ one, other, name }) {
      const writer = await one.events.open(name).write('s', '');
      equal(await writer.append('x'.repeat(3 * 1024 * 1024)), 1, 'its number');
      equal(await writer.append('after'), 2, 'the next number');
      const rest = await other.events.open(name).read('s', 1);
      equal(rest?.events, [{ number: 2, data: 'after' }], 'what followed');
    },
  },
];

const writing: readonly StoreCheck[] = [
  {
    title: 'appends are done in order without a wait between them',
    async check({ one, other, name }) {
      const writer = await one.events.open(name).write('s', '');
      const numbers = Array.from({ length: 100 }, async (_, at) => await writer.append(String(at), at === 99));
      equal(
        (await Promise.all(numbers)).every((number, at) => number === at + 1),
        true,
        'the numbers',
      );
      const rest = await other.events.open(name).read('s', 0);
      equal(rest?.events.map(({ data }) => data).join(), Array.from({ length: 100 }, (_, at) => at).join(), 'events');
      equal(rest?.complete, true, 'complete');
    },
  },
  {
    title: 'a new writer of a stream continues its numbers, and fences the previous writer',
    async check({ one, other, name }) {
      const first = await one.events.open(name).write('s', 'first');
      await first.append('a');
      const second = await other.events.open(name).write('s', 'second');
      equal(await whyRefused(() => first.append('x')), 'fenced', 'the one before');
      equal(await whyRefused(() => first.append('x', true)), 'fenced', 'the one before, with a last event');
      equal(await second.append('b'), 2, 'the number');
      const again = await other.events.open(name).write('s', '');
      equal(await whyRefused(() => second.append('x')), 'fenced', 'one that fences itself');
      equal(await again.append('c', true), 3, 'the number of the last');
      const events = ['a', 'b', 'c'].map((data, at) => ({ number: at + 1, data }));
      equal(await one.events.open(name).read('s', 0), { events, complete: true, about: 'first' }, 'the stream');
    },
  },
  {
    title: 'who goes on by a mark is the writer, as often as it asks, and fences itself alone',
    async check({ one, other, name }) {
      const [log, there] = [one.events.open(name), other.events.open(name)];
      const first = await log.write('s', 'first');
      await first.append('a');
      const lost = await log.write('s', '', first.mark);
      const second = await log.write('s', '', first.mark);
      equal(await whyRefused(() => first.append('x')), 'fenced', 'an append of before');
      equal(await second.append('b'), 2, 'the number');
      const third = await there.write('s', '', second.mark);
      equal(await whyRefused(() => second.append('x')), 'fenced', 'an append before the second time');
      equal(await whyRefused(() => lost.append('x')), 'fenced', 'an append of an unknown writer');
      equal(await third.append('c'), 3, 'the number after the second time');
      const another = await there.write('s', '');
      for (const { mark } of [first, second, third])
        equal(await whyRefused(() => log.write('s', '', mark)), 'fenced', 'who goes on after another');
      equal(await whyRefused(() => log.write('s', '', 'made up')), 'fenced', 'a reader with an invalid mark');
      equal(await another.append('d', true), 4, 'the number of another');
      equal(await whyRefused(() => there.write('s', '', another.mark)), 'fenced', 'who goes on after the end');
      equal((await log.read('s', 0))?.events.map(({ data }) => data).join(), 'a,b,c,d', 'the stream');
    },
  },
  {
    title: 'a complete or cleared stream has no writer',
    async check({ one, other, name }) {
      const [log, there] = [one.events.open(name), other.events.open(name)];
      const writer = await log.write('s', '');
      await writer.append('end', true);
      equal(await whyRefused(() => writer.append('x')), 'fenced', 'its writer');
      equal(await whyRefused(() => there.write('s', '')), 'fenced', 'another one');
      const open = await log.write('t', '');
      await open.append('a');
      await log.clear();
      await log.clear();
      equal(await whyRefused(() => open.append('x')), 'fenced', 'a writer whose log was cleared');
      equal(await there.read('t', 0), undefined, 'the cleared stream');
      equal(await (await there.write('t', 'new')).append('a'), 1, 'a stream that begins again');
    },
  },
  {
    title: 'an append that fails is the last of its writer',
    async check({ one, other, name }) {
      const writer = await one.events.open(name).write('s', '');
      await writer.append('a');
      const begun = [writer.append('b')];
      const another = await other.events.open(name).write('s', '');
      const settled = await Promise.all(
        [...begun, ...Array.from({ length: 20 }, async () => await writer.append('x'))].map(async (append) => {
          try {
            return await append;
          } catch {
            return 'failed';
          }
        }),
      );
      const failed = settled.indexOf('failed');
      equal(failed >= 0 && settled.slice(failed).every((outcome) => outcome === 'failed'), true, 'all after the first');
      equal(await another.append('last'), failed + 2, 'the number after those that did not fail');
    },
  },
  {
    title: 'the description of a stream has a limit',
    async check({ one, name }) {
      const log = one.events.open(name);
      equal(await whyRefused(() => log.write('s', 'x'.repeat(65_537))), 'too-large', 'more than the limit');
      equal(await log.read('s', 0), undefined, 'the rejected append');
      await log.write('s', 'x'.repeat(65_536));
      equal((await log.read('s', 0))?.about.length, 65_536, 'the longest');
    },
  },
];

function oneWriter(races: number): StoreCheck {
  return {
    title: `of two that write a stream, ${races} times, one is its writer in the end`,
    async check({ one, other, name }) {
      await eachAtOnce(races, 100, async (at) => {
        const logs = [one, other].map(({ events }) => events.open(`${name} ${at}`));
        const writers = await Promise.all(logs.map(async (log) => await log.write('s', '')));
        const outcomes = await Promise.all(
          writers.map(async (writer) => await whyRefused(() => writer.append('x', true))),
        );
        equal(outcomes.toSorted(), ['fenced', 'none'], `the writers of race ${at}`);
        equal((await one.events.open(`${name} ${at}`).read('s', 0))?.events.length, 1, `the events of race ${at}`);
        await one.events.open(`${name} ${at}`).clear();
      });
    },
  };
}
