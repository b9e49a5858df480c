/**
 * Plants small faults in the sources, one at a time, and reports which of them the fast tests find:
 * `npm run lab -- mutate [--sample 500] [--seed 1] [--only rows] [--out file] [file or folder …]`.
 * Without files it draws a sample from the core. The tree stays as it is: a hook replaces the text when a module is loaded.
 */

import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { mutantsOf, type Mutant } from './mutate/mutants.ts';
import { hashOf, isRun, reachOf, type Reach } from './mutate/reach.ts';
import { runTests } from './mutate/run.ts';
import { filesOf } from './test/files.ts';

const core = ['server', 'host', 'peer', 'http', 'client', 'jsonrpc', 'protocol', 'stdio', 'tasks', 'oauth', 'bridge'];
/** Rows of file, line, change and reason. */
const equivalents = 'scripts/mutants-equivalent.tsv';
/** What the tests of one fault may take. A fault that no test finds in a file that all tests load would take minutes. */
const maxCpuSeconds = 5;

interface Outcome {
  readonly mutant: Mutant;
  readonly foundBy: string | undefined;
  readonly tests: readonly string[];
  /** Tests that run the code, but did not fit in the limit. */
  readonly leftOut: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    out: { type: 'string', default: '/dev/stdout' },
  },
});
const sources = (positionals.length > 0 ? positionals : core.map((room) => `src/${room}`))
  .flatMap((path) => (statSync(path).isDirectory() ? globSync(`${path}/**/*.ts`) : [path]))
  .filter((file) => !/\.test(?:-d)?\.ts$/.test(file))
  .toSorted();
const texts = new Map(sources.map((file) => [file, readFileSync(file, 'utf8')]));
const hashes = new Map([...texts].map(([file, text]) => [file, hashOf(text)]));
const all = [...texts].flatMap(([file, text]) => mutantsOf(file, text));
const known = readKeys(equivalents);
refuseStale();
const only = values.only === undefined ? undefined : readKeys(values.only);
const drawn = draw(Number(values.sample ?? (positionals.length > 0 || only ? all.length : 500)));
const reached = reachOf(filesOf('fast').flatMap(({ path, isShared }) => (isShared ? [path] : [])));
const outcomes: Outcome[] = [];

for (const mutant of drawn.filter((each) => !known.has(keyOf(each)))) {
  const outcome = plant(mutant);
  outcomes.push(outcome);
  console.error(`${outcomes.length} ${outcome.foundBy ?? 'SURVIVES'}: ${rowOf(outcome)}`);
  if (values.out !== '/dev/stdout') writeFileSync(values.out, report());
}
if (values.out === '/dev/stdout') console.log(report());

/** A failure counts only if the test also fails without the files that ran before it. */
function plant(mutant: Mutant): Outcome {
  const reaching = testsOf(mutant);
  let spent = 0;
  const tests = reaching.filter(({ cpu }) => (spent += cpu) < maxCpuSeconds).map(({ test }) => test);
  let foundBy: string | undefined;
  for (let rest = tests; rest.length > 0 && foundBy === undefined;) {
    const { test, failure } = runTests({ tests: rest, mutant }, 4 * maxCpuSeconds);
    if (failure === undefined) break;
    const isAlone = test === rest[0];
    const alone = isAlone ? failure : runTests({ tests: [test], mutant }, 4 * maxCpuSeconds).failure;
    if (alone !== undefined) foundBy = `${test} (${alone})`;
    rest = rest.slice(rest.indexOf(test) + 1);
  }
  return { mutant, foundBy, tests, leftOut: reaching.length - tests.length };
}

/** The tests that run the code, nearest first: of the file, the folder, the room; then the quickest. */
function testsOf({ file, at, isTopLevel }: Mutant): readonly Reach[] {
  const near = [
    `${dirname(file)}/${basename(file, '.ts')}`,
    `${dirname(file)}/`,
    `${file.split('/').slice(0, 2).join('/')}/`,
  ];
  const order = ({ test, cpu }: Reach): number => near.filter((start) => !test.startsWith(start)).length * 100 + cpu;
  // The code of a module runs only for the first test that loads it.
  const runs = (reach: Reach): boolean =>
    isTopLevel
      ? reach.ran[file] !== undefined || reach.test.startsWith(near[1] ?? '')
      : isRun(reach, file, hashes.get(file) ?? '', at);
  return reached
    .filter((reach) => reach.failure === undefined && runs(reach))
    .toSorted((one, other) => order(one) - order(other));
}

/** Draws the same faults as long as their lines are the same, wherever those stand. */
function draw(size: number): readonly Mutant[] {
  const seen = new Map<string, number>();
  const ranks = all.map((mutant) => {
    const count = (seen.get(keyOf(mutant)) ?? 0) + 1;
    seen.set(keyOf(mutant), count);
    return [hashOf(`${values.seed} ${keyOf(mutant)} ${count}`), mutant] as const;
  });
  return ranks
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, size)
    .map(([, mutant]) => mutant)
    .filter((mutant) => only?.has(keyOf(mutant)) ?? true);
}

function keyOf({ file, line, change }: Mutant): string {
  return [file, line, change].join('\t');
}

/** Reads rows that begin with file, line and change: those of a report, or of the equivalents. */
function readKeys(path: string): ReadonlySet<string> {
  const rows = readFileSync(path, 'utf8')
    .split('\n')
    .filter((row) => row.includes('\t'));
  return new Set(rows.map((row) => row.split('\t').slice(0, 3).join('\t')));
}

/** An equivalent that fits no fault of its file: the code has changed, and with it perhaps the reason. */
function refuseStale(): void {
  const present = new Set(all.map(keyOf));
  const stale = [...known].filter((key) => texts.has(key.split('\t')[0] ?? '') && !present.has(key));
  if (stale.length > 0) throw new Error(`${equivalents} lists faults that no longer exist:\n${stale.join('\n')}`);
}

function rowOf({ mutant, tests, leftOut }: Outcome): string {
  const note = `line ${mutant.lineNumber}, ${tests.length} tests, ${leftOut} left out: ${tests.slice(0, 3).join(' ')}`;
  return `${keyOf(mutant)}\t${note}`;
}

function report(): string {
  const roomOf = ({ mutant }: Outcome): string => mutant.file.split('/')[1] ?? '';
  const row = (room: string, of: readonly Outcome[]): string => {
    const found = of.filter(({ foundBy }) => foundBy !== undefined).length;
    return `| ${room} | ${found} | ${of.length} | ${((100 * found) / of.length).toFixed(0)} % |`;
  };
  const rooms = [...new Set(outcomes.map(roomOf))].toSorted();
  const missed = outcomes.filter(({ foundBy }) => foundBy === undefined);
  return [
    '| Room | Found | Of | Share |',
    '| --- | --- | --- | --- |',
    ...rooms.map((room) =>
      row(
        room,
        outcomes.filter((outcome) => roomOf(outcome) === room),
      ),
    ),
    row('all', outcomes),
    '',
    `Equivalent, and left out: ${drawn.filter((mutant) => known.has(keyOf(mutant))).length}.`,
    '',
    ...missed.map(rowOf).toSorted(),
    '',
  ].join('\n');
}
