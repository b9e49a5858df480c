import { after } from '../../jsonrpc/timeout.ts';

/** Time between two reported gaps of one connection, in milliseconds. */
const pauseMs = 30_000;

/**
 * Limits the gap reports of one connection: the first is reported at once, and those in the pause after it together at
 * its end. A proxy that cuts idle streams causes a gap each time, and after a gap every client lists everything again.
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

  /** Stops reporting. */
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
