/**
 * Plants small faults in the sources, one at a time, and prints for each whether a fast test finds it:
 * `npm run lab -- mutate [--sample 500] [--seed 1] [--only rows.tsv] [--cpu 6] [--measured] [file or folder …] > rows.tsv`.
 * Without files it takes the core. With `--only` it repeats the faults of an earlier run that no test found. The tests of
 * one fault may take `--cpu` seconds of the processor. With `--measured` it tries only tests whose reach is known.
 * The tree stays as it is: a hook replaces the text when a module is loaded. One process tries many faults, each behind
 * a condition.
 */

import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { mutantsOf, type Mutant } from './mutate/mutants.ts';
import { hashOf, isRun, reachOf, type Reach } from './mutate/reach.ts';
import { filesOf } from './test/files.ts';
import type { Numbered } from './mutate/switch.ts';
import { createTrial, type Trial } from './mutate/trial.ts';

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
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    // All tests that run the code of a basic file would take minutes.
    cpu: { type: 'string', default: '6' },
    measured: { type: 'boolean', default: false },
  },
});
const maxCpuSeconds = Number(values.cpu);
const named = positionals.length > 0 ? positionals : core.map((room) => `packages/parley/src/${room}`);
const globs = named.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`));
const sources = globSync(globs, { exclude: ['**/*.test.ts', '**/*.test-d.ts'] }).toSorted();
const all = sources.flatMap((file) => mutantsOf(file, readFileSync(file, 'utf8')));
const keys = new Set(all.map(keyOf));
const known = keysIn(equivalents);
const stale = known.filter((key) => sources.includes(key.split('\t')[0] ?? '') && !keys.has(key));
if (stale.length > 0) throw new Error(`${equivalents} lists faults that no longer exist:\n${stale.join('\n')}`);
const tried = values.only === undefined ? [...keys] : keysIn(values.only, 'survives');
// Of slow files it runs nothing: what those start are programs that were built without the fault.
const reached = await reachOf(values.measured ? [] : filesOf('fast').filter(({ names }) => names === undefined));

const mutants = drawn()
  .filter((mutant) => tried.includes(keyOf(mutant)) && !known.includes(keyOf(mutant)))
  .map((mutant, index) => ({ ...mutant, id: index + 1 }));
const repeated = mutants.filter(({ isRepeated }) => isRepeated);
const trials = [repeated, ...mutants.filter(({ isRepeated }) => !isRepeated).map((mutant) => [mutant])];
const sound = createTrial([]);
for (const group of trials) {
  const trial = createTrial(group);
  for (const mutant of group) {
    const finder = (await finderOf(mutant, trial)) ?? (mutant.isRepeated ? await finderAlone(mutant) : undefined);
    console.log(`${keyOf(mutant)}\t${finder ?? 'survives'}`);
  }
  await trial.end();
}
await sound.end();

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

/** The test that finds a fault that is there from the start: its code may run while modules load. */
async function finderAlone(mutant: Numbered): Promise<string | undefined> {
  const planted = { ...mutant, isRepeated: false };
  const trial = createTrial([planted]);
  const finder = await finderOf(planted, trial);
  await trial.end();
  return finder;
}

/** The test that finds a fault. A failure counts only if the test passes without the fault. */
async function finderOf(mutant: Numbered, trial: Trial): Promise<string | undefined> {
  let spent = 0;
  for (const { test, cpu } of testsOf(mutant)) {
    if ((spent += cpu) > maxCpuSeconds) return undefined;
    const name = await trial.failureOf(test, mutant.isRepeated ? mutant.id : 0);
    if (name === undefined) continue;
    if (mutant.isRepeated || (await sound.failureOf(test, 0)) === undefined) return `found by ${test}: ${name}`;
  }
  return undefined;
}

/** The tests that run the code, nearest first: of the file, the folder, the room; then the quickest. */
function testsOf({ file, at }: Mutant): readonly Reach[] {
  const near = [file.replace(/\.ts$/, ''), `${dirname(file)}/`, `${file.split('/', 4).join('/')}/`];
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
