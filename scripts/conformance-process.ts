/** Processes that end when their time is up, with everything that they started. */

import { spawn, type ChildProcess } from 'node:child_process';

/** How a process ended. */
export interface Ended {
  /** `undefined` when it was ended by a signal. */
  readonly status: number | undefined;
  readonly timedOut: boolean;
  /** The last of what it printed. */
  readonly output: string;
}

const kept = 4000;
const running = new Set<ChildProcess>();

// Each process leads a group of its own, which does not hear of an interrupt.
process.once('exit', killAllRunning);

function killAllRunning(): void {
  for (const child of running) killGroup(child);
}

/** Runs a script with this Node; never rejects for how it ends. */
export function run(
  script: string,
  argv: readonly string[],
  { timeoutMs }: { readonly timeoutMs: number },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = begin(script, argv);
    let output = '';
    const collect = (text: string): void => {
      output = (output + text).slice(-kept);
    };
    child.stdout?.setEncoding('utf8').on('data', collect);
    child.stderr?.setEncoding('utf8').on('data', collect);
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      killGroup(child);
    }, timeoutMs);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ status: code ?? undefined, timedOut, output });
    });
  });
}

/** How long what serves has to end in good order, and to clear away what it made. */
const endingMs = 5_000;

/** A process that serves until it is stopped. */
export interface Serving {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts a script that prints the URL at which it serves.
 *
 * @throws Error when it ends without having done so.
 */
export function serve(script: string, argv: readonly string[]): Promise<Serving> {
  return new Promise((resolve, reject) => {
    const child = begin(script, argv);
    const closed = new Promise<void>((done) => void child.once('close', () => done()));
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-kept);
      process.stderr.write(text);
    });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const url = /^http:\S+$/m.exec(text)?.[0];
      if (url !== undefined) resolve({ url, stop: () => stopped(child, closed) });
    });
    child.once('error', reject);
    child.once('close', () => reject(new Error(`${script} ended before it served\n${errors}`)));
  });
}

async function stopped(child: ChildProcess, closed: Promise<void>): Promise<void> {
  const timer = setTimeout(() => killGroup(child), endingMs);
  child.kill('SIGTERM');
  await closed;
  clearTimeout(timer);
  killGroup(child);
}

function begin(script: string, argv: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [script, ...argv], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

/** What a process started may outlive it and hold its pipes open, hence the whole group. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}
