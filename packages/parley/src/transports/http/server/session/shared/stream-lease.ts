import type { OpeningStream } from '../sessions-elsewhere.ts';
import type { MaybePromise } from '../../../../../storage/maybe-promise.ts';
import type { StoredRecord } from '../../../../../storage/records.ts';
import type { Store } from '../../../../../storage/store.ts';
import type { HttpSettings } from '../../exchanges/options.ts';
import type { ProcessMailbox } from './process-mailbox.ts';

/** Time for a process to answer whether it has a stream open, in milliseconds. */
const limitMs = 3_000;

/** Parts of a claim. */
export interface ClaimParts {
  readonly store: Store;
  readonly mailbox: ProcessMailbox;
  readonly settings: HttpSettings;
}

/**
 * A process's lease of the GET stream of a session. It is a record, whose version prevents two processes from taking it
 * at once.
 */
export class StreamLease {
  readonly #parts: ClaimParts;
  readonly #session: string;
  /**
   * True if another process had it before, or if this one had it with a replica that it dropped: changes meanwhile may
   * not have been sent.
   */
  isMoved = false;
  #isHeard = false;
  readonly #openings = new Set<{ isLost: boolean }>();

  constructor(parts: ClaimParts, session: string) {
    this.#parts = parts;
    this.#session = session;
  }

  /** Tells whether a stream is about to be opened here. */
  get isOpening(): boolean {
    return this.#openings.size > 0;
  }

  /** The stream is open here, and its client knows what it may have missed. */
  heard(): void {
    this.#isHeard = true;
  }

  /** Another process has it now. */
  lost(): void {
    this.#isHeard = false;
    for (const opening of this.#openings) opening.isLost = true;
  }

  /**
   * Takes the lease.
   *
   * @param evenIfOpen True to take it from a process that has the stream open: its client reports that it broke.
   * @returns `undefined` if another process has it.
   */
  async take(evenIfOpen: boolean): Promise<OpeningStream | undefined> {
    const opening = { isLost: false, over: () => void this.#openings.delete(opening) };
    // Another process may see the new lease before this one gets the confirmation.
    this.#openings.add(opening);
    let isHere = false;
    try {
      isHere = (await this.#take(evenIfOpen)) && !opening.isLost;
    } finally {
      if (!isHere) opening.over();
    }
    return isHere ? opening : undefined;
  }

  async #take(evenIfOpen: boolean): Promise<boolean> {
    const { store, mailbox } = this.#parts;
    const [key, session, process] = [this.#key, this.#session, mailbox.name];
    const kept = await store.records.get(key);
    // Messages that waited in a dropped replica were dropped with it. A client that resumes a stream had one, even if
    // its lease has expired.
    this.isMoved = (kept !== undefined || evenIfOpen) && !(kept?.text === process && this.#isHeard);
    if (kept?.text === process) {
      await this.touch();
      return true;
    }
    if (kept !== undefined && !evenIfOpen) {
      const reply = await mailbox.ask(kept.text, (line) => ({ kind: 'there', session, process, line }), limitMs);
      // A process that is closing takes it from no other.
      if (reply === 'open' || reply === 'closed') return false;
    }
    if (!(await this.#write(kept))) return false;
    // If the notice is not received, the old holder is fenced by this write.
    if (kept !== undefined) void mailbox.tell(kept.text, { kind: 'taken', session }).catch(() => undefined);
    return true;
  }

  /**
   * Writes the lease of this process. False if another process was faster, but not if the holder only renewed it; then
   * it is written again.
   */
  async #write(kept: StoredRecord | undefined): Promise<boolean> {
    const { store, mailbox, settings } = this.#parts;
    const put = (version: number): MaybePromise<number | undefined> =>
      store.records.put(this.#key, mailbox.name, settings.sessionIdleTimeoutMs, version);
    if ((await put(kept?.version ?? 0)) !== undefined) return true;
    const now = await store.records.get(this.#key);
    return now !== undefined && now.text === kept?.text && (await put(now.version)) !== undefined;
  }

  /** Process that has it. */
  async holder(): Promise<string | undefined> {
    return (await this.#parts.store.records.get(this.#key))?.text;
  }

  /** Keeps it for as long as the session. */
  async touch(): Promise<void> {
    await this.#parts.store.records.touch(this.#key, this.#parts.settings.sessionIdleTimeoutMs);
  }

  async forget(): Promise<void> {
    await this.#parts.store.records.delete(this.#key);
  }

  get #key(): string {
    return `listening ${this.#session}`;
  }
}
