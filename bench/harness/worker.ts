import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Contender, Running, Sample } from './case.ts';
import { onServerCore, startServer, type ServerChild } from './child.ts';
import { installPeers } from './peers.ts';

/** A process that does the work itself, and whose own CPU time is what is compared. */
export interface WorkerContender {
  readonly name: string;
  readonly limit?: true;
  readonly peer?: true;
  /** A script of `bench/workers`, and its options. */
  readonly script: string;
  readonly options?: Readonly<Record<string, unknown>>;
  /** A script of `bench/servers` that it talks to, whose address becomes its option `url`. */
  readonly server?: string;
  /** How many round trips make one turn, and how many of them are under way at once. */
  readonly total: number;
  readonly inFlight: number;
}

/** What a worker is told to do. */
export interface Order {
  readonly total: number;
  readonly inFlight: number;
}

/** What a worker says when it is done, or what stopped it. */
export type Report =
  | { readonly cpu: number; readonly seconds: number; readonly p50: number; readonly p99: number }
  | { readonly failure: string };

const startMs = 30_000;
const turnMs = 300_000;

/** A contender whose cost is the CPU time of its own process per round trip, in microseconds. */
export function workerContender(contender: WorkerContender): Contender {
  const { name, limit, peer, script, server } = contender;
  return {
    name,
    ...(limit === undefined ? {} : { limit }),
    ...(peer === undefined ? {} : { peer }),
    start: async () => {
      if (peer === true) await installPeers();
      const remote = server === undefined ? undefined : await startServer(server);
      const child = startWorker(script, remote, contender.options);
      try {
        await reportOf(child, startMs);
      } catch (error) {
        await stop(child, remote);
        throw error;
      }
      return running(child, remote, contender);
    },
  };
}

function startWorker(script: string, remote: ServerChild | undefined, options: object = {}): ChildProcess {
  const path = fileURLToPath(new URL(`../workers/${script}.ts`, import.meta.url));
  const given = JSON.stringify({ ...options, ...(remote === undefined ? {} : { url: remote.url.href }) });
  const args = ['--disable-warning=ExperimentalWarning', path, given];
  // Beside a server a worker stays on the core of the load; alone it has the other, which nobody uses.
  const [command, argv] = remote === undefined ? onServerCore(process.execPath, args) : [process.execPath, args];
  const env = { ...process.env, NODE_ENV: 'production' };
  return spawn(command, argv, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], env });
}

function running(child: ChildProcess, remote: ServerChild | undefined, contender: WorkerContender): Running {
  const { total, inFlight } = contender;
  return {
    turn: async (share): Promise<Sample> => {
      const order: Order = { total: Math.max(inFlight, Math.round(total * share)), inFlight };
      const report = reportOf(child, turnMs);
      child.send(order);
      const done = await report;
      if ('failure' in done) throw new Error(done.failure);
      const { cpu, seconds, p50, p99 } = done;
      return { cost: cpu / order.total, more: { 'per second': order.total / seconds, 'p50 ms': p50, 'p99 ms': p99 } };
    },
    stop: () => stop(child, remote),
  };
}

/** The next that a worker says; the first is that it is ready. */
async function reportOf(child: ChildProcess, timeoutMs: number): Promise<Report> {
  let complaints = '';
  const collect = (text: Buffer): void => void (complaints = (complaints + text.toString()).slice(-2000));
  child.stderr?.on('data', collect);
  try {
    return await new Promise<Report>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`the worker took too long: ${complaints}`)), timeoutMs);
      child.once('message', (report: Report) => {
        clearTimeout(timer);
        child.removeAllListeners('exit');
        resolve(report);
      });
      child.once('exit', (code) => {
        clearTimeout(timer);
        reject(new Error(`the worker exited with ${code}: ${lastLines(complaints)}`));
      });
    });
  } finally {
    child.stderr?.off('data', collect);
  }
}

/** What a script that failed printed, with the words of the error first. */
function lastLines(complaints: string): string {
  return /^\w*Error.*$/m.exec(complaints)?.[0] ?? complaints.trim().replaceAll('\n', ' ');
}

async function stop(child: ChildProcess, remote: ServerChild | undefined): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
  await remote?.stop();
}
