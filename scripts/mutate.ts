/**
 * Plants small faults in the sources, one at a time, and says which of them the fast tests find:
 * `npm run lab -- mutate [--sample 500] [--seed 1] [--out file] [file or folder …]`.
 * Without files it draws a sample from the core. The tree stays as it is: a hook replaces the text when a module is loaded.
 */

import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { mutantsOf, type Mutant } from './mutate/mutants.ts';
import { hashOf, isRun, reachOf } from './mutate/reach.ts';
import { runTests } from './mutate/run.ts';
import { filesOf } from './test/files.ts';

const core = ['server', 'host', 'peer', 'http', 'client', 'jsonrpc', 'protocol', 'stdio', 'tasks', 'oauth', 'bridge'];
/** Rows of file, line, change and reason. */
const equivalents = 'scripts/mutants-equivalent.tsv';
/** What the tests of one fault may take, measured alone: else a fault that no test finds in a file that all tests load takes minutes. */
const maxCpuSeconds = 12;

interface Outcome {
  readonly mutant: Mutant;
  readonly foundBy: string | undefined;
  readonly tests: readonly string[];
  /** Tests that run the code, and were left out for what they take. */
  readonly leftOut: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string' }, seed: { type: 'string', default: '1' }, out: { type: 'string' } },
});
const sources = (positionals.length > 0 ? positionals : core.map((room) => `src/${room}`))
  .flatMap((path) => (statSync(path).isDirectory() ? globSync(`${path}/**/*.ts`) : [path]))
  .filter((file) => !/\.test(?:-d)?\.ts$/.test(file))
  .toSorted();
const texts = new Map(sources.map((file) => [file, readFileSync(file, 'utf8')]));
const hashes = new Map([...texts].map(([file, text]) => [file, hashOf(text)]));
const all = [...texts].flatMap(([file, text]) => mutantsOf(file, text));
const reached = await reachOf(filesOf('fast').map(({ path }) => path));
const known = readEquivalents();
const drawn = draw(Number(values.sample ?? (positionals.length > 0 ? all.length : 500)));
const outcomes: Outcome[] = [];
const began = performance.now();

for (const mutant of drawn.filter((each) => !known.has(keyOf(each)))) {
  const outcome = await plant(mutant);
  outcomes.push(outcome);
  console.error(`${outcomes.length} ${outcome.foundBy ?? 'SURVIVES'}: ${placeOf(outcome)}`);
}
if (values.out === undefined) process.stdout.write(report());
else writeFileSync(values.out, report());

/** A failure counts only if the test also fails without the files that ran before it. */
async function plant(mutant: Mutant): Promise<Outcome> {
  const reaching = testsOf(mutant);
  let spent = 0;
  const tests = reaching.filter((test) => (spent += reached.get(test)?.cpu ?? 0) < maxCpuSeconds);
  const seconds = (test: string): number => Math.max(8, 4 * (reached.get(test)?.wall ?? 0));
  let foundBy: string | undefined;
  for (let rest = tests; rest.length > 0 && foundBy === undefined;) {
    const { test, failure } = await runTests(rest, seconds, { mutant });
    if (failure === undefined) break;
    const alone = test === rest[0] ? failure : (await runTests([test], seconds, { mutant })).failure;
    if (alone !== undefined) foundBy = `${test} (${alone})`;
    rest = rest.slice(rest.indexOf(test) + 1);
  }
  return { mutant, foundBy, tests, leftOut: reaching.length - tests.length };
}

/** The tests that run the code, nearest first: of the file, the folder, the room; then the quickest. */
function testsOf({ file, at }: Mutant): readonly string[] {
  const near = [
    `${dirname(file)}/${basename(file, '.ts')}`,
    `${dirname(file)}/`,
    `${file.split('/').slice(0, 2).join('/')}/`,
  ];
  const order = (test: string): number =>
    near.filter((start) => !test.startsWith(start)).length * 100 + (reached.get(test)?.cpu ?? 0);
  return [...reached]
    .filter(([, reach]) => reach.failure === undefined && isRun(reach, file, hashes.get(file) ?? '', at))
    .map(([test]) => test)
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
    .map(([, mutant]) => mutant);
}

function keyOf({ file, line, change }: Mutant): string {
  return [file, line, change].join('\t');
}

/** A row that fits no fault of its file is an error: the code has changed, and with it perhaps the reason. */
function readEquivalents(): ReadonlySet<string> {
  const rows = readFileSync(equivalents, 'utf8').split('\n').filter(Boolean);
  const keys = rows.map((row) => row.split('\t').slice(0, 3).join('\t'));
  const present = new Set(all.map(keyOf));
  const stale = keys.filter((key) => texts.has(key.split('\t')[0] ?? '') && !present.has(key));
  if (stale.length > 0) throw new Error(`${equivalents} lists faults that no longer exist:\n${stale.join('\n')}`);
  return new Set(keys);
}

function placeOf({ mutant, tests, leftOut }: Outcome): string {
  const { file, lineNumber, line, change } = mutant;
  return `${file}:${lineNumber}\t${line}\t${change}\t${tests.length} tests, ${leftOut} left out: ${tests.slice(0, 3).join(' ')}`;
}

function report(): string {
  const rooms = new Set(outcomes.map(({ mutant }) => mutant.file.split('/')[1] ?? '').toSorted());
  const row = (room: string, of: readonly Outcome[]): string => {
    const found = of.filter(({ foundBy }) => foundBy !== undefined).length;
    return `| ${room} | ${found} | ${of.length} | ${((100 * found) / of.length).toFixed(0)} % |`;
  };
  return [
    '| Room | Found | Of | Share |',
    '| --- | --- | --- | --- |',
    ...[...rooms].map((room) =>
      row(
        room,
        outcomes.filter(({ mutant }) => mutant.file.split('/')[1] === room),
      ),
    ),
    row('all', outcomes),
    '',
    `Left out as equivalent: ${drawn.length - outcomes.length}. Took ${((performance.now() - began) / 60_000).toFixed(1)} minutes.`,
    '',
    ...outcomes
      .filter(({ foundBy }) => foundBy === undefined)
      .map(placeOf)
      .toSorted(),
    '',
  ].join('\n');
}
