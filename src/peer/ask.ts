import type { JsonObject } from '../protocol/common.ts';

/** The methods by which a server asks its client. */
export type AskMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list';

/** All of them. */
export const askMethods: readonly AskMethod[] = ['elicitation/create', 'sampling/createMessage', 'roots/list'];

/** One question to the client. */
export interface Ask<T> {
  readonly method: AskMethod;
  /** In the canonical model. */
  readonly params: JsonObject;
  /** Names the question within its conversation; without one, its place in order does. */
  readonly key: string | undefined;
  /** Gives the question up, where it waits for an answer. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Reads an answer, in the canonical model.
   *
   * @returns The value, or why the answer is not acceptable and the question must be asked again.
   */
  accept(answer: JsonObject): Accepted<T> | Promise<Accepted<T>>;
}

/** Whether an answer was acceptable. */
export type Accepted<T> = { readonly value: T; readonly problem?: undefined } | { readonly problem: string };

/** How a running request talks with its client; each era has its own way, and handlers see none of it. */
export interface Asker {
  /** Asks, and gives what the answer was accepted as. */
  ask<T>(ask: Ask<T>): Promise<T>;
  /** Runs a side effect at most once in the conversation; its result must be JSON. */
  once<T>(key: string, run: () => T | Promise<T>): Promise<T>;
}

/** Side effects of one conversation, each run once; shared by both eras. */
export class Once {
  readonly #results = new Map<string, Promise<unknown>>();

  /** @param known What ran in earlier rounds, by key. */
  constructor(known: Readonly<Record<string, unknown>> = {}) {
    for (const [key, value] of Object.entries(known)) this.#results.set(key, Promise.resolve(value));
  }

  run<T>(key: string, effect: () => T | Promise<T>): Promise<T> {
    const known = this.#results.get(key);
    // The same key means the same effect, hence the same type.
    if (known !== undefined) return known as Promise<T>;
    const result = Promise.resolve().then(effect).then(asJson);
    this.#results.set(key, result);
    // A failed effect may be tried again; the failure itself is the caller's to hear.
    result.catch(() => this.#results.delete(key));
    return result;
  }

  /** The results by key, once those that still run are done. */
  async settled(): Promise<Readonly<Record<string, unknown>>> {
    const entries = await Promise.all(
      [...this.#results].map(async ([key, result]) =>
        result.then(
          (value) => [key, value] as const,
          () => undefined,
        ),
      ),
    );
    return Object.fromEntries(entries.filter((entry) => entry !== undefined));
  }
}

/** What a replay gives back is what JSON keeps, so that the first run sees the same. */
function asJson<T>(value: T): T {
  // JSON keeps the type of what is JSON; anything else was announced as a mistake of the handler.
  return (value === undefined ? undefined : JSON.parse(JSON.stringify(value))) as T;
}
