import type { MaybePromise } from '../../storage/maybe-promise.ts';
import { StoreError, type Store } from '../../storage/store.ts';

/** The stores of one test, with a name that no other test has. */
export interface TestedStore {
  readonly one: Store;
  readonly other: Store;
  readonly stores: readonly Store[];
  /** Begins every key of the test. */
  readonly name: string;
  readonly left: (() => MaybePromise<number>) | undefined;
}

/** One promise of a store, and what tries it. */
export interface StoreCheck {
  readonly title: string;
  /** Number of stores that it needs; 2 by default. */
  readonly processes?: number;
  check(tested: TestedStore): Promise<void>;
}

/** Something that can befall an engine, such as the death of its primary. */
export interface StoreFault {
  /** Sentence that says what befalls it. */
  readonly title: string;
  /**
   * Makes it happen.
   *
   * @returns Ends it; the engine must be well again some time after.
   */
  begin(): MaybePromise<() => MaybePromise<void>>;
}

/** A time that no test takes, in milliseconds. */
export const lasting = 600_000;

/** The reason for which something is refused; `none` where it is not. */
export async function whyRefused(run: () => unknown): Promise<string> {
  try {
    await run();
    return 'none';
  } catch (error) {
    if (error instanceof StoreError) return error.reason;
    throw error;
  }
}

/** Runs something for each number below another, so many at once. */
export async function eachAtOnce(times: number, atOnce: number, run: (at: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < times; from += atOnce)
    await Promise.all(Array.from({ length: Math.min(atOnce, times - from) }, (_, at) => run(from + at)));
}
