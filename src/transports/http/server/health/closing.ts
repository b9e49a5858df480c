import { refuseUnknown, type Names } from '../../../../options/known-names.ts';
import { refuseNoNumber } from '../../../../options/known-values.ts';

/** Times of an end that loses nobody. */
export interface ClosingTimes {
  /**
   * Time in which everything is served as before and `health.ready` says 503, so that a balancer hears of it before anybody is refused, in
   * milliseconds; 0, which is right where nothing in front asks. As long as two of the balancer's looks is right behind one.
   */
  readonly readyMs?: number;
  /** Time that requests being answered have from then on, in milliseconds; that of the option `drainMs` by default. */
  readonly drainMs?: number;
}

const names: Names<ClosingTimes> = { readyMs: 1, drainMs: 1 };

/**
 * Refuses what are no times. A text is none and is fine: that of a signal, where a program listens to it with `close` itself.
 *
 * @throws TypeError for what is no time.
 */
export function checkClosing(times: ClosingTimes): void {
  if (typeof times === 'string') return;
  refuseUnknown('close', times, names);
  for (const [name, value] of Object.entries(times)) refuseNoNumber(name, value);
}
