import { after } from '../../jsonrpc/timeout.ts';

/** Time between two gaps of one connection that are heard, in milliseconds. */
const pauseMs = 30_000;

/**
 * Hears gaps of one connection at most once in a while: the first at once, and those that come in the pause after it together at its
 * end. Whatever cuts idle streams makes a gap of each, and after a gap everybody lists everything again.
 */
export class GapBrake {
  readonly #hear: () => void;
  #hasMore = false;
  #endPause: (() => void) | undefined;
  #closed = false;

  constructor(hear: () => void) {
    this.#hear = hear;
  }

  /** Takes note of a gap. */
  note(): void {
    if (this.#closed) return;
    if (this.#endPause === undefined) this.#heard();
    else this.#hasMore = true;
  }

  /** Hears nothing any more. */
  close(): void {
    this.#closed = true;
    this.#endPause?.();
  }

  #heard(): void {
    this.#hasMore = false;
    this.#endPause = after(pauseMs, () => {
      this.#endPause = undefined;
      if (this.#hasMore) this.#heard();
    });
    this.#hear();
  }
}
