/**
 * Prints how large programs that use the package are, minified and after gzip; fails when one is over its budget, or
 * loads something at its start that does not belong there. Run: npm run lab -- size [--modules <program>]
 *
 * - The figures and budgets are of the *start*: everything that a program imports by statements, so all that it has read
 *   before its first request. What each plain `tools/list` and `tools/call` at the newest revision needs belongs there,
 *   on both sides, and over stdio what they need at every revision.
 * - *On demand* is what one `import()` or another loads later, all of it together: questions to the client and rounds,
 *   using resources and prompts, subscriptions of a client, sessions over HTTP, validators of JSON Schema. Most programs
 *   load some of it, and few all. One program has a budget for that.
 * - *One file* is what a bundler makes that does not split, after gzip: both of them. Two programs have a budget for that.
 */

import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle, type Bundle, type From } from './bundle.ts';
import { programs, strangers, type Program } from './size-plan.ts';

/** A program with what a bundler made of it. */
export interface Measured {
  readonly program: Program;
  readonly bundle: Bundle;
}

/** Bundles every program. */
export function measure(from: From): Promise<readonly Measured[]> {
  return Promise.all(programs.map(async (program) => ({ program, bundle: await bundle(program.code, from) })));
}

/** What is wrong, as sentences. */
export function faults(measured: readonly Measured[]): readonly string[] {
  return [...measured.flatMap(faultsOf), ...homeless(measured)];
}

function faultsOf({ program, bundle: { start, later, whole } }: Measured): readonly string[] {
  const bleeding = strangers
    .filter((stranger) => stranger.in(program) && stranger.word.test(start.text))
    .map(
      ({ what, word }) => `${program.name} loads ${what} at its start: ${JSON.stringify(word.exec(start.text)?.[0])}`,
    );
  const over = (what: string, gzip: number, budget = Number.POSITIVE_INFINITY): readonly string[] => {
    const size = kilobytes(gzip);
    return size <= budget ? [] : [`${what} is ${size.toFixed(1)} KB, over its budget of ${budget} KB`];
  };
  return [
    ...bleeding,
    ...over(program.name, start.gzip, program.budget),
    ...over(`${program.name} on demand`, later.gzip, program.later),
    ...over(`${program.name} in one file`, whole.gzip, program.whole),
  ];
}

/** A word that is gone from where it belongs was changed, and would not be seen elsewhere either. */
function homeless(measured: readonly Measured[]): readonly string[] {
  const textOf = (name: string): string =>
    measured.filter(({ program }) => program.name === name).reduce((text, one) => text + one.bundle.start.text, '');
  return strangers
    .filter(({ home, word }) => home !== undefined && !word.test(textOf(home)))
    .map(({ what, home }) => `${home} has no word of ${what}: choose another`);
}

function kilobytes(bytes: number): number {
  return bytes / 1024;
}

function tableOf(measured: readonly Measured[]): string {
  const rows = measured.map(({ program: { name, budget, aim }, bundle: { start, later, whole } }) => [
    name,
    ...[start.bytes, start.gzip, later.gzip, whole.gzip].map((bytes) => kilobytes(bytes).toFixed(1)),
    String(budget),
    aim === undefined ? '' : kilobytes(start.gzip) <= aim ? `${aim}, met` : `${aim}, missed`,
  ]);
  const all = [['', 'minified KB', 'gzip KB', 'on demand', 'one file', 'budget', 'aim'], ...rows];
  const widths = all[0]?.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0))) ?? [];
  const pad = (text: string, at: number): string =>
    at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0);
  return all.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}

/** What a program is made of: by folder, then by module. */
function compositionOf({ bundle: { weights } }: Measured): string {
  const folders = new Map<string, number>();
  for (const { path, bytes } of weights) {
    const folder = path.split('/').slice(0, 2).join('/');
    folders.set(folder, (folders.get(folder) ?? 0) + bytes);
  }
  const line = ([path, bytes]: readonly [string, number]): string => `${String(bytes).padStart(8)}  ${path}`;
  const sorted = [...folders].toSorted((one, other) => other[1] - one[1]);
  return [...sorted.map(line), '', ...weights.map(({ path, bytes }) => line([path, bytes]))].join('\n');
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { modules: { type: 'string' } } });
  const measured = await measure('dist');
  if (values.modules === undefined) {
    console.log(tableOf(measured));
    const found = faults(measured);
    for (const fault of found) console.error(fault);
    process.exitCode = found.length > 0 ? 1 : 0;
    return;
  }
  const chosen = measured.find(({ program }) => program.name === values.modules);
  if (chosen === undefined) throw new Error(`there is no program ${values.modules}`);
  console.log(compositionOf(chosen));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
