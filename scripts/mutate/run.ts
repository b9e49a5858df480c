/** Runs test files in one process, which ends at the first failure. */

import { spawn } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Mutant } from './mutants.ts';

export interface RunEnd {
  /** The test file that was running at the end. */
  readonly test: string;
  /** The test that failed, or how the process ended; undefined if all passed. */
  readonly failure: string | undefined;
  /** Seconds of the processor. */
  readonly cpu: number;
}

/** What `child.ts` and its reporter write. */
export interface Progress {
  readonly started?: string;
  readonly failed?: string;
  readonly cpu?: number;
  /** Seconds since it last did something. */
  readonly idle?: number;
}

/** Runs the files with the fault. With `profiles` it notes in that folder which code ran. */
export async function runTests(
  tests: readonly string[],
  seconds: (test: string) => number,
  { mutant, profiles }: { readonly mutant?: Mutant; readonly profiles?: string },
): Promise<RunEnd> {
  const cache = profiles === undefined ? ['--import', './test/compile-cache.ts'] : [];
  const reporter = ['--test-reporter=./scripts/mutate/reporter.ts', '--test-reporter-destination=stdout'];
  const task = { MUTATE_TASK: JSON.stringify({ mutant, tests }), ...(profiles && { NODE_V8_COVERAGE: profiles }) };
  const child = spawn(
    process.execPath,
    ['--max-old-space-size=600', ...cache, ...reporter, './scripts/mutate/child.ts'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...task },
    },
  );
  let [test, cpu] = ['', 0];
  let failure: string | undefined;
  let limit: NodeJS.Timeout | undefined;
  // The fourth entry of `stdio` makes it a pipe to read from.
  createInterface({ input: child.stdio[3] as Readable }).on('line', (line) => {
    const progress = JSON.parse(line) as Progress;
    failure ??= progress.failed;
    cpu = progress.cpu ?? cpu;
    if ((progress.idle ?? 0) > seconds(test) / 2) child.kill('SIGKILL');
    if (progress.started === undefined) return;
    test = progress.started;
    clearTimeout(limit);
    limit = setTimeout(() => child.kill('SIGKILL'), seconds(test) * slowness() * 1_000);
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  clearTimeout(limit);
  return { test, failure: failure ?? (code === 0 ? undefined : code === null ? 'time limit' : 'crash'), cpu };
}

/** How much longer than on a quiet machine a test takes now. */
function slowness(): number {
  return Math.max(1, (loadavg()[0] ?? 0) / availableParallelism() / 2);
}
