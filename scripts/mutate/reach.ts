/** Which test files run which parts of which sources. It is measured once for each test file and stored. */

import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import type { TestFile } from '../test/files.ts';
import { runPool } from '../test/pool.ts';

const coverage = 'node_modules/.cache/mutate/coverage';
const path = 'node_modules/.cache/mutate/reach.jsonl';
const root = new URL('../../', import.meta.url).href;

/** What one test file did without a fault. */
export interface Reach {
  readonly test: string;
  readonly hash: string;
  /** Seconds of processor time. */
  readonly cpu: number;
  /** By source file: its hash then, and the offsets at which the code that ran begins and ends, in turns. */
  readonly ran: Readonly<Record<string, { readonly hash: string; readonly edges: readonly number[] }>>;
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/** Measures the test files that changed, and returns what is known of all. */
export async function reachOf(tests: readonly TestFile[]): Promise<readonly Reach[]> {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  // Only this function writes such lines. The last line of a test counts.
  const known = new Map(lines.map((line) => JSON.parse(line) as Reach).map((reach) => [reach.test, reach]));
  for (const file of tests) {
    const hash = hashOf(readFileSync(file.path, 'utf8'));
    if (known.get(file.path)?.hash === hash) continue;
    console.error(`measuring which code ${file.path} runs`);
    const reach: Reach = { test: file.path, hash, ...(await measured(file)) };
    known.set(file.path, reach);
    appendFileSync(path, `${JSON.stringify(reach)}\n`);
  }
  return tests.flatMap((file) => known.get(file.path) ?? []);
}

async function measured(file: TestFile): Promise<Pick<Reach, 'cpu' | 'ran'>> {
  rmSync(coverage, { recursive: true, force: true });
  // Code from the compile cache has no counters.
  const env = { NODE_V8_COVERAGE: coverage, NODE_DISABLE_COMPILE_CACHE: '1' };
  let used = 0;
  await runPool([file], 1, { tier: 'fast', starved: false, env, onResult: ({ cpu }) => (used += cpu) });
  const scripts = globSync(`${coverage}/*.json`).flatMap((json) => {
    // Node writes it.
    const { result } = JSON.parse(readFileSync(json, 'utf8')) as { readonly result: Profiler.ScriptCoverage[] };
    return result.filter(({ url }) => url.startsWith(`${root}packages/parley/src/`) && /(?<!\.test)\.ts$/.test(url));
  });
  return { cpu: used, ran: Object.fromEntries(scripts.map(edgesOf)) };
}

function edgesOf({ url, functions }: Profiler.ScriptCoverage): readonly [string, Reach['ran'][string]] {
  const text = readFileSync(new URL(url), 'utf8');
  const paint = new Uint8Array(text.length);
  // Outer functions and blocks come before those inside them.
  for (const { startOffset, endOffset, count } of functions.flatMap(({ ranges }) => ranges))
    paint.fill(Math.min(count, 1), startOffset, endOffset);
  const edges = [...paint, 0].flatMap((value, index) => (value === (paint[index - 1] ?? 0) ? [] : [index]));
  return [url.slice(root.length), { hash: hashOf(text), edges }];
}

/** Whether a test file runs the code at an offset of a file. If the file has changed since, whether it uses the file. */
export function isRun({ ran }: Reach, file: string, hash: string, offset: number): boolean {
  const { hash: then, edges } = ran[file] ?? { hash, edges: [] };
  return then !== hash || edges.filter((edge) => edge <= offset).length % 2 === 1;
}
