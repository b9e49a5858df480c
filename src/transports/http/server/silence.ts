import { Crowd, type Membership } from '../../../jsonrpc/crowd.ts';
import { eachInSlices } from '../../../jsonrpc/slices.ts';
import { after } from '../../../jsonrpc/timeout.ts';

/** Listener to its silence, when that lasted too long; must not throw. */
export interface Silent {
  breakSilence(): void;
}

/**
 * Those whose client has not had a byte yet. A look at each half of the time finds who was silent from one to the next: so one
 * timer serves all, and who answers at once costs a place in a crowd.
 */
export class Silence {
  readonly #ms: number;
  #young = new Crowd<Silent>();
  #old = new Crowd<Silent>();
  #cancelTimer: (() => void) | undefined;

  /** @param ms How long somebody is silent at most, in milliseconds. */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Takes somebody in, who leaves with the first byte. */
  add(silent: Silent): Membership {
    this.#cancelTimer ??= this.#lookLater();
    return this.#young.add(silent);
  }

  /** Looks no more. */
  close(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = () => {};
  }

  #lookLater(): () => void {
    return after(this.#ms / 2, () => {
      const silent = this.#old;
      this.#old = this.#young;
      this.#young = new Crowd();
      this.#cancelTimer = this.#old.size === 0 ? undefined : this.#lookLater();
      void eachInSlices(silent.all(), (one) => one.breakSilence());
    });
  }
}
