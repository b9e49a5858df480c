/** Programs of others: a client that reads its plan, a server that tells its URL. They end with this process. */

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { onLine } from './lines.ts';
import type { Assignment, Outcome } from './step.ts';
import { planMs, startMs } from './times.ts';

const running = new Set<ChildProcessWithoutNullStreams>();

process.once('exit', killAllRunning);

function killAllRunning(): void {
  for (const child of running) killGroup(child);
}

/** A server that runs. */
export interface Serving {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Runs a client program until it ends.
 *
 * @returns What it complained of, which is its standard error.
 */
export async function runProgram<Todo extends { readonly id: string }>(
  command: readonly string[],
  assignment: Assignment<Todo>,
  tell: (outcome: Outcome) => void,
): Promise<string> {
  const child = begin(command);
  const complaints = complaintsOf(child);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const timer = setTimeout(() => killGroup(child), planMs);
  onLine(child.stdout, (line) => {
    const outcome = outcomeIn(line);
    if (outcome !== undefined) tell(outcome);
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(`${JSON.stringify(assignment)}\n`);
  await ended;
  clearTimeout(timer);
  // What it started may have outlived it.
  killGroup(child);
  return complaints();
}

/**
 * Starts a server program that prints the URL at which it serves.
 *
 * @throws Error when it ends or takes too long before it does.
 */
export async function startProgram(command: readonly string[]): Promise<Serving> {
  const child = begin(command);
  const complaints = complaintsOf(child);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => killGroup(child), startMs);
    onLine(child.stdout, (line) => {
      if (!/^http:\S+$/.test(line)) return;
      clearTimeout(timer);
      resolve(line);
    });
    child.once('close', () => {
      clearTimeout(timer);
      reject(new Error(`${command.join(' ')} ended before it served: ${complaints()}`));
    });
  });
  return {
    url,
    stop: async () => {
      killGroup(child);
      await closed;
    },
  };
}

function begin([command = '', ...args]: readonly string[]): ChildProcessWithoutNullStreams {
  const child = spawn(command, args, { detached: true, stdio: 'pipe' });
  running.add(child);
  child.once('error', () => running.delete(child));
  child.once('close', () => running.delete(child));
  return child;
}

function complaintsOf(child: ChildProcessWithoutNullStreams): () => string {
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => (text = (text + part).slice(-4000)));
  child.once('error', (error) => (text += String(error)));
  return () => text;
}

function outcomeIn(line: string): Outcome | undefined {
  try {
    const value: unknown = JSON.parse(line);
    // The programs are ours; what else is on their output is not an object with a step.
    return typeof value === 'object' && value !== null && 'step' in value ? (value as Outcome) : undefined;
  } catch {
    return undefined;
  }
}

/** What a program started may hold its pipes open, hence the whole group. */
function killGroup({ pid }: ChildProcessWithoutNullStreams): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}
