import { isReport } from '../exchanges/message-weight.ts';

/** Share of an event log that reports may take. */
export interface ReportLimits {
  readonly events: number;
  readonly length: number;
}

/** Half of the default limits for one session's events in memory. */
const ofMemory: ReportLimits = { events: 500, length: 512 * 1024 };

/** Half of what stores that processes share keep: fewer events, and bytes of sealed text. */
export const ofSharedStores: ReportLimits = { events: 100, length: 256 * 1024 };

const windowMs = 5 * 60 * 1_000;

/** Room in the event log of one session for reports. Without this limit they would push out the answers that a client comes back for. */
export class ReportRoom {
  readonly #now: () => number;
  readonly #most: ReportLimits;
  #since = Number.NEGATIVE_INFINITY;
  #events = 0;
  #length = 0;

  constructor(now: () => number, most: ReportLimits = ofMemory) {
    this.#now = now;
    this.#most = most;
  }

  /** Takes room for a message; false for a report that should not be stored. Other messages are always stored. */
  take(json: string): boolean {
    if (!isReport(json)) return true;
    const now = this.#now();
    if (now - this.#since >= windowMs) {
      this.#since = now;
      this.#events = this.#length = 0;
    }
    const { events, length } = this.#most;
    if (this.#events >= events || this.#length + json.length > length) return false;
    this.#events++;
    this.#length += json.length;
    return true;
  }
}
