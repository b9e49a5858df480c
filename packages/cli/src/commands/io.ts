import type { Readable, Writable } from 'node:stream';
import type { ConnectionError, ConnectionReason } from '../../../parley/src/jsonrpc/transport.ts';
import type { TimeLimit } from './call/time-limit.ts';

/** Parts of its process that a command may touch. */
export interface Io {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the person wants the command to end. */
  readonly signal: AbortSignal;
  /**
   * Registers a listener for the next request to end, which would otherwise end the process; the one after that ends
   * it. Left out if only one is possible.
   */
  readonly onInsist?: (hear: () => void) => void;
  /** The time for the whole command; left out where it has all the time. */
  readonly limit?: TimeLimit;
}

/** The value of a variable whose name a person wrote. An environment inherits the members of every object, which are no variables. */
export function environmentValue(env: Io['env'], name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

/** A command: it gets the words after its name and gives the exit code. */
export type Command = (argv: readonly string[], io: Io) => Promise<number>;

/** The command line makes no sense; the exit code is 2. */
export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UsageError';
  }
}

/** The error of a connection, which is the cause, with advice. */
export class AdvisedError extends Error {}

/** Failures of a connection whose server was not reached, or went away. */
const unreached: ReadonlySet<ConnectionReason> = new Set(['refused', 'exited', 'closed', 'session-lost', 'timeout']);

/** Statuses of a proxy in front of a server that it does not reach. */
const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Tells whether a failure of a connection means that the server was not reached or went away; the exit code is 3. A server
 * that answers with another HTTP status was reached.
 */
export function isUnreached({ reason, status }: Pick<ConnectionError, 'reason' | 'status'>): boolean {
  return unreached.has(reason) || (status !== undefined && gatewayStatuses.has(status));
}

/** Tells whether a user is at a terminal, to read messages and answer. */
export function isTerminal({ stdin, stderr }: Io): boolean {
  return 'isTTY' in stdin && stdin.isTTY === true && 'isTTY' in stderr && stderr.isTTY === true;
}

/** Tells whether a person sits at another machine than the browser of this one: they came over SSH, and see no window of it. */
export function isRemote({ env }: Io): boolean {
  return env['SSH_CONNECTION'] !== undefined && env['DISPLAY'] === undefined && env['WAYLAND_DISPLAY'] === undefined;
}

/** Resolves when the signal is aborted. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
