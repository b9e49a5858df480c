import { spawn } from 'node:child_process';
import { Unavailable } from './unavailable.ts';

/** How a command is run. */
export interface Running {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/**
 * Runs a command, and gives what it printed.
 *
 * @throws Unavailable when it is not there, fails, or takes too long.
 */
export async function ran([command = '', ...args]: readonly string[], options: Running): Promise<string> {
  return await new Promise((resolve, reject) => {
    const { cwd, env, timeoutMs } = options;
    const child = spawn(command, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // The time limit of `spawn` goes on when there is no such command.
    const limit = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    let [said, complaints] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints = (complaints + text).slice(-4000)));
    // It is closed, too, when it could not be started.
    child.once('error', () => reject(new Unavailable(`${command} is not here`)));
    child.once('close', (code, signal) => {
      clearTimeout(limit);
      if (code === 0) resolve(said.trim());
      const why = signal === null ? (complaints.trim().split('\n').at(-1) ?? '') : `it took over ${timeoutMs / 1000} s`;
      reject(new Unavailable(`${[command, ...args.slice(0, 3)].join(' ')} failed: ${why}`));
    });
  });
}
