import type { MaybePromise } from '../storage/maybe-promise.ts';
import type { Store } from '../storage/store.ts';
import { busChecks } from './store/bus.ts';
import type { StoreCheck, StoreFault } from './store/checks.ts';
import { eventChecks } from './store/events.ts';
import { faultChecks } from './store/faults.ts';
import { historyChecks } from './store/histories.ts';
import { limitChecks } from './store/limits.ts';
import { recordChecks } from './store/records.ts';

/** Stores of several processes that see the same. */
export interface StoresUnderTest {
  /** One for each process; the same one again where a store cannot be shared. */
  readonly stores: readonly Store[];
  /** Counts the keys that the tests left in the engine, where that can be found out; those that are there now, expired or not. */
  left?(): MaybePromise<number>;
  /** Closes all of them, whatever the test came to. */
  close(): MaybePromise<void>;
}

/** Options of the tests of a store. */
export interface TestStoreOptions {
  /** Things that can befall the engine: the bus is tried under each, and whether every call ends. */
  readonly faults?: readonly StoreFault[];
  /** Number of races for each promise that somebody wins; 10,000 by default. */
  readonly races?: number;
  /** Number of histories of which each must be one that a single process could have had; 100 by default. */
  readonly histories?: number;
  /** Seed of the histories; one at random by default. A failure says it. */
  readonly seed?: number;
}

/** One test of what a store promises. */
export interface StoreTest {
  /** Sentence that says what is promised. */
  readonly title: string;
  /** Opens stores, tries them and closes them; rejects with what was not as it should be. */
  run(): Promise<void>;
}

/**
 * Makes the tests that every `Store` passes, for any test runner. Their keys are their own, so that a store may hold other things too; some wait until a few
 * milliseconds of its clock have passed, and one moves `Date.now` by an hour while it runs.
 *
 * @param open Opens stores for one test, as many as are asked for: 2 to 4.
 * @example
 * ```ts
 * for (const { title, run } of testStore(async () => ({ stores: [store, store], close: () => {} }))) test(title, run);
 * ```
 */
export function testStore(
  open: (processes: number) => MaybePromise<StoresUnderTest>,
  options: TestStoreOptions = {},
): readonly StoreTest[] {
  const { faults = [], races = 10_000, histories = 100, seed = Math.floor(Math.random() * 2 ** 31) } = options;
  const checks: readonly StoreCheck[] = [
    ...recordChecks(races),
    ...historyChecks(histories, seed),
    ...eventChecks(races),
    ...busChecks,
    ...limitChecks,
    ...faultChecks(faults),
  ];
  return checks.map(({ title, processes = 2, check }) => ({
    title,
    async run() {
      const { stores, left, close } = await open(processes);
      const [one, other = one] = stores;
      if (one === undefined || other === undefined) throw new Error('testStore needs a store at least');
      try {
        await check({ one, other, stores, left, name: `contract ${crypto.randomUUID()}` });
      } finally {
        await close();
      }
    },
  }));
}
