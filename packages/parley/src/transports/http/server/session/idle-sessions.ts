import { Heap } from '../../../../storage/memory/heap.ts';
import type { HttpSession } from './session.ts';

/** Sessions of one owner. */
interface OwnedSessions {
  count: number;
  /** The idle sessions, in the order in which they became idle. */
  readonly idle: Set<HttpSession>;
}

/** The sessions of one server in the order in which they make way: of the owner with the most, the one that is idle longest. */
export class IdleSessions {
  readonly #owners = new Map<string | undefined, OwnedSessions>();
  /** Owners that have idle sessions, by the number of all of theirs, the largest first. */
  readonly #largest = new Heap<string | undefined>();
  /** All idle sessions, in the order in which they became idle. */
  readonly #idle = new Set<HttpSession>();

  /** Adds a session that was opened. */
  add(session: HttpSession): void {
    const owned = this.#owners.get(session.owner) ?? { count: 0, idle: new Set() };
    this.#owners.set(session.owner, owned);
    owned.count++;
    this.changed(session);
  }

  /** Moves a session that became busy or idle. */
  changed(session: HttpSession): void {
    const owned = this.#owners.get(session.owner);
    if (owned === undefined) return;
    this.#idle.delete(session);
    owned.idle.delete(session);
    if (!session.isBusy) {
      this.#idle.add(session);
      owned.idle.add(session);
    }
    this.#place(session.owner, owned);
  }

  /** Forgets a session that ended. */
  delete(session: HttpSession): void {
    const owned = this.#owners.get(session.owner);
    if (owned === undefined) return;
    owned.count--;
    this.#idle.delete(session);
    owned.idle.delete(session);
    this.#place(session.owner, owned);
    if (owned.count === 0) this.#owners.delete(session.owner);
  }

  /** The session that makes way next; `undefined` if all are busy. */
  next(): HttpSession | undefined {
    const largest = this.#largest.first();
    const [longest] = (largest !== undefined && this.#owners.get(largest.thing)?.idle) || [];
    return longest;
  }

  /** The session that has been idle longest, of any owner. */
  longest(): HttpSession | undefined {
    const [longest] = this.#idle;
    return longest;
  }

  #place(owner: string | undefined, { count, idle }: OwnedSessions): void {
    if (idle.size > 0) this.#largest.set(owner, -count);
    else this.#largest.delete(owner);
  }
}
