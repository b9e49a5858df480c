/** A silence lasts so many times the slowest answer so far, and at least so many milliseconds. */
const [times, leastMs] = [10, 500];

/** A process that was started loads for at most so many times as long as the first one. */
const timesToLoad = 10;

/** Waits of a run for answers of a process. */
export interface AnswerWaitOptions {
  /** Longest wait for an answer, in milliseconds. */
  readonly waitTimeoutMs: number;
  /** Longest wait for the first answer of a conversation, in milliseconds. */
  readonly openMs: number;
  /** True if each silence is waited for in full. */
  readonly isFull?: boolean;
}

/**
 * Tells how long to wait for an answer. The whole time is waited once in a run. From then on the server is known to be
 * silent, and the next silences are short, measured by its slowest answer. A late answer shows that the server is slow:
 * then every wait is in full again.
 */
export class AnswerWaits {
  readonly #options: AnswerWaitOptions;
  #isWaited = false;
  #isLate = false;
  #slowestMs = 0;
  #loadMs = 0;

  constructor(options: AnswerWaitOptions) {
    this.#options = options;
  }

  /** Wait for the next answer, in milliseconds. */
  get waitMs(): number {
    const { waitTimeoutMs, isFull = false } = this.#options;
    if (isFull || !this.#isWaited || this.#isLate) return waitTimeoutMs;
    return Math.min(waitTimeoutMs, Math.max(leastMs, times * this.#slowestMs));
  }

  /** Wait for the first answer of a process, in milliseconds; shorter if one is known to load faster. */
  get openMs(): number {
    const { waitTimeoutMs, openMs } = this.#options;
    if (this.#loadMs === 0 || this.#isLate) return openMs;
    return Math.min(openMs, Math.max(waitTimeoutMs, timesToLoad * this.#loadMs));
  }

  /** True if an answer came after its wait was over. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** Records an answer that took so many milliseconds. */
  answered(ms: number): void {
    this.#slowestMs = Math.max(this.#slowestMs, ms);
  }

  /** Records the first answer of a process. */
  opened(ms: number): void {
    this.#loadMs = Math.max(this.#loadMs, ms);
  }

  /** Records a wait of so many milliseconds in which no answer came. */
  unanswered(ms: number): void {
    // A timer may end a moment early.
    if (ms >= 0.99 * this.#options.waitTimeoutMs) this.#isWaited = true;
  }

  /** Records an answer to a request whose wait was over. */
  late(): void {
    this.#isLate = true;
  }
}
