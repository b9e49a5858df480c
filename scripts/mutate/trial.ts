/** Runs test files with one fault after another, in one process as long as it is healthy. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { filesOf } from '../test/files.ts';
import { Worker } from '../test/pool.ts';
import type { FileResult } from '../test/worker.ts';
import { switched, type Numbered } from './switch.ts';

const folder = 'node_modules/.cache/mutate';
/** What a process may run: each test file is loaded anew for each fault. */
const maxRuns = 200;
// A fault may hold a file up for ever. A fast file takes two seconds of the processor at most.
const timeout = 25_000;
/** The name of the failure of a file that did not end. */
const fileItself = '(the file itself)';
/** Files that need a process of their own. */
const alone = new Set(filesOf('fast').flatMap(({ path, isShared }) => (isShared ? [] : [path])));
let trials = 0;

/** Tries faults that conditions choose. */
export interface Trial {
  /** The first failure of a test file with a fault, if it passes without the fault. Number 0 is no fault. */
  failureOf(test: string, fault: number): Promise<string | undefined>;
  end(): Promise<void>;
}

/** A trial of faults in one or more files. Their numbers begin with 1. */
export function createTrial(mutants: readonly Numbered[]): Trial {
  const path = `${folder}/faults-${process.pid}-${++trials}.json`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, JSON.stringify(textsOf(mutants)));
  let worker: Worker | undefined;
  let runs = 0;
  const stop = async (): Promise<void> => {
    await worker?.end();
    worker = undefined;
  };
  const run = async (test: string, fault: number): Promise<FileResult> => {
    if (worker?.isOver === true || (runs += 1) % maxRuns === 0 || alone.has(test)) await stop();
    const file = { path: `${test}?fault=${fault}`, isShared: true, isSlow: false, isWaiting: false };
    const env = { NODE_OPTIONS: `--import=${new URL('plant.ts', import.meta.url)}`, FAULTS: path };
    worker ??= new Worker(file, { tier: 'fast', starved: false, env, timeout, onResult: () => undefined });
    const result = await worker.run(file);
    if (alone.has(test)) await stop();
    return result;
  };
  return {
    async failureOf(test, fault) {
      let { failures } = await run(test, fault);
      if (fault === 0 || failures.length === 0) return failures[0]?.name;
      if (failures[0]?.name === fileItself || (await run(test, 0)).failed > 0) {
        // An earlier fault may have left something behind in the process, or a busy machine may have held it up.
        await stop();
        ({ failures } = await run(test, fault));
        if (failures.length > 0 && (await run(test, 0)).failed > 0) {
          await stop();
          if ((await run(test, 0)).failed > 0) return undefined;
        }
      }
      return failures[0]?.name.replaceAll(/\s/g, ' ');
    },
    async end() {
      await stop();
      rmSync(path);
    },
  };
}

/** By file: its text with the faults. A fault in code that runs once is planted at once: it must be alone in its trial. */
function textsOf(mutants: readonly Numbered[]): Readonly<Record<string, string>> {
  const files = new Set(mutants.map(({ file }) => file));
  const own = (file: string): readonly Numbered[] => mutants.filter((mutant) => mutant.file === file);
  return Object.fromEntries([...files].map((file) => [file, textOf(readFileSync(file, 'utf8'), own(file))]));
}

function textOf(source: string, mutants: readonly Numbered[]): string {
  const [only] = mutants;
  if (only === undefined || only.isRepeated) return switched(source, mutants);
  return source.slice(0, only.start) + only.text + source.slice(only.end);
}
