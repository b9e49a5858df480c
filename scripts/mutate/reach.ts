/** Which fast test files run which parts of which sources, measured once per test file and kept. */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTests } from './run.ts';

const folder = 'node_modules/.cache/mutate';
const maxSeconds = 20;
const root = new URL('../../', import.meta.url).href;

/** What one test file did when it ran alone. */
export interface Reach {
  readonly hash: string;
  /** Why it fails without a fault. */
  readonly failure?: string | undefined;
  /** Seconds of the processor, and by the clock. */
  readonly cpu: number;
  readonly wall: number;
  /** By source file: its hash then, and the offsets at which code that ran begins and ends, in turns. */
  readonly ran: Readonly<Record<string, { readonly hash: string; readonly runs: readonly number[] }>>;
}

interface Profile {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
    }[];
  }[];
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/** Measures the test files that changed, and returns what is known of all. */
export async function reachOf(tests: readonly string[]): Promise<ReadonlyMap<string, Reach>> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'reach.json');
  // Only this function writes the file.
  const known = (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}) as Record<string, Reach>;
  const changed = tests.filter((test) => known[test]?.hash !== hashOf(readFileSync(test, 'utf8')));
  if (changed.length > 0) console.error(`measuring which code ${changed.length} test files run`);
  for (const [index, test] of changed.entries()) {
    known[test] = await measure(test);
    if (index % 25 === 0 || index === changed.length - 1) writeFileSync(path, JSON.stringify(known));
  }
  return new Map(tests.flatMap((test) => (known[test] === undefined ? [] : [[test, known[test]]])));
}

async function measure(test: string): Promise<Reach> {
  const profiles = mkdtempSync(join(folder, 'v8-'));
  const began = performance.now();
  const { failure, cpu } = await runTests([test], () => maxSeconds, { profiles });
  const painted = new Map<string, Uint8Array>();
  for (const file of readdirSync(profiles)) {
    // V8 wrote it.
    for (const { url, functions } of (JSON.parse(readFileSync(join(profiles, file), 'utf8')) as Profile).result) {
      if (!url.startsWith(`${root}src/`) || !url.endsWith('.ts')) continue;
      const source = fileURLToPath(url).slice(fileURLToPath(root).length);
      const paint = new Uint8Array(readFileSync(source, 'utf8').length);
      // Outer functions and blocks come before those inside them.
      for (const { startOffset, endOffset, count } of functions.flatMap(({ ranges }) => ranges))
        paint.fill(count > 0 ? 1 : 0, startOffset, endOffset);
      painted.get(source)?.forEach((value, index) => (paint[index] ||= value));
      painted.set(source, paint);
    }
  }
  rmSync(profiles, { recursive: true });
  const ran = [...painted].map(([source, paint]) => {
    const runs = [...paint, 0].flatMap((value, index) => (value === (paint[index - 1] ?? 0) ? [] : [index]));
    return [source, { hash: hashOf(readFileSync(source, 'utf8')), runs }];
  });
  const hash = hashOf(readFileSync(test, 'utf8'));
  return { hash, failure, cpu, wall: (performance.now() - began) / 1_000, ran: Object.fromEntries(ran) };
}

/** Whether a test file runs the code at an offset of a file; of a file that changed since, whether it loads it. */
export function isRun({ ran }: Reach, file: string, hash: string, offset: number): boolean {
  const known = ran[file];
  if (known?.hash !== hash) return known !== undefined;
  return known.runs.filter((edge) => edge <= offset).length % 2 === 1;
}
