/**
 * Runs the tests: `node scripts/test.ts fast | all | nightly` a tier, `node scripts/test.ts <file, folder or part of a name> …` what is named.
 *
 * Files share processes, one after another in each. Those that cannot are listed in `scripts/test/tiers.ts` with the reason. The files that took longest in the last run start first.
 * Slow files that mostly wait (`waitingFiles` in `scripts/test/tiers.ts`) run beside the others from the beginning.
 *
 * - `--watch` runs again when a source or a test changes.
 * - `--name <text>` runs the tests whose name contains the text.
 * - `--random [seed]` shuffles the files, and the tests inside them.
 * - `--files` prints a line for every file, also when there are many.
 * - `--jobs <n>` sets how many processes run at once: by default, on two processors, four for fast files, then six for slow ones, and beside them four for files that wait.
 * - `--starved` delays the processes and their threads, as a busy machine does.
 */

import { parseArgs } from 'node:util';
import { buildOnce } from './built.ts';
import { installPeers } from './peers.ts';
import { filesOf, namedFiles, type Tier } from './test/files.ts';
import { runFiles } from './test/run.ts';
import { watchAndRun } from './test/watch.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    watch: { type: 'boolean', default: false },
    name: { type: 'string' },
    random: { type: 'boolean', default: false },
    seed: { type: 'string' },
    files: { type: 'boolean', default: false },
    jobs: { type: 'string' },
    starved: { type: 'boolean', default: false },
  },
});

const tiers = ['fast', 'all', 'nightly'] as const;
const [first] = positionals;
const tier: Tier | undefined = positionals.length === 1 ? tiers.find((each) => each === first) : undefined;

async function run(): Promise<boolean> {
  const files = tier === undefined ? namedFiles(positionals) : filesOf(tier);
  if (files.length === 0) {
    console.error(`no test file matches ${positionals.join(' ') || '(nothing was named)'}`);
    return false;
  }
  installPeers();
  // Programs that tests start run from `dist/`.
  if (tier !== undefined) buildOnce();
  return await runFiles(files, {
    tier: tier ?? 'named',
    isWhole: tier !== undefined,
    ...(values.name === undefined ? {} : { name: values.name }),
    ...(values.random || values.seed !== undefined ? { seed: Number(values.seed ?? Date.now() % 1_000_000) } : {}),
    ...(values.jobs === undefined ? {} : { jobs: Number(values.jobs) }),
    eachFile: values.files || files.length <= 40,
    starved: values.starved,
  });
}

// The browser of a run handles this signal too, and would keep the process alive.
process.once('SIGTERM', () => process.exit(143));

if (values.watch) watchAndRun(run);
else process.exitCode = (await run()) ? 0 : 1;
