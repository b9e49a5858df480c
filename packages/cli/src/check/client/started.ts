import { spawn } from 'node:child_process';
import { after } from '../../../../parley/src/jsonrpc/timeout.ts';
import { resolveCommand } from '../../../../parley/src/transports/stdio/client/command.ts';
import { childEnvironment } from '../../../../parley/src/transports/stdio/client/environment.ts';
import { endWithProcess, forget, signalTree } from '../../../../parley/src/transports/stdio/client/process-tree.ts';
import type { StartedBy } from '../harness/lines.ts';

/** A client that runs. */
export interface StartedClient {
  /** Resolves when it has ended, with the way in which it did. */
  readonly ended: Promise<string>;
  /** The last lines that it wrote to its standard error. */
  lastWords(): readonly string[];
  /** Ends it, and all that it started. */
  close(): Promise<void>;
}

/** Time to end after a request to end, in milliseconds. */
const endMs = 2_000;

/** Time in which what it wrote last comes when it has ended, in milliseconds. */
const drainTimeoutMs = 1_000;

/** Characters and lines of its standard error that are kept. */
const most = { characters: 4_000, lines: 20 };

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
  let kept = '';
  let isCut = false;
  child.stderr.on('data', (text: string) => {
    isCut ||= kept.length + text.length > most.characters;
    kept = (kept + text).slice(-most.characters);
  });
  const lastWords = (): readonly string[] =>
    kept
      .split('\n')
      // In a line without its beginning, the end of a secret could not be recognized.
      .slice(isCut ? 1 : 0)
      .filter((line) => line.trim() !== '')
      .slice(-most.lines);
  const ended = new Promise<string>((resolve) => {
    let how = '';
    let cancel = (): void => undefined;
    // Its last output comes after its exit. A child that inherited its output may hold that open forever.
    child.once('exit', (code, signal) => {
      how = signal ?? `code ${code}`;
      cancel = after(drainTimeoutMs, () => resolve(how));
    });
    child.once('close', () => {
      cancel();
      resolve(how);
    });
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
  return { ended, lastWords, close };
}
