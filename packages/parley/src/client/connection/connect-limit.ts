import { waitFor } from '../api/wait-for.ts';

/** Limits of one step of connecting. */
export interface StepLimits {
  readonly timeoutMs?: number | undefined;
  /** Name of the option that `timeoutMs` comes from. */
  readonly timeoutName?: string | undefined;
  /** Rest of the time for the whole; `undefined` means no limit. */
  readonly maxTotalTimeoutMs?: number | undefined;
  /** Is added the time in which a person was asked, which does not count. */
  readonly still?: { ms: number } | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The signal of two that are there, or the only one. */
export function either(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one === undefined || other === undefined ? (one ?? other) : AbortSignal.any([one, other]);
}

/** The time that connecting may take as a whole, however many steps it has. */
export class ConnectLimit {
  readonly #ms: number;
  readonly #signal: AbortSignal | undefined;
  readonly #clock: () => number;
  readonly #begun: number;
  readonly #still = { ms: 0 };

  /** @param ms 0 and Infinity mean no limit. */
  constructor(ms: number, signal: AbortSignal | undefined, clock: () => number) {
    this.#ms = ms === 0 ? Infinity : ms;
    this.#signal = signal;
    this.#clock = clock;
    this.#begun = clock();
  }

  /** Rest of the time, in milliseconds: never 0, which would mean no limit. */
  get left(): number {
    return Math.max(1, this.#ms - (this.#clock() - this.#begun - this.#still.ms));
  }

  /**
   * The limits of the next step.
   *
   * @param timeoutMs Time limit of this step, if it has its own.
   */
  step(timeoutMs: number = 0): StepLimits {
    const { left } = this;
    return {
      timeoutMs,
      maxTotalTimeoutMs: left === Infinity ? undefined : left,
      still: this.#still,
      signal: this.#signal,
    };
  }

  /** Waits for a step that has no limit of its own. A time-out does not end the step. */
  async wait<T>(work: Promise<T>, method: string, until: string, timed: boolean = true): Promise<T> {
    await waitFor(work, { method, until, signal: this.#signal, ms: timed ? this.left : 0 });
    return await work;
  }
}
