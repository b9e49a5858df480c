import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { after } from '../../../jsonrpc/timeout.ts';

/** The process groups that must not outlive this process. */
const groups = new Map<number, ChildProcess>();

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Signals a child and its descendants: its process group. On Windows, which has no groups and where signals only
 * terminate, its process tree.
 */
export function signalTree(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  if (process.platform === 'win32') {
    if (signal === 'SIGKILL')
      spawn(taskkill(), killArguments(child.pid), { stdio: 'ignore', windowsHide: true }).on('error', () =>
        child.kill(),
      );
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The whole group has ended already.
  }
}

/** Tells whether descendants of a child live on in its group. On Windows this is unknown once the child has ended. */
export function hasGroup({ pid }: ChildProcess): boolean {
  if (pid === undefined || process.platform === 'win32') return false;
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}

/** Makes sure that a child ends when this process does, by its end or by a signal. */
export function endWithProcess(child: ChildProcess): void {
  if (child.pid === undefined) return;
  if (groups.size === 0) {
    process.on('exit', killAll);
    for (const signal of signals) process.on(signal, passOn);
  }
  groups.set(child.pid, child);
}

/** True once this process got a signal to end. */
let isSignalled = false;

const onSignal = new Set<() => void>();

/**
 * Calls a listener when a signal tells this process to end, or at once if one did.
 *
 * @returns What removes the listener.
 */
export function whenSignalled(listener: () => void): () => void {
  if (isSignalled) listener();
  else onSignal.add(listener);
  return () => void onSignal.delete(listener);
}

/** Forgets a child that has ended. */
export function forget(child: ChildProcess): void {
  if (child.pid === undefined || !groups.delete(child.pid) || groups.size > 0) return;
  isSignalled = false;
  process.off('exit', killAll);
  for (const signal of signals) process.off(signal, passOn);
}

function killAll(): void {
  for (const [pid, child] of groups) {
    if (process.platform === 'win32') spawnSync(taskkill(), killArguments(pid), { stdio: 'ignore', windowsHide: true });
    else signalTree(child, 'SIGKILL');
  }
}

/** Time that others who listen to a signal have to end in their own way. */
const graceMs = 5_000;

/** Copies of this module in one process recognize each other's listeners by it. */
const yields = Symbol.for('parley-mcp: leaves the end of the process to the signal');

/**
 * Children in groups of their own miss the signals of the terminal. A process with a listener no longer ends by a
 * signal. So it is ended here, children first. Listeners that only clean up do so meanwhile. A listener that may end
 * the process itself gets time to do it.
 */
const passOn = Object.assign(
  (signal: NodeJS.Signals): void => {
    isSignalled = true;
    for (const listener of onSignal) listener();
    const others = process.listeners(signal).filter((listener) => !(yields in listener)).length;
    if (others > signalExitListeners()) after(graceMs, () => endBy(signal));
    else {
      killAll();
      process.off(signal, passOn);
      process.kill(process.pid, signal);
      // A listener that should have left, and did not.
      after(lastWordsMs, () => endBy(signal));
    }
  },
  { [yields]: true },
);

const lastWordsMs = 500;

function endBy(signal: NodeJS.Signals): void {
  killAll();
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** Number of listeners of `signal-exit`, which waits for all others to leave: its versions 4, and 3. */
function signalExitListeners(): number {
  const emitters = [
    // Both libraries put their state where all their copies find it. Its type is checked below.
    (globalThis as Readonly<Record<symbol, unknown>>)[Symbol.for('signal-exit emitter')],
    (process as { readonly __signal_exit_emitter__?: unknown }).__signal_exit_emitter__,
  ];
  return emitters.reduce<number>(
    (sum, emitter) =>
      sum +
      (typeof emitter === 'object' && emitter !== null && 'count' in emitter && typeof emitter.count === 'number'
        ? emitter.count
        : 0),
    0,
  );
}

function taskkill(): string {
  return `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\taskkill.exe`;
}

function killArguments(pid: number): string[] {
  return ['/pid', String(pid), '/T', '/F'];
}
