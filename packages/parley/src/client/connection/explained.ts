/** Messages about a connection that failed, or that uses an older protocol version than it might. */

import { ConnectionError, failedLoads } from '../../jsonrpc/transport.ts';
import type { Inbound } from './open-channel.ts';

/** Facts beside the failure. */
export interface FailedConnect {
  /** Time that connecting might take as a whole. */
  readonly limitMs: number;
  /**
   * Present if the server is a process: the number of its starts, and the error of its first output that is not a
   * message.
   */
  readonly program: { readonly starts: number; readonly printed: Error | undefined } | undefined;
}

const startedAgain = 'it was started twice, since an older server may exit at the first request of a newer client';
const remedy = 'its standard output must hold only messages; write logs to standard error';

/**
 * Explains that the overall limit ended a step. For a program that did not answer in time, adds why it was started
 * again, and what it printed instead of messages.
 */
export function explainedConnect(error: ConnectionError, { limitMs, program }: FailedConnect): ConnectionError {
  const { reason, message } = error;
  const limit = reason === 'timeout' ? limitWords(message, limitMs) : undefined;
  const { starts = 0, printed } = isUnheard(error) ? (program ?? {}) : {};
  const more = [
    ...(starts > 1 ? [startedAgain] : []),
    ...(printed === undefined ? [] : [`its first output is not a message (${printed.message}): ${remedy}`]),
  ];
  if (limit === undefined && more.length === 0) return error;
  return new ConnectionError(reason, [limit ?? message, ...more].join('; '), { cause: error });
}

/** Tells whether a program ended, or was not heard in time, for a reason that the error does not say. */
function isUnheard(error: ConnectionError): boolean {
  return ['timeout', 'closed', 'exited'].includes(error.reason) && !failedLoads.has(error);
}

/** Names the limit of the whole in place of the limit of one request: `m got no answer within 5 ms (maxTotalTimeoutMs, there)`. */
function limitWords(message: string, limitMs: number): string | undefined {
  const at = message.lastIndexOf(' within ');
  const rest = at === -1 ? null : /^\d{1,16} ms(?: \(maxTotalTimeoutMs([^)]*)\))?$/.exec(message.slice(at + 8));
  return rest === null
    ? undefined
    : `connecting took longer than ${limitMs} ms (connectTimeoutMs): ${message.slice(0, at)}${rest[1] ?? ''}`;
}

/** Facts about a failed probe, and about the revision that is used because it has no answer. */
export interface FailedProbe {
  readonly server: string;
  readonly date: string;
  readonly cause: unknown;
  /** True if the answer came after the probe timed out. */
  readonly isLate: boolean;
}

/** Warns that a revision is used because the probe failed. */
export function warnOfProbe(inbound: Pick<Inbound, 'warning'>, { server, date, cause, isLate }: FailedProbe): void {
  const why = cause instanceof Error ? cause.message : 'its answer was not usable';
  const late = isLate ? '; its answer came later: a greater probeTimeoutMs gives it that time' : '';
  inbound.warning(`${server} is spoken to in ${date}, since the probe failed (${why})${late}`, cause);
}
