import { maxBusTextLength } from '../../storage/bus.ts';
import { equal, eventually } from '../tasks/checks.ts';
import { whyRefused, type StoreCheck } from './checks.ts';

const ignore = (): void => undefined;

/** Promises of the bus. */
export const busChecks: readonly StoreCheck[] = [
  {
    title: 'texts reach the listeners of their channel alone, in the order in which a process published them',
    async check({ one, other, name }) {
      const heard: string[] = [];
      const strange: string[] = [];
      const ends = [
        await other.bus.subscribe(name, (text) => heard.push(text), ignore),
        await other.bus.subscribe(`${name}2`, (text) => strange.push(text), ignore),
        await one.bus.subscribe('*', (text) => strange.push(text), ignore),
      ];
      const texts = ['', ' ', 'ü😀\n\0"', ...Array.from({ length: 500 }, (_, at) => String(at))];
      const counts = await Promise.all(texts.map(async (text) => await one.bus.publish(name, text)));
      equal(
        counts.every((count) => count > 0),
        true,
        `the counts ${counts.slice(0, 5).join(', ')}…`,
      );
      await eventually('all are received', async () => heard.length >= texts.length);
      equal(heard.join('|') === texts.join('|'), true, 'the order');
      equal(strange, [], 'what others hear');
      for (const end of ends) await end();
    },
  },
  {
    title: 'a text without listeners counts as 0, and later listeners do not receive it',
    async check({ one, other, name }) {
      equal(await one.bus.publish(name, 'early'), 0, 'before anybody listens');
      const heard: string[] = [];
      const end = await other.bus.subscribe(name, (text) => heard.push(text), ignore);
      equal((await one.bus.publish(name, 'now')) > 0, true, 'with a listener');
      await eventually('it is received', async () => heard.length > 0);
      await end();
      await end();
      equal(await one.bus.publish(name, 'late'), 0, 'without listeners again');
      equal(heard, ['now'], 'the received texts');
    },
  },
  {
    title: 'a subscription hears everything from when it resolves, and nothing from when its end is called',
    async check({ one, other, name }) {
      for (let times = 0; times < 50; times++) {
        const heard: string[] = [];
        const end = await other.bus.subscribe(`${name} ${times}`, (text) => heard.push(text), ignore);
        await one.bus.publish(`${name} ${times}`, 'heard');
        await eventually('it is received', async () => heard.length > 0);
        const ended = end();
        const before = heard.length;
        await one.bus.publish(`${name} ${times}`, 'not heard');
        await ended;
        equal(heard.length, before, 'the texts received after the end');
      }
    },
  },
  {
    title: 'one of two subscriptions of a listener ends alone, and who publishes hears itself',
    async check({ one, name }) {
      const heard: string[] = [];
      const hear = (text: string): void => void heard.push(text);
      const [first, second] = [
        await one.bus.subscribe(name, hear, ignore),
        await one.bus.subscribe(name, hear, ignore),
      ];
      await one.bus.publish(name, 'both');
      await eventually('both hear', async () => heard.length === 2);
      await first();
      equal((await one.bus.publish(name, 'one')) > 0, true, 'the count');
      await eventually('one hears', async () => heard.length === 3);
      await second();
      equal(heard, ['both', 'both', 'one'], 'the received texts');
    },
  },
  {
    title: 'the longest text is carried, and a longer one refused',
    async check({ one, other, name }) {
      const heard: number[] = [];
      const end = await other.bus.subscribe(name, (text) => heard.push(text.length), ignore);
      equal(
        await whyRefused(() => one.bus.publish(name, 'x'.repeat(maxBusTextLength + 1))),
        'too-large',
        'a longer one',
      );
      await one.bus.publish(name, '😀'.repeat(maxBusTextLength / 2));
      await eventually('it is received', async () => heard.length > 0);
      equal(heard, [maxBusTextLength], 'its length');
      await end();
    },
  },
];
