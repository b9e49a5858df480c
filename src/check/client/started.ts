import { spawn } from 'node:child_process';
import { after } from '../../jsonrpc/timeout.ts';
import { resolveCommand } from '../../stdio/client/command.ts';
import { childEnvironment } from '../../stdio/client/environment.ts';
import { endWithProcess, forget, signalTree } from '../../stdio/client/process-tree.ts';
import type { StartedBy } from '../bench/lines.ts';

/** A client that runs. */
export interface StartedClient {
  /** Resolves when it has ended, with the way in which it did. */
  readonly ended: Promise<string>;
  /** Ends it, and all that it started. */
  close(): Promise<void>;
}

/** Time that it may take to end when it is told to, in milliseconds. */
const endMs = 2_000;

/** Starts a client; what it prints is given on. @param hear Hears the text that it prints. */
export function startClient({ command, args, env }: StartedBy, hear: (text: string) => void): StartedClient {
  const given = childEnvironment(env);
  const { file, args: words, verbatim } = resolveCommand(command, args, given);
  const child = spawn(file, words, {
    env: given,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: false,
    detached: process.platform !== 'win32',
    windowsHide: true,
    windowsVerbatimArguments: verbatim,
  });
  endWithProcess(child);
  for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', hear);
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      signalTree(child, 'SIGTERM');
      const cancel = after(endMs, () => signalTree(child, 'SIGKILL'));
      await ended;
      cancel();
    }
    forget(child);
  };
  return { ended, close };
}
