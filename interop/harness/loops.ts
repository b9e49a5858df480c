/** Counts what a client sends over HTTP, and finds clients that ask without end. */

import type { WireLine } from './wire.ts';

/** The most requests of one step on one wire: more than the largest step needs, and fewer than a loop makes. */
const maxRequests = 60;

/** Number of times that a client may come back to the same event of a stream. */
const maxReturns = 2;

/** Requests among the lines of a wire. */
export function requestsIn(lines: readonly WireLine[]): number {
  return lines.filter(({ arrow, text }) => arrow === '→' && /^(?:GET|POST|DELETE) \//.test(text)).length;
}

/**
 * Finds a loop.
 *
 * @param step The lines of one step.
 * @param before Those of the steps before, which may have begun the loop.
 * @returns What repeats; `undefined` if nothing does.
 */
export function loopIn(step: readonly WireLine[], before: readonly WireLine[]): string | undefined {
  const requests = requestsIn(step);
  if (requests > maxRequests) return `${requests} requests were sent in one step`;
  const returns = new Map<string, number>();
  for (const { text } of [...before, ...step]) {
    const [, id] = /^GET .*; last-event-id: ([^;]+)/.exec(text) ?? [];
    if (id !== undefined) returns.set(id, (returns.get(id) ?? 0) + 1);
  }
  const isReturn = (id: string): boolean => step.some(({ text }) => text.includes(`last-event-id: ${id}`));
  for (const [id, times] of returns)
    if (times > maxReturns && isReturn(id)) return `the client came back ${times} times to the same event of a stream`;
  return undefined;
}
