/** Which test files run which parts of which sources. It is measured once for each test file and stored. */

import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { dirname } from 'node:path';
import { runTests } from './run.ts';

const path = 'node_modules/.cache/mutate/reach.jsonl';
const root = new URL('../../', import.meta.url).href;

/** What one test file did without a fault. */
export interface Reach {
  readonly test: string;
  readonly hash: string;
  readonly failure?: string | undefined;
  /** Seconds of processor time. */
  readonly cpu: number;
  /** By source file: its hash then, and the offsets at which the code that ran begins and ends, in turns. */
  readonly ran: Readonly<Record<string, { readonly hash: string; readonly edges: readonly number[] }>>;
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/** Measures the test files that changed, and returns what is known of all. */
export function reachOf(tests: readonly string[]): readonly Reach[] {
  mkdirSync(dirname(path), { recursive: true });
  for (;;) {
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
    // Only `lineOf` writes such lines. The last line of a test counts.
    const known = new Map(lines.map((line) => JSON.parse(line) as Reach).map((reach) => [reach.test, reach]));
    const changed = tests.filter((test) => known.get(test)?.hash !== hashOf(readFileSync(test, 'utf8')));
    if (changed.length === 0) return tests.flatMap((test) => known.get(test) ?? []);
    console.error(`measuring which code ${changed.length} test files run`);
    const { test, failure } = runTests({ tests: changed.slice(0, 40), reach: path }, 300);
    if (failure !== undefined) appendFileSync(path, lineOf({ test, failure, cpu: 0 }, []));
  }
}

export function lineOf(
  measured: Pick<Reach, 'test' | 'failure' | 'cpu'>,
  coverage: readonly Profiler.ScriptCoverage[],
): string {
  const sources = coverage.filter(({ url }) => url.startsWith(`${root}src/`) && /(?<!\.test)\.ts$/.test(url));
  const ran = sources.map(({ url, functions }) => {
    const text = readFileSync(new URL(url), 'utf8');
    const paint = new Uint8Array(text.length);
    // Outer functions and blocks come before those inside them.
    for (const { startOffset, endOffset, count } of functions.flatMap(({ ranges }) => ranges))
      paint.fill(Math.min(count, 1), startOffset, endOffset);
    const edges = [...paint, 0].flatMap((value, index) => (value === (paint[index - 1] ?? 0) ? [] : [index]));
    return [url.slice(root.length), { hash: hashOf(text), edges }];
  });
  const hash = hashOf(readFileSync(measured.test, 'utf8'));
  return `${JSON.stringify({ ...measured, hash, ran: Object.fromEntries(ran) } satisfies Reach)}\n`;
}

/** Whether a test file runs the code at an offset of a file. If the file has changed since, whether it uses the file. */
export function isRun({ ran }: Reach, file: string, hash: string, offset: number): boolean {
  const known = ran[file];
  if (known?.hash !== hash) return known !== undefined;
  return known.edges.filter((edge) => edge <= offset).length % 2 === 1;
}
