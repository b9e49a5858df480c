/** Work that several callers join: it runs once, and continues while any of them waits. */

/** A waiting caller. */
export interface Waiter {
  readonly signal: AbortSignal;
  /** Called when the work begins and ends to wait for a user. */
  waiting?(person: boolean): void;
}

/** The work, as it sees those who wait for it. */
export interface Job {
  /** Aborts when no caller waits any more. */
  readonly signal: AbortSignal;
  /** Reports that a user is asked now, or no longer. */
  asking(person: boolean): void;
}

interface Running {
  readonly name: string;
  readonly result: Promise<unknown>;
  readonly controller: AbortController;
  readonly waiters: Set<Waiter>;
  asks: boolean;
}

/** One piece of work at a time. */
export class SharedWork {
  #running: Running | undefined;

  /**
   * Waits for work with a name, which starts unless it is running. If work with another name runs, it waits for that
   * instead.
   *
   * @returns True if it was the work with this name.
   * @throws The error of the work with this name, or the reason of the signal.
   */
  async join(name: string, waiter: Waiter, work: (job: Job) => Promise<void>): Promise<boolean> {
    waiter.signal.throwIfAborted();
    const left = this.#running?.controller.signal.aborted === true ? this.#running : undefined;
    if (left !== undefined) {
      // All callers left that work, so it ends with their reason, which does not concern this caller.
      await this.#wait(left, waiter).catch(() => waiter.signal.throwIfAborted());
      return await this.join(name, waiter, work);
    }
    const running = (this.#running ??= this.#begin(name, work));
    const ours = running.name === name;
    await this.#wait(running, waiter).catch((error: unknown) => {
      if (ours || waiter.signal.aborted) throw error;
    });
    return ours;
  }

  #begin(name: string, work: (job: Job) => Promise<void>): Running {
    const controller = new AbortController();
    const waiters = new Set<Waiter>();
    const asking = (person: boolean): void => {
      running.asks = person;
      for (const waiter of waiters) waiter.waiting?.(person);
    };
    const run = async (): Promise<void> => {
      // What follows needs the record of the work itself.
      await Promise.resolve();
      try {
        await work({ signal: controller.signal, asking });
      } finally {
        this.#running = undefined;
        asking(false);
      }
    };
    const running: Running = { name, result: run(), controller, waiters, asks: false };
    // Everybody may have left by the time that it fails.
    running.result.catch(() => undefined);
    return running;
  }

  async #wait(running: Running, waiter: Waiter): Promise<void> {
    const { waiters, controller } = running;
    waiters.add(waiter);
    if (running.asks) waiter.waiting?.(true);
    let aborted = (): void => {};
    const givenUp = new Promise<never>((_, reject) => {
      // The reason comes from the owner of the signal.
      aborted = () => reject(waiter.signal.reason as Error);
      waiter.signal.addEventListener('abort', aborted, { once: true });
    });
    try {
      await Promise.race([running.result, givenUp]);
    } finally {
      waiter.signal.removeEventListener('abort', aborted);
      waiters.delete(waiter);
      if (running.asks) waiter.waiting?.(false);
      if (waiters.size === 0) controller.abort(waiter.signal.reason);
    }
  }
}
