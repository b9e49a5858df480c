/** What each file took in the last run, so that the longest can start first. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../test/support/sources.ts';
import { sizeOf, type TestFile } from './files.ts';
import { longFiles } from './tiers.ts';
import type { FileResult } from './worker.ts';

/** What one file took, in seconds. */
export interface FileTimes {
  readonly wall: number;
  /** Of the processor, in its process and in those that it started. */
  readonly cpu: number;
  readonly processes: number;
}

const place = join(root, 'node_modules/.cache/tests/times.json');

/** The times by path; empty before the first run. */
export function readTimes(): Readonly<Record<string, FileTimes>> {
  try {
    // Only `writeTimes` writes this file.
    return JSON.parse(readFileSync(place, 'utf8')) as Record<string, FileTimes>;
  } catch {
    return {};
  }
}

/** Keeps the times of a run beside those of files that did not run. */
export function writeTimes(results: readonly FileResult[]): void {
  const times = { ...readTimes() };
  for (const { path, wall, cpu, childCpu, processes } of results)
    times[path] = { wall: rounded(wall), cpu: rounded(cpu + childCpu), processes };
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, JSON.stringify(times, undefined, 1));
}

/** The files with the longest first. A file that never ran is taken for one second per 4 KB. */
export function longestFirst(files: readonly TestFile[]): readonly TestFile[] {
  const times = readTimes();
  const weight = ({ path }: TestFile): number => times[path]?.wall ?? longFiles[path] ?? sizeOf(path) / 4_000;
  return files.toSorted((one, other) => weight(other) - weight(one));
}

function rounded(seconds: number): number {
  return Math.round(seconds * 100) / 100;
}
