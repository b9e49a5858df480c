/** Turns within one process: work with the same name runs in sequence, in its original order. */
export class Turns {
  /** The end of the last turn of each name; removed when no work waits. */
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Runs work when its turn comes.
   *
   * @param signal Aborts the wait, by a rejection with its reason. It does not stop running work.
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

/** Waits for work, or until a signal aborts the wait, which rejects with its reason. The work continues. */
export async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return await work;
  let abort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    // A reason may be any value that the owner of the signal passed.
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
