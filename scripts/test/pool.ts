/** Starts processes that run test files, and hands each the next file when it is done with one. */

import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../../test/support/sources.ts';
import type { TestFile, Tier } from './files.ts';
import { emptyReport } from './reporter.ts';
import type { FileResult, RunFile } from './worker.ts';

/** How the files of a run are run. */
export interface PoolOptions {
  readonly tier: Tier | 'named';
  /** Runs the tests whose name contains this. */
  readonly name?: string;
  /** Shuffles the tests of each file. */
  readonly seed?: number;
  readonly starved: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds that each file may take, in place of the default. */
  readonly timeout?: number;
  /** Whether no file is started after the first that fails. */
  readonly bail?: boolean;
  /** Called when a file is over, in the order in which they end. */
  onResult(result: FileResult): void;
}

/** Milliseconds that a file may take; what takes longer is ended and fails. */
const fastTimeout = 120_000;
const slowTimeout = 900_000;
/** Milliseconds that a suite may need to notice its time-out. */
const graceTimeout = 15_000;
/** Milliseconds that a process may live on after its last file. At its end it writes what it compiled, and a busy machine takes its time. */
const endTimeout = 90_000;
/** A process that has run many files holds all that they loaded. */
const filesPerProcess = 150;

/** Runs every file; the first ones start first. At most `jobs` processes run at a time. */
export async function runPool(files: readonly TestFile[], jobs: number, options: PoolOptions): Promise<void> {
  const open = [...files];
  await Promise.all(
    Array.from({ length: Math.min(jobs, files.length) }, async () => {
      while (open.length > 0) await serveProcess(open, options);
    }),
  );
}

/** Starts one process and gives it files until none is left that may share it, or until it has run many. */
async function serveProcess(open: TestFile[], options: PoolOptions): Promise<void> {
  const first = open.shift();
  if (first === undefined) return;
  const worker = new Worker(first, options);
  let file: TestFile | undefined = first;
  for (let count = 0; file !== undefined; file = nextShared(open)) {
    const result = await worker.run(file);
    options.onResult(result);
    if (options.bail === true && result.failed > 0) open.length = 0;
    count += 1;
    if (worker.isOver || !file.isShared || count >= filesPerProcess) break;
  }
  const left = await worker.end();
  if (left !== undefined) options.onResult(failed(first.path, left));
}

/** Takes the first file that may share a process. */
function nextShared(open: TestFile[]): TestFile | undefined {
  const at = open.findIndex(({ isShared }) => isShared);
  return at === -1 ? undefined : open.splice(at, 1)[0];
}

/** A process that runs one test file after another. */
export class Worker {
  readonly #child: ChildProcess;
  readonly #over: Promise<void>;
  readonly #timeout: number | undefined;
  #output = '';
  isOver = false;

  constructor({ names }: TestFile, { tier, name, seed, starved, env, timeout }: PoolOptions) {
    // What a starved process starts is starved too.
    const slowed = {
      PARLEY_BROWSER_SLOWER: '5',
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${urlOf('test/support/starved.ts')}`,
    };
    this.#timeout = process.execArgv.some((word) => word.startsWith('--inspect')) ? 0 : timeout;
    const pattern = name === undefined ? names : escaped(name);
    this.#child = fork(join(root, 'scripts/test/worker.ts'), {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...process.env, ...env, PARLEY_TIER: tier, ...(starved ? slowed : {}) },
      execArgv: [
        ...['test/compile-cache.ts', 'test/setup.ts'].flatMap((path) => ['--import', urlOf(path)]),
        `--test-reporter=${urlOf('scripts/test/reporter.ts')}`,
        ...(pattern === undefined ? [] : [`--test-name-pattern=${pattern}`]),
        ...(seed === undefined ? [] : ['--test-randomize', `--test-random-seed=${seed}`]),
      ],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#output = (this.#output + text).slice(-20_000)));
    this.#over = new Promise((resolve) => {
      this.#child.once('close', () => {
        this.isOver = true;
        resolve();
      });
    });
  }

  /** Runs one file. A process that ends or hangs is a failure of the file. */
  async run({ path, isShared, isSlow }: TestFile): Promise<FileResult> {
    const timeout = this.#timeout ?? (isSlow ? slowTimeout : fastTimeout);
    const before = childCpu(this.#child.pid);
    const began = performance.now();
    const next: RunFile = { path, isShared, timeout: timeout === 0 ? Infinity : timeout };
    let result: FileResult | undefined;
    const answered = new Promise<void>((resolve) => {
      this.#child.once('message', (message) => {
        // Only the worker sends on this channel, and only this.
        result = message as FileResult;
        resolve();
      });
    });
    this.#child.send(next, () => undefined);
    const limit = timeout === 0 ? undefined : setTimeout(() => this.#child.kill('SIGKILL'), timeout + graceTimeout);
    await Promise.race([answered, this.#over]);
    clearTimeout(limit);
    if (result !== undefined) return { ...result, childCpu: childCpu(this.#child.pid) - before };
    const { exitCode, signalCode } = this.#child;
    const how = signalCode === null ? `ended with code ${exitCode}` : `was ended by ${signalCode}`;
    const text = `the process ${how} after ${((performance.now() - began) / 1_000).toFixed(0)} s, before the file was over`;
    return failed(path, `${text}\n${this.#output}`);
  }

  /** Lets the process end by itself. Says what is wrong when it does not, or when it fails at its end. */
  async end(): Promise<string | undefined> {
    if (this.isOver) return undefined;
    this.#child.send('end', () => undefined);
    let isLate = false;
    const limit = setTimeout(() => {
      isLate = true;
      this.#child.kill('SIGKILL');
    }, endTimeout);
    await this.#over;
    clearTimeout(limit);
    if (isLate) return `the process did not end: something is still open\n${this.#output}`;
    return undefined;
  }
}

function failed(path: string, text: string): FileResult {
  const failure = { name: '(the file itself)', place: path, text };
  const report = { ...emptyReport(), tests: 1, failed: 1, failures: [failure] };
  return { ...report, path, wall: 0, cpu: 0, childCpu: 0, processes: 0 };
}

/** Seconds of the processor in processes that this one started and that ended, where the system tells it. */
function childCpu(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return 0;
  }
}

function urlOf(path: string): string {
  return pathToFileURL(join(root, path)).href;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
