import { addNewest } from '../../jsonrpc/newest.ts';
import { monotonicNow } from '../../jsonrpc/timeout.ts';
import { McpError } from '../../protocol/error.ts';
import { mapMaybe, isLater, type MaybePromise } from '../../storage/maybe-promise.ts';
import type { RateDecision, Limits, RateLimit } from '../../storage/limits.ts';
import { MemoryLimits } from '../../storage/memory/limits.ts';
import { Who, type Measured } from './measured.ts';
import type { RateParts, ServerRates } from './rate-limit.ts';

/** Decision about a request: allowed, or rejected, perhaps because the store is down (`isAway`). */
export type RateVerdict = RateDecision | { readonly ok: false; readonly retryAfterMs: number; readonly isAway: true };

/** Counts one call of a client. A call with many rounds counts once. */
export type CountCall = (call: Measured) => MaybePromise<RateVerdict>;

/** Limit of rounds that are remembered, so that one which is sent again counts as a call of its own. */
const maxRounds = 10_000;
/** Limit of measures of one rate in this process; the one that was taken from longest ago is forgotten first. */
const maxMeasures = 10_000;
/** Time for which a store that failed is not asked, in milliseconds; then one request asks it again. */
const awayMs = 2000;

const granted: RateVerdict = { ok: true };

/** Measures of one server, all of one place. */
export class Rates {
  readonly #parts: RateParts;
  readonly #who = new Who();
  #askAgain = Number.NEGATIVE_INFINITY;
  #isLost = false;

  constructor(parts: RateParts) {
    this.#parts = parts;
  }

  /**
   * Makes the counter of a rate.
   *
   * @param what Name of the rate, the same in all processes.
   */
  of(what: string, limit: RateLimit | undefined): CountCall | undefined {
    if (limit === undefined) return undefined;
    const { perSecond, burst = Math.max(1, perSecond) } = limit;
    const { limits, name, shared } = this.#parts;
    const own = new MemoryLimits({ maxMeasures, now: () => limits.now?.() ?? monotonicNow() });
    // While processes have different rates, as in a deploy, each rate has measures of its own.
    const begins = `rate ${JSON.stringify([name, what, perSecond, burst])} `;
    if (shared === undefined) return (call) => own.take(this.#who.asks(call), limit);
    return (call) => this.#take(shared, own, begins + this.#who.asks(call), limit);
  }

  /** Makes a counter for calls with rounds: only the first round counts. */
  ofCalls(what: string, limit: RateLimit | undefined): CountCall | undefined {
    const take = this.of(what, limit);
    if (take === undefined) return undefined;
    const rounds = new Rounds();
    return (call) => {
      if (rounds.isNext(call)) return granted;
      return mapMaybe(take(call), (verdict) => {
        if (verdict.ok) rounds.begun(call);
        return verdict;
      });
    };
  }

  #take(shared: Limits, own: Limits, key: string, limit: RateLimit): MaybePromise<RateVerdict> {
    const now = monotonicNow();
    if (this.#isLost) {
      if (now < this.#askAgain) return this.#without(own, key, limit);
      // One asks whether it is back, and the others go on as they did.
      this.#askAgain = now + awayMs;
    }
    try {
      const verdict = shared.take(key, limit);
      if (!isLater(verdict)) return this.#heard(verdict);
      return Promise.resolve(verdict)
        .then((allowance) => this.#heard(allowance))
        .catch((error: unknown) => this.#lost(error, own, key, limit));
    } catch (error) {
      return this.#lost(error, own, key, limit);
    }
  }

  /** @throws TypeError for an invalid answer, which an untested store may return. */
  #heard(verdict: RateVerdict): RateVerdict {
    const { ok, retryAfterMs } = Object(verdict) as { readonly ok?: unknown; readonly retryAfterMs?: unknown };
    if (ok !== true && !(ok === false && Number.isFinite(retryAfterMs)))
      throw new TypeError('the limits of the store answered neither that something may be done nor when');
    this.#isLost = false;
    return verdict;
  }

  #lost(error: unknown, own: Limits, key: string, limit: RateLimit): MaybePromise<RateVerdict> {
    if (!this.#isLost) this.#parts.onError(error, 'rate limits');
    this.#isLost = true;
    this.#askAgain = monotonicNow() + awayMs;
    return this.#without(own, key, limit);
  }

  #without(own: Limits, key: string, limit: RateLimit): MaybePromise<RateVerdict> {
    return this.#parts.limits.lost === 'refuse'
      ? { ok: false, retryAfterMs: awayMs, isAway: true }
      : own.take(key, limit);
  }
}

/** Requests about tasks that a client may send, unless the server's options say otherwise. */
const defaultRate = { perSecond: 10, burst: 100 };

/** Makes the measures of a server. */
export function serverRates(parts: RateParts): ServerRates {
  const rates = new Rates(parts);
  const { tools, byTool = {}, completions, tasks = defaultRate, requests, initialize } = parts.limits;
  const [all, complete, aboutTasks] = [
    rates.ofCalls('tools', tools),
    rates.of('completions', completions),
    rates.of('tasks', tasks),
  ];
  const single = new Map(Object.entries(byTool).map(([tool, limit]) => [tool, rates.ofCalls(`tool ${tool}`, limit)]));
  const [asked, opened] = [rates.of('requests', requests), rates.of('initialize', initialize)];
  return {
    call: (tool, from) => inTurn([single.get(tool), all], from, callRefusal),
    complete: (from) => mapMaybe(complete?.(from) ?? granted, ({ ok }) => ok),
    tasks: (from) => mapMaybe(aboutTasks?.(from) ?? granted, ({ ok }) => ok),
    asked: (method, from) => {
      const refused = method === 'initialize' ? inTurn([opened], from, overRate('initialize')) : undefined;
      return mapMaybe(refused, (first) => first ?? inTurn([asked], from, overRate('requests')));
    },
  };
}

type Refused = Exclude<RateVerdict, { readonly ok: true }>;

/** Counts in several limits in order. Ends with the refusal of the first that is exhausted. */
function inTurn<T>(
  [take, ...others]: readonly (CountCall | undefined)[],
  from: Measured,
  refusal: (verdict: Refused) => T,
): T | undefined | Promise<T | undefined> {
  const rest = (): T | undefined | Promise<T | undefined> =>
    others.length === 0 ? undefined : inTurn(others, from, refusal);
  if (take === undefined) return rest();
  return mapMaybe(take(from), (verdict) => (verdict.ok ? rest() : refusal(verdict)));
}

/** Refuses a request that came too soon. The name of the rate in its data makes it 429 over HTTP, and no 503. */
function overRate(rate: 'requests' | 'initialize'): (verdict: Refused) => McpError {
  return (verdict) => {
    const retryAfterMs = Math.ceil(verdict.retryAfterMs);
    if ('isAway' in verdict)
      return new McpError('busy', 'how often clients ask cannot be found out now', { data: { retryAfterMs } });
    const what = rate === 'initialize' ? 'sessions opened' : 'requests';
    return new McpError('busy', `too many ${what} in a short time`, { data: { retryAfterMs, rate } });
  };
}

/** Message for a rejected call, which a model reads. */
function callRefusal(verdict: Refused): string {
  return 'isAway' in verdict
    ? 'how often tools are called cannot be found out now; wait a moment before the next call'
    : 'too many tool calls in a short time; wait a moment before the next';
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
    addNewest(this.#states, maxRounds, continues);
    return true;
  }
}
