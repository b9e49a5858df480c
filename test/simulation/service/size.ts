/** How much there is in a plan: most are short, so that there are many of them, and a part is long. */

/** How much there may be of everything. */
export interface Size {
  /** A number from 0 up to 1 makes that many clients less one. */
  readonly clients: number;
  /** The fewest operations, and how many numbers of them there may be. */
  readonly least: number;
  readonly operations: number;
  /** How many numbers of faults there may be, from none on. */
  readonly faults: number;
  /** How much later than after 3 s all may be calm, in milliseconds. */
  readonly calmMs: number;
}

const long: Size = { clients: 2.4, least: 2, operations: 9, faults: 4, calmMs: 25_000 };

/** What goes wrong goes wrong where two or three things meet; it is short in time as well, so that they do. */
const short: Size = { clients: 1.5, least: 1, operations: 4, faults: 3, calmMs: 9_000 };

/** The share of plans that are long. */
const longShare = 0.25;

/** @param drawn A number from 0 up to 1. */
export function sizeOf(drawn: number): Size {
  return drawn < longShare ? long : short;
}
