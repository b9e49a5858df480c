import { InFlightList, type InFlightEntry } from '../../../../jsonrpc/in-flight-list.ts';
import { eachInSlices } from '../../../../jsonrpc/slices.ts';
import { after } from '../../../../jsonrpc/timeout.ts';

/** Listener to its silence, when that lasted too long; must not throw. */
export interface Silent {
  breakSilence(): void;
}

/**
 * The answers whose client has not received a byte yet. A check at each half of the time finds those that were silent
 * since the previous one. So one timer serves all, and a quick answer only costs a place in a list.
 */
export class KeepAlive {
  readonly #ms: number;
  #young = new InFlightList<Silent>();
  #old = new InFlightList<Silent>();
  #cancelTimer: (() => void) | undefined;

  /** @param ms The longest silence, in milliseconds. */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Adds an answer, which leaves with its first byte. */
  add(silent: Silent): InFlightEntry {
    this.#cancelTimer ??= this.#lookLater();
    return this.#young.add(silent);
  }

  /** Stops checking. */
  close(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = () => {};
  }

  #lookLater(): () => void {
    return after(this.#ms / 2, () => {
      const silent = this.#old;
      this.#old = this.#young;
      this.#young = new InFlightList();
      this.#cancelTimer = this.#old.size === 0 ? undefined : this.#lookLater();
      void eachInSlices(silent.all(), (one) => one.breakSilence());
    });
  }
}
