import { refuseUnknown, type Names } from '../../../../options/known-names.ts';
import { refuseNoNumber } from '../../../../options/known-values.ts';

/** Times of a shutdown that loses no requests. */
export interface ClosingTimes {
  /**
   * Time for which everything is served as before while `health.ready` answers 503, in milliseconds. A balancer then
   * learns of the shutdown before any client is rejected. The default 0 is right without a balancer. With one, use
   * twice its check interval.
   */
  readonly readyTimeoutMs?: number;
  /** Time that requests being answered have from then on, in milliseconds; that of the option `drainTimeoutMs` by default. */
  readonly drainTimeoutMs?: number;
}

const names: Names<ClosingTimes> = { readyTimeoutMs: 1, drainTimeoutMs: 1 };

/**
 * Rejects invalid times. A string is accepted and ignored: it is the signal name if a program registers `close` as a
 * signal listener.
 *
 * @throws TypeError for invalid times.
 */
export function checkClosing(times: ClosingTimes): void {
  if (typeof times === 'string') return;
  refuseUnknown('close', times, names);
  for (const [name, value] of Object.entries(times)) refuseNoNumber(name, value);
}
