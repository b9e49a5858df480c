import type { NowOrLater } from '../../../../../storage/now-or-later.ts';
import type { KeptRecord } from '../../../../../storage/records.ts';
import type { Store } from '../../../../../storage/store.ts';
import type { HttpSettings } from '../../options.ts';
import type { Inbox } from './inbox.ts';

/** Time that a process has to say whether a stream is open there, in milliseconds. */
const patienceMs = 3_000;

/** Parts of a claim. */
export interface ClaimParts {
  readonly store: Store;
  readonly inbox: Inbox;
  readonly settings: HttpSettings;
}

/** A claim whose stream is about to be opened here. Until that is over it counts as open. */
export interface OpeningStream {
  /** True when another process took it meanwhile: there is nothing to be opened. */
  readonly isLost: boolean;
  /** The stream is open, or nobody opens it. */
  over(): void;
}

/**
 * The claim of a process to the stream of a session for what belongs to no request. It is a record, whose version keeps two
 * from taking it at once.
 */
export class Claim {
  readonly #parts: ClaimParts;
  readonly #session: string;
  /** True when another process had it before, or this one with a copy of the session that it let go of: what changed meanwhile may not have been told. */
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
   * Takes it.
   *
   * @param evenIfOpen Choice whether it is taken from a process that has the stream open: its client says that it broke.
   * @returns `undefined` when it is another one's.
   */
  async take(evenIfOpen: boolean): Promise<OpeningStream | undefined> {
    const opening = { isLost: false, over: () => void this.#openings.delete(opening) };
    // Another process sees that it was taken before this one hears that it was.
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
    const { store, inbox } = this.#parts;
    const [key, session, process] = [this.#key, this.#session, inbox.name];
    const kept = await store.records.get(key);
    // What waited in a copy that this process let go of went with it.
    // Who comes back for a stream had one, also where the claim to it has expired.
    this.isMoved = (kept !== undefined || evenIfOpen) && !(kept?.text === process && this.#isHeard);
    if (kept?.text === process) {
      await this.touch();
      return true;
    }
    if (kept !== undefined && !evenIfOpen) {
      const reply = await inbox.ask(kept.text, (line) => ({ kind: 'there', session, process, line }), patienceMs);
      // A process that ends takes it from nobody.
      if (reply === 'open' || reply === 'closed') return false;
    }
    if (!(await this.#write(kept))) return false;
    // Where it is not heard the old one is fenced by what is written here.
    if (kept !== undefined) void inbox.tell(kept.text, { kind: 'taken', session }).catch(() => undefined);
    return true;
  }

  /** Writes that this process has it. False where another one was quicker: not where who had it kept it alive, which may be written anew. */
  async #write(kept: KeptRecord | undefined): Promise<boolean> {
    const { store, inbox, settings } = this.#parts;
    const put = (version: number): NowOrLater<number | undefined> =>
      store.records.put(this.#key, inbox.name, settings.sessionIdleMs, version);
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
    await this.#parts.store.records.touch(this.#key, this.#parts.settings.sessionIdleMs);
  }

  async forget(): Promise<void> {
    await this.#parts.store.records.delete(this.#key);
  }

  get #key(): string {
    return `listening ${this.#session}`;
  }
}
