import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { onServerCore, type Server } from './child.ts';

const answerMs = 30_000;

/**
 * Starts a server that is no script of Node, and waits until it listens. It prints its URL, then for each line that it reads
 * the CPU time of its process so far in microseconds, user and system, by `getrusage` as Node takes its own; it ends with its
 * input.
 *
 * @throws Error when it ends or is silent before it listens, with what it complained of.
 */
export async function startProgram([program = '', ...args]: readonly string[]): Promise<Server> {
  const child = spawn(...onServerCore(program, args), { stdio: 'pipe' });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints = (complaints + text).slice(-2000)));
  child.once('error', (error) => (complaints += error.message));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  // A program that is gone says so by the end of its output.
  child.stdin.on('error', () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const timer = setTimeout(() => child.kill('SIGKILL'), answerMs);
    const { value, done } = await lines.next();
    clearTimeout(timer);
    if (done !== true) return value;
    await closed;
    throw new Error(`the server is gone: ${complaints.trim()}`);
  };
  const url = await next();
  return {
    url: new URL(url),
    cpu: async () => {
      child.stdin.write('cpu\n');
      return Number(await next());
    },
    stop: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
