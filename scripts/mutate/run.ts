/** Runs test files in one process, which ends at the first failure. */

import { spawnSync } from 'node:child_process';
import type { Mutant } from './mutants.ts';

/** What `child.ts` does. */
export interface Task {
  readonly tests: readonly string[];
  readonly mutant?: Mutant;
  /** The file to which it adds which code each test file runs. It then continues after a failure. */
  readonly reach?: string;
}

/** Returns the test file that was running at the end, and the test that failed, or how the process ended. */
export function runTests(task: Task, maxCpuSeconds: number): { readonly test: string; readonly failure?: string } {
  // Code from the cache has no counters.
  const cache = task.reach === undefined ? ['--import=./test/compile-cache.ts'] : [];
  const reporter = ['--test-reporter=./scripts/mutate/child.ts', '--test-reporter-destination=stdout'];
  // Processor time, since a busy machine is no failure.
  const limited = ['-c', `ulimit -t ${maxCpuSeconds}; exec "$0" "$@"`, process.execPath];
  const { output, status } = spawnSync('sh', [...limited, ...cache, ...reporter, './scripts/mutate/child.ts'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    env: { ...process.env, MUTATE_TASK: JSON.stringify(task) },
  });
  const [test = '', failed] = String(output[3]).trim().split('\n').at(-1)?.split('\t') ?? [];
  const failure = failed ?? (status === null ? 'time limit' : 'crash');
  return status === 0 ? { test } : { test, failure };
}
