import type { Transport } from '../../../jsonrpc/transport.ts';
import { refuseNoNumber, refuseOther } from '../../../options/known-values.ts';
import { describeCommand } from './describe-command.ts';
import type { Environment } from './environment.ts';

/** Options of `spawn`: the start and the end of a child process; everything has a default. */
export interface SpawnOptions {
  /**
   * Variables for the server beside the few that are safe to inherit (`PATH`, `HOME` and their like). Secrets of this
   * process do not reach the server unless they are given here.
   */
  readonly env?: Environment;
  /** The working directory of the server; that of this process by default. */
  readonly cwd?: string;
  /**
   * Name of the command in messages, instead of its text and its working directory. Use it for commands with secrets.
   * By default the program and its script or package. Possible secrets in an argument are left out.
   */
  readonly calledAs?: string;
  /**
   * Destination of the server's stderr; `inherit` by default, `pipe` when `onStderr` is given. It is no sign of an
   * error.
   */
  readonly stderr?: 'inherit' | 'ignore' | 'pipe';
  /** Receives what the server writes to stderr. Its errors are printed. */
  readonly onStderr?: (text: string) => void;
  /**
   * Time that closing waits after each step (end of input, SIGTERM) before the next, and that descendants have to end;
   * 2 seconds by default. After a signal to this process, a step takes at most 750 ms.
   */
  readonly killTimeoutMs?: number;
  /** Limit of the bytes of a message of the server; 10 MiB by default. */
  readonly maxLineBytes?: number;
  /** Limit of the bytes that may wait for a server that does not read; 64 MiB by default. Beyond it, sending fails. */
  readonly maxPendingBytes?: number;
}

/**
 * Reaches a server by starting it as a child process that speaks over its standard input and output. Every `open`
 * starts a process of its own, which ends with the conversation and with this process. There is no shell between:
 * arguments reach the program as they are.
 *
 * @throws TypeError for arguments that are no list, and limits that are no numbers.
 *
 * @example
 * const transport = spawn('npx', ['-y', 'some-mcp-server'], { env: { API_KEY: key } });
 */
export function spawn(command: string, args: readonly string[] = [], options: SpawnOptions = {}): Transport {
  if (typeof command !== 'string' || !Array.isArray(args) || args.some((arg) => typeof arg !== 'string'))
    throw new TypeError("spawn takes a command and a list of arguments, as in spawn('node', ['server.js'])");
  const { killTimeoutMs, maxLineBytes, maxPendingBytes, onStderr } = options;
  for (const [name, value] of Object.entries({ killTimeoutMs, maxLineBytes, maxPendingBytes }))
    refuseNoNumber(name, value);
  refuseOther('function', 'onStderr', onStderr);
  const description = options.calledAs ?? describeCommand(command, args);
  return {
    description,
    network: 'pipe',
    ownsProcess: true,
    async open(receiver) {
      // A server on stdio exports this too, and must not load Node modules for it.
      const { openChild } = await import('./child.ts');
      return await openChild({ command, args, options: { ...options, description }, receiver });
    },
  };
}
