/** Runs the program: as a person would, in a process of its own, or where that adds nothing, in this one. */

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { run as runCommand } from '../../packages/cli/src/commands/run.ts';
import { quickly } from './programs.ts';
import { root } from './sources.ts';

/** The file of the program: that of `dist/`, unless a source is newer. */
export const parley: string = join(root, isBuilt() ? 'packages/cli/dist/main.js' : 'packages/cli/src/main.ts');

/** The words of a command line that serves the example server on stdio. */
export const exampleCommand: readonly string[] = [process.execPath, parley, 'example'];

/** What a program did. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that runs. */
export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ran>;
  /** Resolves with the first match in what it wrote to stdout and stderr; rejects when it ends before. */
  said(pattern: RegExp): Promise<string>;
}

/** Starts the program; it is killed when it takes longer than anybody would wait. */
export function start(argv: readonly string[], env: Readonly<Record<string, string>> = {}, maxMs = 240_000): Running {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [parley, ...argv], {
    env: { PATH, HOME, ...ownState(), ...quickly, ...env },
    timeout: maxMs,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let stderr = '';
  const waiting = new Set<() => void>();
  const heard = (): void => {
    for (const look of waiting) look();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => ((stdout += text), heard()));
  child.stderr.setEncoding('utf8').on('data', (text: string) => ((stderr += text), heard()));
  child.stdin.on('error', () => undefined);
  const ended = new Promise<Ran>((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
  const said = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(stdout) ?? pattern.exec(stderr);
        if (found === null) return;
        waiting.delete(look);
        resolve(found[1] ?? found[0]);
      };
      waiting.add(look);
      look();
      void ended.then((ran) => reject(new Error(`it ended with ${JSON.stringify(ran)}`)));
    });
  return { child, ended, said };
}

/**
 * Runs a command line with a time for each answer, and with more time until that was enough for what a process must do in it: a busy machine takes seconds to begin one.
 *
 * @returns What it did with the first time that was enough, or with the last one.
 */
export async function withTimes(
  run: (timeout: string) => Promise<Ran>,
  isEnough: (ran: Ran) => boolean,
  times: readonly [string, ...string[]] = ['300', '3000', '30000'],
): Promise<Ran & { readonly timeout: string }> {
  let [timeout, ...more] = times;
  for (;;) {
    const ran = await run(timeout);
    const [next, ...others] = more;
    if (next === undefined || isEnough(ran)) return { ...ran, timeout };
    [timeout, more] = [next, others];
  }
}

/** Runs the program to its end, with nothing on its standard input. */
export function run(argv: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran> {
  const { child, ended } = start(argv, env);
  child.stdin.end();
  return ended;
}

/** Runs a command line in this process: what needs neither signals nor streams of a process is faster so. */
export async function inThisProcess(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  const code = await runCommand(argv, { stdin, stdout, stderr, env: { ...ownState(), ...env }, signal });
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

/** The folder of stored credentials that the runner gives to its tests. A test reads and writes nothing in the home of the person who runs it. */
function ownState(): Readonly<Record<string, string>> {
  const { XDG_STATE_HOME: folder } = process.env;
  return folder === undefined ? {} : { XDG_STATE_HOME: folder };
}

function isBuilt(): boolean {
  const built = statSync(join(root, 'packages/cli/dist/main.js'), { throwIfNoEntry: false });
  if (built === undefined) return false;
  const sources = globSync('packages/*/src/**/*.{ts,tsx,css}', { cwd: root }).filter(
    (path) => !path.endsWith('.test.ts'),
  );
  return sources.every((path) => statSync(join(root, path)).mtimeMs <= built.mtimeMs);
}
