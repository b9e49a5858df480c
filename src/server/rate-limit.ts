import { monotonicNow } from '../jsonrpc/timeout.ts';
import { shown } from '../mistakes/shown.ts';
import type { Call } from '../host/call.ts';
import type { ServerSession } from '../host/host.ts';
import type { RateLimit } from '../store/limits.ts';

/**
 * Limits of how often clients may ask. Each principal has its own measure, and each session of a client without one;
 * stateless requests from nobody in particular share one. It is kept in this process.
 */
export interface RateLimits {
  /** Beyond it a call is a failed result that the model can read. The rounds of one call count once. */
  readonly tools?: RateLimit;
  /** Beyond it a completion is an internal error. */
  readonly completions?: RateLimit;
  /** Requests about tasks; 10 a second and 100 at once by default. Beyond it one is refused as busy. */
  readonly tasks?: RateLimit;
  /** The time, in milliseconds; a clock that never jumps by default. */
  now?(): number;
}

/** Takes one from the measure of whoever asks: false when there is none left. One call with many rounds takes one. */
export type Take = (call: Measured) => boolean;

/** Parts of a call that are measured. */
export type Measured = Pick<Call, 'auth' | 'session'> & { readonly continues?: Call['continues'] };

interface Bucket {
  left: number;
  at: number;
}

/** Limit of rounds that are remembered, so that one which is sent again counts as a call of its own. */
const maxRounds = 10_000;
/** Limit of principals that are measured at once; the one that came longest ago is forgotten first. */
const maxPrincipals = 10_000;

/**
 * Measures by token buckets.
 *
 * @throws TypeError for a limit that nothing can pass.
 */
export function rateLimited(limit: RateLimit | undefined, now: () => number = monotonicNow): Take {
  if (limit === undefined) return () => true;
  const { perSecond, burst = Math.max(1, perSecond) } = limit;
  const isNumbers = typeof perSecond === 'number' && typeof burst === 'number';
  if (!isNumbers || !(perSecond > 0) || !(burst >= 1))
    throw new TypeError(
      `a rate has a perSecond above 0, and a burst of at least 1; not ${shown(perSecond)} and ${shown(burst)}`,
    );
  const principals = new Map<string, Bucket>();
  const sessions = new WeakMap<ServerSession, Bucket>();
  const anybody: Bucket = { left: burst, at: now() };

  const bucketOf = ({ auth, session }: Measured): Bucket => {
    if (auth === undefined && session === undefined) return anybody;
    const fresh = { left: burst, at: now() };
    if (auth !== undefined) {
      const bucket = principals.get(auth.principal) ?? fresh;
      principals.delete(auth.principal);
      principals.set(auth.principal, bucket);
      const [oldest] = principals.keys();
      if (principals.size > maxPrincipals && oldest !== undefined) principals.delete(oldest);
      return bucket;
    }
    // Without a principal there is a session: the case of neither is above.
    const known = session as ServerSession;
    const bucket = sessions.get(known) ?? fresh;
    sessions.set(known, bucket);
    return bucket;
  };

  const rounds = new Rounds();
  return (call) => {
    if (rounds.isNext(call)) return true;
    const bucket = bucketOf(call);
    const time = now();
    bucket.left = Math.min(burst, bucket.left + (Math.max(0, time - bucket.at) * perSecond) / 1000);
    bucket.at = time;
    if (bucket.left < 1) return false;
    bucket.left -= 1;
    rounds.begun(call);
    return true;
  };
}

/**
 * Knows the rounds of calls that were measured when they began. A state that comes a second time, which its client may
 * send as often as it likes, is no next round.
 */
class Rounds {
  readonly #states = new Set<string>();
  readonly #calls = new WeakSet<Measured>();

  /** A call was measured. In a session all rounds of a handler that drives them by hand belong to it. */
  begun(call: Measured): void {
    this.#calls.add(call);
  }

  isNext(call: Measured): boolean {
    if (this.#calls.has(call)) return true;
    const { continues } = call;
    if (continues === undefined || this.#states.has(continues)) return false;
    this.#states.add(continues);
    const [oldest] = this.#states;
    if (this.#states.size > maxRounds && oldest !== undefined) this.#states.delete(oldest);
    return true;
  }
}
