/**
 * Plants small faults in the sources, one at a time, and prints for each whether a fast test finds it:
 * `npm run lab -- mutate [--sample 500] [--seed 1] [--only rows.tsv] [file or folder …] > rows.tsv`.
 * Without files it takes the core. With `--only` it repeats the faults of an earlier run that no test found.
 * The tree stays as it is: a hook replaces the text when a module is loaded.
 */

import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { mutantsOf, type Mutant } from './mutate/mutants.ts';
import { hashOf, isRun, reachOf, type Reach } from './mutate/reach.ts';
import { filesOf } from './test/files.ts';
import { runPool } from './test/pool.ts';
import type { FileResult } from './test/worker.ts';

const core = [
  'server',
  'connection',
  'transports/http',
  'client',
  'jsonrpc',
  'protocol',
  'transports/stdio',
  'tasks',
  'auth/client',
  'bridge',
];
/** Rows of file, line, change and reason. */
const equivalents = 'scripts/mutants-equivalent.tsv';
/** What the tests of one fault may take: all that run the code of a basic file would take minutes. */
const maxCpuSeconds = 6;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string' }, seed: { type: 'string', default: '1' }, only: { type: 'string' } },
});
const named = positionals.length > 0 ? positionals : core.map((room) => `packages/parley/src/${room}`);
const globs = named.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`));
const sources = globSync(globs, { exclude: ['**/*.test.ts', '**/*.test-d.ts'] }).toSorted();
const all = sources.flatMap((file) => mutantsOf(file, readFileSync(file, 'utf8')));
const keys = new Set(all.map(keyOf));
const known = keysIn(equivalents);
const stale = known.filter((key) => sources.includes(key.split('\t')[0] ?? '') && !keys.has(key));
if (stale.length > 0) throw new Error(`${equivalents} lists faults that no longer exist:\n${stale.join('\n')}`);
const tried = values.only === undefined ? [...keys] : keysIn(values.only, 'survives');
const reached = await reachOf(filesOf('fast').filter(({ isShared }) => isShared));

for (const mutant of drawn()) {
  const key = keyOf(mutant);
  if (tried.includes(key) && !known.includes(key)) console.log(`${key}\t${(await finderOf(mutant)) ?? 'survives'}`);
}

/** Draws the same faults as long as their lines are the same, wherever those stand. */
function drawn(): readonly Mutant[] {
  const seen = new Map<string, number>();
  const rank = (key: string): string => {
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return hashOf(`${values.seed} ${key} ${seen.get(key)}`);
  };
  const ranked = all.map((mutant) => [rank(keyOf(mutant)), mutant] as const);
  const order = ranked.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return order.slice(0, Number(values.sample ?? all.length)).map(([, mutant]) => mutant);
}

/** The test that finds a fault. A failure counts only if the test fails alone too, and passes without the fault. */
async function finderOf(mutant: Mutant): Promise<string | undefined> {
  let spent = 0;
  let rest = testsOf(mutant).flatMap(({ test, cpu }) => ((spent += cpu) < maxCpuSeconds ? [test] : []));
  while (rest.length > 0) {
    const failed = await failureOf(rest, mutant);
    if (failed === undefined) return undefined;
    const [test, name] = failed;
    const isAlone = test === rest[0] || (await failureOf([test], mutant)) !== undefined;
    if (isAlone && (await failureOf([test])) === undefined) return `found by ${test}: ${name}`;
    rest = rest.slice(rest.indexOf(test) + 1);
  }
  return undefined;
}

/** The first test file that fails, and its first failure. */
async function failureOf(paths: readonly string[], mutant?: Mutant): Promise<readonly [string, string] | undefined> {
  let failure: readonly [string, string] | undefined;
  const onResult = ({ path, failures: [first] }: FileResult): void => {
    if (first !== undefined) failure ??= [path, first.name.replaceAll(/\s/g, ' ')];
  };
  const plant = `--import=${new URL('mutate/plant.ts', import.meta.url)}`;
  const env = mutant === undefined ? {} : { NODE_OPTIONS: plant, MUTANT: JSON.stringify(mutant) };
  const tests = paths.map((path) => ({ path, isShared: true, isSlow: false, isWaiting: false }));
  await runPool(tests, 1, { tier: 'fast', starved: false, env, timeout: 30_000, bail: true, onResult });
  return failure;
}

/** The tests that run the code, nearest first: of the file, the folder, the room; then the quickest. */
function testsOf({ file, at }: Mutant): readonly Reach[] {
  const near = [file.replace(/\.ts$/, ''), `${dirname(file)}/`, `${file.split('/', 2).join('/')}/`];
  const order = ({ test, cpu }: Reach): number => near.filter((start) => !test.startsWith(start)).length * 100 + cpu;
  const hash = hashOf(readFileSync(file, 'utf8'));
  const running = reached.filter((reach) => isRun(reach, file, hash, at));
  return running.toSorted((one, other) => order(one) - order(other));
}

function keyOf({ file, line, change }: Mutant): string {
  return [file, line, change].join('\t');
}

/** The keys of the rows that end so. */
function keysIn(path: string, end = '.*'): readonly string[] {
  const rows = new RegExp(`^((?:[^\\t\\n]*\\t){2}[^\\t\\n]*)\\t${end}$`, 'gm');
  return [...readFileSync(path, 'utf8').matchAll(rows)].map(([, key = '']) => key);
}
