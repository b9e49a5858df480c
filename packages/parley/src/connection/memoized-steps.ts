import { heldAsJson } from '../json/held.ts';
import { whyNotJson } from '../jsonrpc/encode.ts';
import { hashOf } from './hash.ts';

/** Outcome of a side effect that ran: its result, which may be `undefined`, or the reason why that cannot be stored. */
export interface Ran {
  readonly result?: unknown;
  readonly refused?: string;
}

/** Side effect. Its id is unique, and the same in each run of one request. */
export type Effect<T> = (id: string) => T | Promise<T>;

/** Makes the prefix of the ids of effects, the same in all runs of one request. */
export function newSeed(): string {
  return crypto.randomUUID();
}

/** Side effects of one conversation, each run at most once; shared by both eras. */
export class MemoizedSteps {
  readonly #ran = new Map<string, Promise<Ran>>();
  /** The outcomes that are stored durably. */
  readonly #kept = new Map<string, Promise<Ran>>();
  readonly #seed: () => string;
  #running = 0;

  /**
   * @param known What ran in earlier rounds, by key.
   * @param seed Returns the beginning of the ids that effects get. Most conversations have no effect, and Node takes
   *   milliseconds to load what makes random ids.
   */
  constructor(known: Readonly<Record<string, Ran>>, seed: () => string) {
    this.#seed = seed;
    for (const [key, ran] of Object.entries(known)) {
      this.#ran.set(key, Promise.resolve(ran));
      this.#kept.set(key, Promise.resolve(ran));
    }
  }

  /**
   * Runs an effect, or returns its earlier result.
   *
   * @param keep Stores the outcome durably, before any caller gets it. If it rejects, so does this, and the next call
   *   tries again.
   * @throws TypeError if JSON cannot hold the result. The effect ran all the same, and does not run again.
   */
  async run<T>(key: string, effect: Effect<T>, keep?: (ran: Ran) => Promise<void>): Promise<T> {
    const { result, refused } = await (this.#kept.get(key) ?? this.#keeping(key, effect, keep));
    if (refused !== undefined) throw new TypeError(refused);
    // The same key means the same effect, hence the same type. JSON can hold it, or the result was rejected.
    return result as T;
  }

  /** Tells whether an effect is under way. */
  get isRunning(): boolean {
    return this.#running > 0;
  }

  #keeping(key: string, effect: Effect<unknown>, keep?: (ran: Ran) => Promise<void>): Promise<Ran> {
    const ran = this.#ran.get(key) ?? this.#start(key, effect);
    if (keep === undefined) return ran;
    const told = ran.then(async (outcome) => keep(outcome).then(() => outcome));
    this.#kept.set(key, told);
    told.catch(() => this.#kept.delete(key));
    return told;
  }

  #start(key: string, effect: Effect<unknown>): Promise<Ran> {
    this.#running++;
    const ran = Promise.resolve()
      .then(() => effect(`${this.#seed()}.${hashOf(key)}`))
      .finally(() => this.#running--)
      .then((result) => kept(key, result));
    this.#ran.set(key, ran);
    // A failed effect may be tried again. Its failure goes to the caller.
    ran.catch(() => this.#ran.delete(key));
    return ran;
  }

  /** Outcomes of the effects that ran, by key, once those that still run are done. */
  async settled(): Promise<Readonly<Record<string, Ran>>> {
    const entries = await Promise.all(
      [...this.#ran].map(async ([key, running]) =>
        running.then(
          (ran) => [key, ran] as const,
          () => undefined,
        ),
      ),
    );
    return Object.fromEntries(entries.filter((entry) => entry !== undefined));
  }
}

/** Outcome of an effect in JSON form. A replay returns that form, so the first run gets it too. */
function kept(key: string, result: unknown): Ran {
  try {
    return { result: heldAsJson(result) };
  } catch (error) {
    return {
      refused: `ctx.once(${JSON.stringify(key)}) gave what JSON cannot hold: ${whyNotJson(error)}; let it return what later runs need`,
    };
  }
}
