import { monotonicNow } from '../../jsonrpc/timeout.ts';

/** Limits of upstream connections. */
interface Limits {
  readonly limit: number;
  readonly ownLimit: number;
}

/** Time between two words of it, in milliseconds: whoever may open sessions can bring them about. */
const quietMs = 60_000;

/** Tells the owner of a bridge of sessions that were ended so that others have room: nobody else hears why. */
export class EndedSessions {
  readonly #warn: (message: string) => void;
  #count = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  /** Counts one that was ended, for a client that has all of its own or since all are taken. */
  add({ limit, ownLimit }: Limits, isOwn: boolean): void {
    this.#count++;
    const now = monotonicNow();
    if (now - this.#toldAt < quietMs) return;
    const ended = this.#count === 1 ? 'a session was ended' : `${this.#count} sessions were ended`;
    const [all, option] = isOwn
      ? [`the ${ownLimit} upstream connections of one client`, 'maxUpstreamsPerClient (--max-upstreams-per-client)']
      : [`all ${limit} upstream connections`, 'maxUpstreams (--max-upstreams)'];
    this.#warn(
      `${ended} to make room for another, since ${all} were taken: what its client asks next gets 404, and not every client begins anew by itself; ${option} allows more`,
    );
    this.#count = 0;
    this.#toldAt = now;
  }
}
