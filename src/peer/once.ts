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
