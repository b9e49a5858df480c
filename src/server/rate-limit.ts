import type { AskedRates } from './runtime/host.ts';
import { shown } from '../options/shown.ts';
import { andThen } from '../storage/now-or-later.ts';
import type { Limits, RateLimit } from '../storage/limits.ts';
import type { Measured } from './rates/measured.ts';

/**
 * Limits of how often clients may ask. Each principal has measures of its own; of clients without one each address has, of IPv6 the first half of it, however many
 * sessions they open. Where no address is known, as over stdio, each session has. They hold over all processes that share a `store`.
 */
export interface RateLimits {
  /** Requests of any kind, `initialize` and `ping` among them. Beyond it one is refused as busy: over HTTP by 429 with `Retry-After`. */
  readonly requests?: RateLimit;
  /** Sessions that are opened, by principal or address. Beyond it `initialize` is refused as busy: over HTTP by 429 with `Retry-After`. */
  readonly initialize?: RateLimit;
  /** Beyond it a call is a failed result that the model can read. The rounds of one call count once. */
  readonly tools?: RateLimit;
  /** The same for single tools, by name, beside `tools`. What one of the two refuses may have counted for the other. */
  readonly byTool?: Readonly<Record<string, RateLimit>>;
  /** Beyond it a completion is an internal error. */
  readonly completions?: RateLimit;
  /** Requests about tasks; 10 a second and 100 at once by default. Beyond it one is refused as busy. */
  readonly tasks?: RateLimit;
  /**
   * Answer while the store cannot be asked: by the measures that this process keeps itself (`own`, the default), so that N processes let N times as
   * much pass; or none of what is measured is let through (`refuse`).
   */
  readonly lost?: 'own' | 'refuse';
  /** The time, in milliseconds, by which this process measures; a clock that never jumps by default. The store has its own. */
  now?(): number;
}

/** Measures of one server. */
export interface ServerRates {
  /** Those that every request takes from. */
  readonly asked: AskedRates;
  /** Takes one of the calls of a tool; gives the words for one that is refused, which a model reads. */
  call(tool: string, from: Measured): string | undefined | Promise<string | undefined>;
  /** Takes one of the completions. */
  complete(from: Measured): boolean | Promise<boolean>;
  /** Takes one of the requests about tasks. */
  tasks(from: Measured): boolean | Promise<boolean>;
}

/** Place where measures are kept, and what holds where they are not. */
export interface RateParts {
  readonly limits: RateLimits;
  /** The measures of a store; this process keeps them itself without one. */
  readonly shared: Limits | undefined;
  /** Beginning of the keys: services that share a store are told apart by their names. */
  readonly name: string;
  onError(error: unknown, where: string): void;
}

/** Limits of whoever serves, and the measures by which they hold. */
export interface Rated {
  readonly limits: RateLimits;
  readonly rates: () => ServerRates | Promise<ServerRates>;
}

/** Gives the measures of a server, which are loaded by the first request that is measured. */
export function lateRates(parts: RateParts): Rated {
  let rates: ServerRates | undefined;
  return {
    limits: parts.limits,
    rates: () => rates ?? import('./rates/rates.ts').then(({ serverRates }) => (rates ??= serverRates(parts))),
  };
}

/** Measures of all requests, where there are limits of those. */
export function askedRates({ limits: { requests, initialize }, rates }: Rated): AskedRates | undefined {
  if (requests === undefined && initialize === undefined) return undefined;
  return (method, from) => andThen(rates(), ({ asked }) => asked(method, from));
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
