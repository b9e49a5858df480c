/**
 * A process that runs test files, one after another, each in a suite of its own. It is started by `pool.ts` with a channel, which names the next file.
 *
 * A file that shares its process must leave it as it found it: what stays behind is a failure of that file.
 */

import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { resolve } from 'node:path';
import { mock, suite } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { leftBehind, processState, type ProcessState } from '../../test/support/left-behind.ts';
import { endFile } from '../../test/support/file-end.ts';
import { takeViolations } from '../../test/support/sent-wrong.ts';
import { emptyReport, takeReport, type Failure, type FileReport } from './reporter.ts';

/** What the pool sends: the next file, or that there is none. */
export interface RunFile {
  readonly path: string;
  /** Whether other files run in this process too, so that it must be left as it was found. */
  readonly isShared: boolean;
  /** In milliseconds. */
  readonly timeout: number;
}

/** What the worker answers when a file is over. */
export interface FileResult extends FileReport {
  readonly path: string;
  /** Seconds of the file: by the clock, of the processor in this process, of the processor in processes that it started and that ended. */
  readonly wall: number;
  readonly cpu: number;
  readonly childCpu: number;
  /** How many processes it started. */
  readonly processes: number;
}

/** Of a file without a test of the wanted name, the runner reports nothing. */
const isFiltered = process.execArgv.some((word) => word.startsWith('--test-name-pattern='));

/** Milliseconds after which a process that has nothing to do says why it goes on. */
const openAfterMs = 10_000;
/** Tests may replace the timers. */
const realSetTimeout = globalThis.setTimeout;

let started = 0;
let hasFailed = false;

countProcesses();
noteUnhandled();

const send = process.send?.bind(process);
if (send === undefined) throw new Error('this is started by scripts/test.ts');

process.on('message', (next: RunFile | 'end') => {
  if (next === 'end') end();
  else void run(next);
});

/** Lets the process end. If it does not, its output names what is open. */
function end(): void {
  process.disconnect();
  const sayWhatIsOpen = (): void => console.error('still open:', process.getActiveResourcesInfo().join(', '));
  realSetTimeout(sayWhatIsOpen, openAfterMs).unref();
}

async function run({ path, timeout, isShared }: RunFile): Promise<void> {
  const [wall, cpu, before] = [performance.now(), process.cpuUsage(), started];
  unhandled = [];
  const found = processState();
  const report = takeReport();
  // A failure is in the report; a suite's promise does not reject.
  await suite(path, { timeout }, async () => {
    await import(pathToFileURL(resolve(path)).href);
  });
  mock.reset();
  await endFile();
  const { user, system } = process.cpuUsage(cpu);
  const told = await (isFiltered ? Promise.race([report, emptyAfter(500)]) : report);
  hasFailed ||= told.failed > 0;
  // Node sets it when a test fails, perhaps a moment later, during the next file.
  if (hasFailed) process.exitCode = undefined;
  const late = [...sentWrong(path), ...(isShared ? await leftOpen(path, found) : [])];
  const result: FileResult = {
    ...told,
    tests: told.tests + late.length,
    failed: told.failed + late.length,
    failures: [...told.failures, ...late],
    path,
    wall: (performance.now() - wall) / 1_000,
    cpu: (user + system) / 1_000_000,
    childCpu: 0,
    processes: started - before,
  };
  send?.(result);
}

async function emptyAfter(ms: number): Promise<FileReport> {
  await setTimeout(ms);
  return emptyReport();
}

/** What was sent between tests that the official schemas refuse. */
function sentWrong(path: string): readonly Failure[] {
  return takeViolations().map((text) => ({
    name: '(between tests)',
    place: path,
    text: `sent what the schema refuses: ${text}`,
  }));
}

/** What the file changed in the process and did not restore. */
async function leftOpen(path: string, found: ProcessState): Promise<readonly Failure[]> {
  const left = await leftBehind(found);
  if (left.length === 0) return [];
  const errors = unhandled.length === 0 ? '' : `\nerrors that nobody handled: ${unhandled.join('\n')}`;
  return [{ name: '(after its tests)', place: path, text: `the file leaves behind: ${left.join('; ')}${errors}` }];
}

/** Errors that nobody handled, during this file: the runner sets the exit code for those of a test that has ended. */
let unhandled: string[] = [];

function noteUnhandled(): void {
  const note = (error: unknown): void => {
    unhandled = [...unhandled.slice(-4), inspect(error)];
  };
  process.on('uncaughtException', note);
  process.on('unhandledRejection', note);
}

/** Every way of `node:child_process` ends in one of these. */
function countProcesses(): void {
  const { spawn } = childProcess.ChildProcess.prototype as unknown as { spawn(...args: unknown[]): unknown };
  Object.assign(childProcess.ChildProcess.prototype, {
    spawn(this: unknown, ...args: unknown[]) {
      started += 1;
      return spawn.apply(this, args);
    },
  });
  for (const name of ['spawnSync', 'execFileSync', 'execSync'] as const) {
    const original = childProcess[name] as (...args: unknown[]) => unknown;
    Object.assign(childProcess, {
      [name](...args: unknown[]) {
        started += 1;
        return original.apply(childProcess, args);
      },
    });
  }
  syncBuiltinESMExports();
}
