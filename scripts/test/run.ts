/** One run: the fast files in shared processes, then the slow ones, beside them the files that wait, and what came of it. */

import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestFile, Tier } from './files.ts';
import { runPool, type PoolOptions } from './pool.ts';
import { Progress } from './progress.ts';
import { longestFirst, writeTimes } from './times.ts';
import type { FileResult } from './worker.ts';

/** What a run is asked to do. */
export interface RunOptions {
  readonly tier: Tier | 'named';
  /** Whether all files of a tier are run: then fast files are held to their limits. */
  readonly isWhole: boolean;
  readonly name?: string;
  readonly seed?: number;
  readonly jobs?: number;
  /** Whether each file has its line in the output. */
  readonly eachFile: boolean;
  readonly starved: boolean;
}

/** What a fast file may take: seconds of the processor, and processes that it starts. */
const maxCpu = 2;
const maxProcesses = 3;

const processors = Math.max(2, availableParallelism());

/** Runs the files. Resolves to whether all is well. */
export async function runFiles(files: readonly TestFile[], options: RunOptions): Promise<boolean> {
  // No test reads or writes credentials in the home of the person who runs it.
  const state = mkdtempSync(join(tmpdir(), 'parley-tests-'));
  try {
    return await runIn(state, files, options);
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}

async function runIn(state: string, files: readonly TestFile[], options: RunOptions): Promise<boolean> {
  const { tier, name, seed, starved, isWhole } = options;
  const progress = new Progress(files, options);
  const results: FileResult[] = [];
  const pool: PoolOptions = {
    tier,
    starved,
    env: { XDG_STATE_HOME: state },
    ...(name === undefined ? {} : { name }),
    ...(seed === undefined ? {} : { seed }),
    onResult(result) {
      results.push(result);
      progress.add(result);
    },
  };
  const order = seed === undefined ? longestFirst : (some: readonly TestFile[]) => shuffled(some, seed);
  // A limit that the caller set holds for all files.
  const isBeside = ({ isWaiting }: TestFile): boolean => isWaiting && options.jobs === undefined;
  const waiting = files.filter(isBeside);
  const others = files.filter((file) => !isBeside(file));
  // They leave the processors to the others.
  const besides = runPool(order(waiting), processors * 2, pool);
  await Promise.all([besides, runOthers(others, { order, pool, jobs: options.jobs })]);
  if (name === undefined) writeTimes(results);
  const tooSlow = isWhole && !starved ? await excesses(files, results, pool) : [];
  return progress.end(tooSlow);
}

interface Others {
  order(files: readonly TestFile[]): readonly TestFile[];
  readonly pool: PoolOptions;
  readonly jobs: number | undefined;
}

/** First the fast files that share processes, then all others. */
async function runOthers(files: readonly TestFile[], { order, pool, jobs }: Others): Promise<void> {
  const isQuick = ({ isShared, isSlow }: TestFile): boolean => isShared && !isSlow;
  const slow = files.filter((file) => !isQuick(file));
  // A third of their time is waiting.
  await runPool(order(files.filter(isQuick)), jobs ?? processors * 2, pool);
  // Loading it costs more than a single file takes to start.
  const chromium = slow.length > 1 ? await (await import('../chromium-server.ts')).startChromium() : undefined;
  const env = chromium === undefined ? {} : { PARLEY_CHROMIUM_WS: chromium.endpoint };
  try {
    // A slow file waits for more than half of its time.
    await runPool(order(slow), jobs ?? processors * 3, { ...pool, env: { ...pool.env, ...env } });
  } finally {
    await chromium?.close();
  }
}

/** Seconds of the processor that a file may take more if it runs alone, since it loads the modules that it shares with others in a run. */
const loadingCpu = 1.5;

/**
 * What fast files took too much of. Each suspect is measured twice more, alone, and its least figures count.
 * The limit of processor time grows with the time that a fixed piece of work takes on this machine, and falls away while other programs keep the processors busy.
 */
async function excesses(
  files: readonly TestFile[],
  results: readonly FileResult[],
  pool: PoolOptions,
): Promise<readonly string[]> {
  const first = cpuLimit();
  // In a shared process, a file may load most of what the others load.
  let suspects = results.filter((result) => excess(result, first).length > 0);
  for (let round = 0; round < 2 && suspects.length > 0; round += 1) {
    const again: FileResult[] = [];
    const measured = files.filter(({ path, isSlow }) => !isSlow && suspects.some((one) => one.path === path));
    await runPool(measured, processors, { ...pool, onResult: (result) => again.push(result) });
    const limit = cpuLimit();
    suspects = again.filter((result) => excess(result, limit).length > 0);
  }
  const limit = cpuLimit();
  return suspects.flatMap((result) => excess(result, limit));
}

/** Milliseconds of the processor that the fixed work took on the machine where the limit was set. */
const fixedWorkMs = 60;

/** The limit of processor time of a file that runs alone on this machine, now, in seconds. */
function cpuLimit(): number {
  const began = performance.now();
  const before = process.cpuUsage();
  doFixedWork();
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1_000;
  // Below 80 % of a processor, other programs run too, and the same work takes more time.
  const isBusy = cpuMs < 0.8 * (performance.now() - began);
  return isBusy ? Infinity : (maxCpu + loadingCpu) * Math.max(1, cpuMs / fixedWorkMs);
}

function doFixedWork(): void {
  const rows = Array.from({ length: 2_000 }, (_, i) => ({ id: i, name: `tool-${i}`, list: [i, { deep: String(i) }] }));
  for (let round = 0; round < 60; round += 1) JSON.parse(JSON.stringify(rows));
}

function excess({ path, cpu, childCpu, processes }: FileResult, limit: number): readonly string[] {
  const used = cpu + childCpu;
  const found = [
    ...(used > limit ? [`takes ${used.toFixed(1)} s of the processor, and ${maxCpu} are allowed`] : []),
    ...(processes > maxProcesses ? [`starts ${processes} processes, and ${maxProcesses} are allowed`] : []),
  ];
  return found.map((what) => `${path} ${what}: make it quicker, or list it in scripts/test/tiers.ts as slow`);
}

function shuffled(files: readonly TestFile[], seed: number): readonly TestFile[] {
  let state = seed >>> 0;
  const weights = new Map(
    files.map((file) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return [file, state];
    }),
  );
  return files.toSorted((one, other) => (weights.get(one) ?? 0) - (weights.get(other) ?? 0));
}
