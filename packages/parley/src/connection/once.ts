import { heldAsJson } from '../json/held.ts';
import { whyNotJson } from '../jsonrpc/encode.ts';
import { hashOf } from './hash.ts';

/** Outcome of a side effect that ran: its result, which may be `undefined`, or why that cannot be kept. */
export interface Ran {
  readonly result?: unknown;
  readonly refused?: string;
}

/** Side effect; its id is the same in each run of one request, and no other has it. */
export type Effect<T> = (id: string) => T | Promise<T>;

/** Makes what the ids of effects begin with, the same in all runs of one request. */
export function newSeed(): string {
  return crypto.randomUUID();
}

/** Side effects of one conversation, each run at most once; shared by both eras. */
export class Once {
  readonly #ran = new Map<string, Promise<Ran>>();
  /** The same, of those that are kept where they last. */
  readonly #kept = new Map<string, Promise<Ran>>();
  readonly #seed: string;
  #running = 0;

  /**
   * @param known What ran in earlier rounds, by key.
   * @param seed Beginning of the ids that effects get.
   */
  constructor(known: Readonly<Record<string, Ran>> = {}, seed: string = newSeed()) {
    this.#seed = seed;
    for (const [key, ran] of Object.entries(known)) {
      this.#ran.set(key, Promise.resolve(ran));
      this.#kept.set(key, Promise.resolve(ran));
    }
  }

  /**
   * Runs an effect, or gives the result that it had.
   *
   * @param keep Keeps the outcome where it lasts, before anybody learns of it. Where it rejects, so does this, and whoever asks next has it tried again.
   * @throws TypeError when JSON cannot hold the result; the effect ran all the same, and does not run again.
   */
  async run<T>(key: string, effect: Effect<T>, keep?: (ran: Ran) => Promise<void>): Promise<T> {
    const { result, refused } = await (this.#kept.get(key) ?? this.#keeping(key, effect, keep));
    if (refused !== undefined) throw new TypeError(refused);
    // The same key means the same effect, hence the same type; JSON keeps it, or the result was refused.
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
      .then(() => effect(`${this.#seed}.${hashOf(key)}`))
      .finally(() => this.#running--)
      .then((result) => kept(key, result));
    this.#ran.set(key, ran);
    // A failed effect may be tried again; the failure itself is the caller's to hear.
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

/** Outcome of an effect as JSON holds it, which is what a replay gives back, so that the first run sees the same. */
function kept(key: string, result: unknown): Ran {
  try {
    return { result: heldAsJson(result) };
  } catch (error) {
    return {
      refused: `ctx.once(${JSON.stringify(key)}) gave what JSON cannot hold: ${whyNotJson(error)}; let it return what later runs need`,
    };
  }
}
