import type { AskedRates } from '../runtime/server-core.ts';
import { shown } from '../../options/shown.ts';
import { mapMaybe } from '../../storage/maybe-promise.ts';
import type { Limits, RateLimit } from '../../storage/limits.ts';
import type { Measured } from './measured.ts';

/**
 * Rate limits of clients. Each principal has its own limits. Clients without a principal share those of their address
 * (for IPv6, its first half), however many sessions they open. If no address is known, as over stdio, each session has
 * its own. All processes that share a `store` share the limits.
 */
export interface RateLimits {
  /** Requests of any kind, `initialize` and `ping` among them. Beyond it one is refused as busy: over HTTP by 429 with `Retry-After`. */
  readonly requests?: RateLimit;
  /** Sessions that are opened, by principal or address. Beyond it `initialize` is refused as busy: over HTTP by 429 with `Retry-After`. */
  readonly initialize?: RateLimit;
  /** Beyond it a call is a failed result that the model can read. The rounds of one call count once. */
  readonly tools?: RateLimit;
  /**
   * Limits of single tools, by name, in addition to `tools`. A call that one of the two rejects may still count for the
   * other.
   */
  readonly byTool?: Readonly<Record<string, RateLimit>>;
  /** Beyond it a completion is an internal error. */
  readonly completions?: RateLimit;
  /** Requests about tasks; 10 a second and 100 at once by default. Beyond it one is refused as busy. */
  readonly tasks?: RateLimit;
  /**
   * Behaviour while the store cannot be reached: each process limits by itself (`own`, the default), so that N
   * processes allow N times as much; or every limited request is rejected (`refuse`).
   */
  readonly lost?: 'own' | 'refuse';
  /** The time, in milliseconds, by which this process measures; a clock that never jumps by default. The store has its own. */
  now?(): number;
}

/** Measures of one server. */
export interface ServerRates {
  /** Those that every request takes from. */
  readonly asked: AskedRates;
  /** Counts one call of a tool. Returns the message for a rejected call, which a model reads. */
  call(tool: string, from: Measured): string | undefined | Promise<string | undefined>;
  /** Takes one of the completions. */
  complete(from: Measured): boolean | Promise<boolean>;
  /** Takes one of the requests about tasks. */
  tasks(from: Measured): boolean | Promise<boolean>;
}

/** The place where limits are counted, and the settings if there is none. */
export interface RateParts {
  readonly limits: RateLimits;
  /** The measures of a store; this process keeps them itself without one. */
  readonly shared: Limits | undefined;
  /** Prefix of the keys: it separates services that share a store. */
  readonly name: string;
  onError(error: unknown, where: string): void;
}

/** The limits of a server, and the counters that enforce them. */
export interface Rated {
  readonly limits: RateLimits;
  readonly rates: () => ServerRates | Promise<ServerRates>;
}

/** Gives the measures of a server, which are loaded by the first request that is measured. */
export function lateRates(parts: RateParts): Rated {
  let rates: ServerRates | undefined;
  return {
    limits: parts.limits,
    rates: () => rates ?? import('./rates.ts').then(({ serverRates }) => (rates ??= serverRates(parts))),
  };
}

/** The check for limits of all requests, if there are any. */
export function askedRates({ limits: { requests, initialize }, rates }: Rated): AskedRates | undefined {
  if (requests === undefined && initialize === undefined) return undefined;
  return (method, from) => mapMaybe(rates(), ({ asked }) => asked(method, from));
}

/** @throws TypeError for a rate that nothing can pass. */
export function checkRate(limit: RateLimit): void {
  const { perSecond, burst = Math.max(1, perSecond) } = limit;
  const isNumbers = typeof perSecond === 'number' && typeof burst === 'number';
  if (!isNumbers || !(perSecond > 0) || !(burst >= 1))
    throw new TypeError(
      `a rate has a perSecond above 0, and a burst of at least 1; not ${shown(perSecond)} and ${shown(burst)}`,
    );
}
