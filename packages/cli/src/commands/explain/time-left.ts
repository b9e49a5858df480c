/** The time that explaining may take as a whole, and the parts of it. */

import { monotonicNow } from '../../../../parley/src/jsonrpc/timeout.ts';

/** Rest of a time, in milliseconds; 0 when it is over, and Infinity where there is no limit. */
export type TimeLeft = () => number;

/** Begins a time now. */
export function timeLeft(ms: number = Infinity): TimeLeft {
  const end = monotonicNow() + ms;
  return () => Math.max(0, end - monotonicNow());
}

/**
 * The next of some equal parts of what is left. What one of them does not use is for those after it.
 *
 * @param parts How many are still to come, with this one.
 */
export function partOf(left: TimeLeft, parts: number): TimeLeft {
  return timeLeft(left() / parts);
}

/** A limit of one wait that ends with the whole: a whole number of milliseconds, and never 0, which would mean no limit. */
export function atMost(left: TimeLeft, ms: number): number {
  return Math.max(1, Math.round(Math.min(ms, left())));
}
