import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { onServerCore } from './child.ts';

/** A program that speaks over its standard input and output, on the core of the servers. */
export interface StdioChild {
  /** Sends one message, and gives the line with the answer of that id. */
  ask(id: number, body: string): Promise<string>;
  /** Sends what is not answered. */
  tell(body: string): void;
  /** CPU time so far, in microseconds, of a script that says so. */
  cpu(): Promise<number>;
  stop(): Promise<void>;
}

const answerMs = 30_000;

export interface StdioOptions {
  /** Whether it has a channel to say what it used; a program that is not a script of `bench/stdio` wants none. */
  readonly channel?: boolean;
}

/** Starts a program of Node; nothing is waited for. */
export function startStdio(args: readonly string[], { channel = false }: StdioOptions = {}): StdioChild {
  const [command, argv] = onServerCore(process.execPath, args);
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = spawn(command, argv, { stdio: ['pipe', 'pipe', 'pipe', ...(channel ? ['ipc' as const] : [])], env });
  const waiting = new Map<number, { resolve: (line: string) => void; reject: (error: Error) => void }>();
  let complaints = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaints = (complaints + text).slice(-2000)));
  const fail = (error: Error): void => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  child.once('error', fail);
  child.once('exit', (code) => fail(new Error(`the server exited with ${code}: ${complaints.trim().slice(0, 300)}`)));
  // A program that is gone says so by its exit.
  child.stdin?.on('error', () => {});
  readLines(child, (line) => {
    // An id is looked for as text, so that reading costs the load little; every server writes it so.
    const id = Number(/"id":(\d+)/.exec(line)?.[1]);
    waiting.get(id)?.resolve(line);
    waiting.delete(id);
  });
  return {
    ask: async (id, body) =>
      await new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        child.stdin?.write(`${body}\n`);
      }),
    tell: (body) => void child.stdin?.write(`${body}\n`),
    cpu: () => cpuOf(child),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function readLines(child: ChildProcess, heard: (line: string) => void): void {
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) heard(line);
  });
}

async function cpuOf(child: ChildProcess): Promise<number> {
  const answer = once(child, 'message', { signal: AbortSignal.timeout(answerMs) });
  child.send('cpu');
  // The scripts answer with a number and send nothing else.
  const [number] = (await answer) as [number];
  return number;
}
