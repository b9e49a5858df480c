import type { RateDecision } from '../../storage/limits.ts';
import { equal, eventually } from '../tasks/checks.ts';
import type { StoreCheck } from './checks.ts';

/** A rate by which nothing comes back while a test runs. */
const slow = { perSecond: 0.0001, burst: 37 };

/** Promises of measures. */
export const limitChecks: readonly StoreCheck[] = [
  {
    title: 'a burst is granted once, over all processes',
    processes: 4,
    async check({ one, stores, name }) {
      const takes = await Promise.all(
        stores.flatMap(({ limits }) => Array.from({ length: 100 }, async () => await limits.take(name, slow))),
      );
      equal(takes.filter(({ ok }) => ok).length, 37, 'number of those that were granted');
      for (const take of takes) {
        const waitTimeoutMs = waitOf(take);
        equal(take.ok || (waitTimeoutMs > 0 && waitTimeoutMs <= 37e7), true, `${waitTimeoutMs} ms to wait`);
      }
      equal((await one.limits.take(`${name} 2`, slow)).ok, true, 'another measure');
    },
  },
  {
    title: 'a rejected request costs nothing, and more than the burst is never granted',
    async check({ one, other, name }) {
      equal((await one.limits.take(name, slow, 38)).ok, false, 'more than the burst');
      equal((await one.limits.take(name, slow, 30)).ok, true, 'most of it');
      for (let times = 0; times < 50; times++) equal((await other.limits.take(name, slow, 8)).ok, false, 'too much');
      equal((await other.limits.take(name, slow, 7)).ok, true, 'the rest');
      const take = await one.limits.take(name, slow);
      equal(take.ok, false, 'one more');
      equal(waitOf(take) > 9_000_000 && waitOf(take) <= 10_000_000, true, `${waitOf(take)} ms to wait for one`);
    },
  },
  {
    title: 'a measure comes back by its rate, and a burst that is left out is one second’s worth',
    async check({ one, other, name }) {
      const rate = { perSecond: 50 };
      const takes = await Promise.all(Array.from({ length: 80 }, async () => await one.limits.take(name, rate)));
      const granted = takes.filter(({ ok }) => ok).length;
      equal(granted >= 50, true, `${granted} that were granted at once`);
      await eventually('one comes back', async () => (await other.limits.take(name, rate)).ok);
      equal((await one.limits.take(`${name} slow`, { perSecond: 0.001 })).ok, true, 'one at least');
      equal((await one.limits.take(`${name} slow`, { perSecond: 0.001 })).ok, false, 'and no more');
    },
  },
];

function waitOf(take: RateDecision): number {
  return take.ok ? 0 : take.retryAfterMs;
}
