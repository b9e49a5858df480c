import type { Store } from '../../../../store/store.ts';
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

/**
 * The claim of a process to the stream of a session for what belongs to no request. It is a record, whose version keeps two
 * from taking it at once.
 */
export class Claim {
  readonly #parts: ClaimParts;
  readonly #session: string;
  /** True when another process had it before: what changed meanwhile may not have been told. */
  isMoved = false;

  constructor(parts: ClaimParts, session: string) {
    this.#parts = parts;
    this.#session = session;
  }

  /**
   * Takes it.
   *
   * @param evenIfOpen Choice whether it is taken from a process that has the stream open: its client says that it broke.
   * @returns False when it is another one's.
   */
  async take(evenIfOpen: boolean): Promise<boolean> {
    const { store, inbox, settings } = this.#parts;
    const [key, session, process] = [this.#key, this.#session, inbox.name];
    const kept = await store.records.get(key);
    this.isMoved = kept !== undefined && kept.text !== process;
    if (kept?.text === process) return true;
    if (kept !== undefined && !evenIfOpen) {
      const reply = await inbox.ask(kept.text, (line) => ({ kind: 'there', session, process, line }), patienceMs);
      if (reply === 'open') return false;
    }
    const version = await store.records.put(key, process, settings.sessionIdleMs, kept?.version ?? 0);
    if (version === undefined) return false;
    // Where it is not heard the old one is fenced by what is written here.
    if (kept !== undefined) await inbox.tell(kept.text, { kind: 'taken', session }).catch(() => undefined);
    return true;
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
