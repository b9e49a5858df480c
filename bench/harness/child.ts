import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

/** A server in a process of its own, on the core that the load does not use. */
export interface Server {
  readonly url: URL;
  /** CPU time so far, of all its threads, in microseconds. */
  cpu(): Promise<number>;
  stop(): Promise<void>;
}

/** A script of `bench/servers` that serves. */
export interface ServerChild extends Server {
  /** What the script told beside its address. */
  readonly told: Readonly<Record<string, unknown>>;
  /** The heap in use after a collection, in bytes. */
  heap(): Promise<number>;
  /** How many handles, requests and timers keep the process alive. */
  resources(): Promise<number>;
  /** Makes the list of tools change, for whoever listens. */
  change(): Promise<void>;
  /** Begins to watch its event loop. */
  watch(): Promise<void>;
  /** How long its event loop stood at most since it is watched, in milliseconds; ends the watching. */
  stood(): Promise<number>;
}

const startMs = 30_000;
const hasTaskset = spawnSync('taskset', ['-c', '0', 'true']).status === 0;

/** A command on the core of the servers, where cores can be chosen. */
export function onServerCore(command: string, args: readonly string[]): readonly [string, string[]] {
  return hasTaskset ? ['taskset', ['-c', '0', command, ...args]] : [command, [...args]];
}

/** Keeps the load, which is this process, off the core of the servers, where cores can be chosen and there are two. */
export function leaveServerCore(): void {
  if (!hasTaskset || availableParallelism() < 2) return;
  spawnSync('taskset', ['-a', '-c', '-p', `1-${availableParallelism() - 1}`, String(process.pid)]);
}

/** The arguments that start a script of `bench/servers` with this very Node. */
export function scriptArguments(script: string, options: unknown): string[] {
  const path = fileURLToPath(new URL(`../servers/${script}.ts`, import.meta.url));
  return ['--expose-gc', '--disable-warning=ExperimentalWarning', path, JSON.stringify(options ?? {})];
}

/** Starts a script of `bench/servers` and waits until it listens. */
export async function startServer(script: string, options?: unknown): Promise<ServerChild> {
  const [command, args] = onServerCore(process.execPath, scriptArguments(script, options));
  // Some libraries do more work, or talk, unless they are told that this is no development.
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], env });
  let complaints = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaints = (complaints + text).slice(-2000)));
  const told = await firstMessage(child, () => complaints);
  return {
    url: new URL(String(told['url'])),
    told,
    cpu: () => ask(child, 'cpu'),
    heap: () => ask(child, 'heap'),
    resources: () => ask(child, 'resources'),
    change: async () => void (await ask(child, 'change')),
    watch: async () => void (await ask(child, 'watch')),
    stood: () => ask(child, 'stood'),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** The scripts answer each question with a number; questions are asked one at a time. */
async function ask(child: ChildProcess, question: string): Promise<number> {
  return await new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error('the server is gone'));
    child.once('exit', ended);
    child.once('message', (number) => {
      child.off('exit', ended);
      resolve(Number(number));
    });
    child.send(question, (error) => {
      if (error !== null) reject(error);
    });
  });
}

async function firstMessage(child: ChildProcess, complaints: () => string): Promise<Readonly<Record<string, unknown>>> {
  return await new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the server did not listen in time: ${complaints()}`));
    }, startMs);
    child.once('message', (message: Readonly<Record<string, unknown>>) => {
      clearTimeout(timer);
      resolve(message);
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the server exited with ${code}: ${complaints()}`));
    });
  });
}
