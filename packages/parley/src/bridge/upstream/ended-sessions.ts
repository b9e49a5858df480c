import { monotonicNow } from '../../jsonrpc/timeout.ts';

/** Time between two reports, in milliseconds: any client that may open sessions can cause them. */
const quietMs = 60_000;

/** Reports sessions that were ended to make room for others. Only the operator of the bridge gets the reason. */
export class EndedSessions {
  readonly #warn: (message: string) => void;
  #count = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  /**
   * Counts some that were ended.
   *
   * @param taken What there was no more of.
   * @param option What allows more, where something does.
   */
  add(count: number, taken: string, option?: string): void {
    if (count === 0) return;
    this.#count += count;
    const now = monotonicNow();
    if (now - this.#toldAt < quietMs) return;
    const ended = this.#count === 1 ? 'a session was ended' : `${this.#count} sessions were ended`;
    const more = option === undefined ? '' : `; ${option} allows more`;
    this.#warn(
      `${ended} to make room for another, since ${taken} were in use: its client's next request gets 404, and not every client then opens a new session${more}`,
    );
    this.#count = 0;
    this.#toldAt = now;
  }
}
