/**
 * Plants small faults in the sources, one at a time, and prints for each whether a fast test finds it:
 * `npm run lab -- mutate [--sample 500] [--seed 1] [--only rows.tsv] [file or folder …] > rows.tsv`.
 * Without files it draws a sample from the core. With `--only` it repeats the faults of an earlier run that no test found.
 * The tree stays as it is: a hook replaces the text when a module is loaded.
 */

import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { mutantsOf, type Mutant } from './mutate/mutants.ts';
import { hashOf, isRun, reachOf, type Reach } from './mutate/reach.ts';
import { runTests } from './mutate/run.ts';
import { filesOf } from './test/files.ts';

const core = ['server', 'host', 'peer', 'http', 'client', 'jsonrpc', 'protocol', 'stdio', 'tasks', 'oauth', 'bridge'];
/** Rows of file, line, change and reason. */
const equivalents = 'scripts/mutants-equivalent.tsv';
/** What the tests of one fault may take: all that run the code of a basic file would take minutes. */
const maxCpuSeconds = 6;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string' }, seed: { type: 'string', default: '1' }, only: { type: 'string' } },
});
const sources = (positionals.length > 0 ? positionals : core.map((room) => `src/${room}`))
  .flatMap((path) => (statSync(path).isDirectory() ? globSync(`${path}/**/*.ts`) : [path]))
  .filter((file) => !/\.test(?:-d)?\.ts$/.test(file))
  .toSorted();
const texts = new Map(sources.map((file) => [file, readFileSync(file, 'utf8')]));
const all = [...texts].flatMap(([file, text]) => mutantsOf(file, text));
const keys = new Set(all.map(keyOf));
const known = rowsOf(equivalents).map(([key]) => key);
const stale = known.filter((key) => texts.has(key.split('\t')[0] ?? '') && !keys.has(key));
if (stale.length > 0) throw new Error(`${equivalents} lists faults that no longer exist:\n${stale.join('\n')}`);
const missed =
  values.only === undefined
    ? [...keys]
    : rowsOf(values.only).flatMap(([key, end]) => (end === 'survives' ? [key] : []));
const tried = new Set(missed.filter((key) => !known.includes(key)));
const size = Number(values.sample ?? (positionals.length > 0 || values.only ? all.length : 500));
const reached = reachOf(filesOf('fast').flatMap(({ path, isShared }) => (isShared ? [path] : [])));
const sound = new Map<string, boolean>();
const score: Record<string, { found: number; of: number }> = {};

for (const mutant of draw(size).filter((each) => tried.has(keyOf(each)))) {
  const finder = finderOf(mutant);
  console.log([keyOf(mutant), finder === undefined ? 'survives' : `found by ${finder}`].join('\t'));
  for (const room of [mutant.file.split('/')[1] ?? '', 'all']) {
    const { found, of } = (score[room] ??= { found: 0, of: 0 });
    score[room] = { found: found + (finder === undefined ? 0 : 1), of: of + 1 };
  }
}
console.error(score);

/** Draws the same faults as long as their lines are the same, wherever those stand. */
function draw(count: number): readonly Mutant[] {
  const seen = new Map<string, number>();
  const ranks = all.map((mutant) => {
    const at = (seen.get(keyOf(mutant)) ?? 0) + 1;
    seen.set(keyOf(mutant), at);
    return [hashOf(`${values.seed} ${keyOf(mutant)} ${at}`), mutant] as const;
  });
  const drawn = ranks.toSorted(([one], [other]) => (one < other ? -1 : 1)).slice(0, count);
  return drawn.map(([, mutant]) => mutant);
}

/** The test that finds a fault. A failure counts only if the test also fails without the files that ran before it. */
function finderOf(mutant: Mutant): string | undefined {
  let spent = 0;
  let rest = testsOf(mutant).flatMap(({ test, cpu }) => ((spent += cpu) < maxCpuSeconds ? [test] : []));
  while (rest.length > 0) {
    const { test, failure } = runTests({ tests: rest, mutant }, 4 * maxCpuSeconds);
    if (failure === undefined) return undefined;
    const isAlone = test === rest[0] || runTests({ tests: [test], mutant }, 4 * maxCpuSeconds).failure !== undefined;
    if (isAlone && isSound(test)) return `${test} (${failure})`;
    rest = rest.slice(rest.indexOf(test) + 1);
  }
  return undefined;
}

/** Whether a test passes without a fault: it may have been measured before the sources changed. */
function isSound(test: string): boolean {
  const known = sound.get(test) ?? runTests({ tests: [test] }, 4 * maxCpuSeconds).failure === undefined;
  sound.set(test, known);
  return known;
}

/** The tests that run the code, nearest first: of the file, the folder, the room; then the quickest. */
function testsOf({ file, at, isTopLevel }: Mutant): readonly Reach[] {
  const room = file.split('/').slice(0, 2).join('/');
  const near = [`${dirname(file)}/${basename(file, '.ts')}`, `${dirname(file)}/`, `${room}/`];
  const order = ({ test, cpu }: Reach): number => near.filter((start) => !test.startsWith(start)).length * 100 + cpu;
  const hash = hashOf(texts.get(file) ?? '');
  // What runs when a module is loaded runs only for the first test that loads it.
  const runs = (reach: Reach): boolean =>
    reach.test.startsWith(near[1] ?? '') || (isTopLevel ? reach.ran[file] !== undefined : isRun(reach, file, hash, at));
  return reached
    .filter((reach) => reach.failure === undefined && runs(reach))
    .toSorted((one, other) => order(one) - order(other));
}

function keyOf({ file, line, change }: Mutant): string {
  return [file, line, change].join('\t');
}

/** The keys of rows, each with what follows it. */
function rowsOf(path: string): readonly (readonly [key: string, rest: string])[] {
  const rows = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return rows.map((row) => [row.split('\t').slice(0, 3).join('\t'), row.split('\t').slice(3).join('\t')] as const);
}
