/** Turns of one process: what has the same name runs one after the other, in the order in which it came. */
export class Turns {
  /** The end of the last turn of each name; gone when nobody waits. */
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Runs something when its turn comes.
   *
   * @param signal Gives up waiting, by a rejection with its reason; what runs is not stopped by it.
   */
  async run<Result>(name: string, run: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    const before = this.#last.get(name);
    let done = (): void => {};
    const ended = new Promise<void>((resolve) => (done = resolve));
    const mine = before === undefined ? ended : before.then(() => ended);
    this.#last.set(name, mine);
    try {
      if (before !== undefined) await unlessAborted(before, signal);
      return await run();
    } finally {
      done();
      void mine.then(() => {
        if (this.#last.get(name) === mine) this.#last.delete(name);
      });
    }
  }
}

/** Waits for something, or for a signal that gives it up, which rejects with its reason; what is waited for goes on. */
export async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return await work;
  let abort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    // A reason may be anything; it is what the owner of the signal gave.
    abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
