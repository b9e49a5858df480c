import type { JSX } from 'preact';
import { now } from './now.ts';
import { useTick } from './tick.ts';

/** Facts of how long something may be kept. */
export interface FreshFacts {
  /** Time from which it counts, in milliseconds since 1970. */
  readonly t: number;
  readonly ttlMs: number;
  readonly cacheScope: unknown;
}

/** Tells how long something may be kept still, by the hints of its server, as the time goes. */
export function Freshness({ t, ttlMs, cacheScope }: FreshFacts): JSX.Element {
  const left = t + ttlMs - now();
  // Users only notice the seconds of the last minutes.
  useTick(left > 0, left > 120_000 ? 10_000 : 1_000);
  return (
    <span class="muted">
      {left > 0 ? `fresh for ${duration(left)}` : 'not fresh any more'}
      {cacheScope === 'public' ? ', for everybody' : ', for you alone'}
    </span>
  );
}

/** A time that is left, for a person: "58 s", "4 min", "3 h", "2 days". */
export function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
