/** Clients that stay for more than an hour when all is calm, and rest between two calls: whatever a service keeps for a time is kept as long as it is used. */

import type { Fault, Plan } from './plan.ts';

/** How long clients may rest, in minutes: less than sessions are kept for. */
const restMinutes = [1.5, 4, 12, 25];
/** The share of plans in which they do: an hour has as many events as many schedules. */
const share = 0.002;
const hourMs = 70 * 60_000;

/**
 * Draws how long clients rest.
 *
 * @returns Milliseconds; `undefined` where they leave when all is calm.
 */
export function restMsOf(draw: (name: string) => number): number | undefined {
  if (draw('rests') >= share) return undefined;
  return (restMinutes[Math.floor(draw('rest') * restMinutes.length)] ?? 1) * 60_000;
}

/** The times at which a rest is over, from when all is calm. */
export function restsOf(restMs: number): readonly number[] {
  return Array.from({ length: Math.ceil(hourMs / restMs) }, (_, at) => (at + 1) * restMs);
}

/** The time at which somebody comes who has a session and no stream; `undefined` where nobody does. */
export function staysFrom({ restMs, calmAt, pair, revision }: Plan): number | undefined {
  const hasSessions = !pair && revision < '2026-07-28';
  return restMs !== undefined && hasSessions ? calmAt + 45_000 : undefined;
}

/** What happens in a rest: something changes, or a process makes room for another where sessions outlive it. Nobody may miss or lose anything by that. */
export function restFaults(
  restMs: number | undefined,
  {
    calmAt,
    nodes,
    mayMove,
    draw,
  }: {
    readonly calmAt: number;
    readonly nodes: number;
    /** Sessions of bridges and of HTTP+SSE end with their process. */
    readonly mayMove: boolean;
    draw(name: string, at: number): number;
  },
): readonly Fault[] {
  if (restMs === undefined) return [];
  const kinds: readonly Fault['kind'][] =
    nodes > 1 && mayMove ? ['news', 'change', 'drain', 'drain'] : ['news', 'change'];
  return restsOf(restMs).map((end, at) => ({
    at: Math.floor(calmAt + end - draw('rest fault at', at) * (restMs - 50_000)),
    node: Math.floor(draw('rest node', at) * nodes),
    kind: kinds[Math.floor(draw('rest fault', at) * kinds.length)] ?? 'news',
    ms: 0,
  }));
}
