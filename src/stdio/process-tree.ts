import { spawn, spawnSync, type ChildProcess } from 'node:child_process';

/** The process groups that must not outlive this process. */
const groups = new Map<number, ChildProcess>();

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Signals a child and everything it started: its process group, and on Windows, where there are none and signals only
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
    // The whole group is gone already.
  }
}

/** Whether anything that a child started lives on in its group; on Windows nobody can tell once the child is gone. */
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

/** Forgets a child that has ended. */
export function forget(child: ChildProcess): void {
  if (child.pid === undefined || !groups.delete(child.pid) || groups.size > 0) return;
  process.off('exit', killAll);
  for (const signal of signals) process.off(signal, passOn);
}

function killAll(): void {
  for (const [pid, child] of groups) {
    if (process.platform === 'win32') spawnSync(taskkill(), killArguments(pid), { stdio: 'ignore', windowsHide: true });
    else signalTree(child, 'SIGKILL');
  }
}

/** Children in groups of their own miss the signals of the terminal; nobody else listening, the signal keeps its effect. */
function passOn(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  killAll();
  process.off(signal, passOn);
  process.kill(process.pid, signal);
}

function taskkill(): string {
  return `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\taskkill.exe`;
}

function killArguments(pid: number): string[] {
  return ['/pid', String(pid), '/T', '/F'];
}
