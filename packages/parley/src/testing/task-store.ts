import type { TaskStore } from '../storage/tasks.ts';
import type { TaskStoreCheck } from './tasks/checks.ts';
import { claimTests } from './tasks/claims.ts';
import { keepingTests } from './tasks/keeping.ts';
import { timeTests } from './tasks/times.ts';

/** Two stores that share what they keep, as those of two processes do. */
export interface SharedTaskStores {
  /** One connection to the tasks. */
  readonly one: TaskStore;
  /** Another connection to the same tasks; `one` again for a store that cannot be shared. */
  readonly other: TaskStore;
  /** Closes both, whatever the test came to. */
  close(): Promise<void>;
}

/** One test of what a store of tasks promises. */
export interface TaskStoreTest {
  /** Sentence that says what is promised. */
  readonly title: string;
  /** Opens stores, tries them and closes them; rejects with what was not as it should be. */
  run(): Promise<void>;
}

/**
 * Makes the tests that every store of tasks passes, for any test runner. They use names of their own, so that a store may have other tasks
 * too; some of them wait until a few milliseconds of the store's clock have passed.
 *
 * @param open Opens the stores for one test.
 * @example
 * ```ts
 * for (const { title, run } of taskStoreContract(async () => ({ one: store, other: store, close: async () => {} }))) test(title, run);
 * ```
 */
export function taskStoreContract(open: () => Promise<SharedTaskStores>): readonly TaskStoreTest[] {
  return [...keepingTests, ...claimTests, ...timeTests].map(({ title, check }: TaskStoreCheck) => ({
    title,
    async run() {
      const { one, other, close } = await open();
      try {
        await check({ one, other, queue: `contract ${crypto.randomUUID()}` });
      } finally {
        await close();
      }
    },
  }));
}
