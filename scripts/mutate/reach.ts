/** Which test files run which parts of which sources. It is measured once for each test file and stored. */

import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import type { TestFile } from '../test/files.ts';
import { runPool } from '../test/pool.ts';

const folder = 'node_modules/.cache/mutate';
const measured = `${folder}/measured.jsonl`;
const path = `${folder}/reach.jsonl`;
/** How many test files one process measures. What is measured is stored when it ends. */
const maxFiles = 50;

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

/** Measures the test files that changed, and returns what is known of all; of every file if none is named. */
export async function reachOf(tests: readonly TestFile[]): Promise<readonly Reach[]> {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  // Only this function writes such lines. The last line of a test counts.
  const known = new Map(lines.map((line) => JSON.parse(line) as Reach).map((reach) => [reach.test, reach]));
  const changed = tests.filter((file) => known.get(file.path)?.hash !== hashOf(readFileSync(file.path, 'utf8')));
  for (let at = 0; at < changed.length; at += maxFiles) {
    console.error(`measuring which code ${changed.length - at} test files run`);
    for (const reach of await measure(changed.slice(at, at + maxFiles))) {
      known.set(reach.test, reach);
      appendFileSync(path, `${JSON.stringify(reach)}\n`);
    }
  }
  if (tests.length === 0) return [...known.values()];
  return tests.flatMap((file) => known.get(file.path) ?? []);
}

async function measure(files: readonly TestFile[]): Promise<readonly Reach[]> {
  mkdirSync(folder, { recursive: true });
  rmSync(measured, { force: true });
  // Code from the compile cache has no counters.
  const cover = `--import=${new URL('cover.ts', import.meta.url)}`;
  const env = { NODE_OPTIONS: cover, REACH: measured, NODE_DISABLE_COMPILE_CACHE: '1' };
  await runPool(files, 1, { tier: 'fast', starved: false, env, onResult: () => undefined });
  if (!existsSync(measured)) return [];
  const hashes = new Map<string, string>();
  const hashOfFile = (file: string): string => {
    const hash = hashes.get(file) ?? hashOf(readFileSync(file, 'utf8'));
    hashes.set(file, hash);
    return hash;
  };
  return readFileSync(measured, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      // `cover.ts` writes it.
      const { test, cpu, ran } = JSON.parse(line) as { test: string; cpu: number; ran: Record<string, number[]> };
      const sources = Object.entries(ran).map(([file, edges]) => [file, { hash: hashOfFile(file), edges }] as const);
      return { test, hash: hashOfFile(test), cpu, ran: Object.fromEntries(sources) };
    });
}

/** Whether a test file runs the code at an offset of a file. If the file has changed since, whether it uses the file. */
export function isRun({ ran }: Reach, file: string, hash: string, offset: number): boolean {
  const { hash: then, edges } = ran[file] ?? { hash, edges: [] };
  return then !== hash || edges.filter((edge) => edge <= offset).length % 2 === 1;
}
