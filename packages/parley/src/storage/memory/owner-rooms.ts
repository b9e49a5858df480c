import { setNewest } from '../../jsonrpc/newest.ts';

/** Characters that one owner may keep in a shared store within the time in which they are counted. */
const maxOfOwner = 32 * 1024 * 1024;
/** That time, in milliseconds. */
export const windowMs: number = 5 * 60 * 1_000;

/** Owners that are counted at once; the one that is counted longest is forgotten first. */
const maxOwners = 10_000;

/** Room in a store that processes share, for what each owner leaves there: one owner cannot fill it. */
export class OwnerRooms {
  readonly #now: () => number;
  readonly #taken = new Map<string, { readonly since: number; length: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Takes room for a text; false if there is none now.
   *
   * @param owner The owner of the text; `undefined` if neither a principal nor an address is known. Such texts are not
   *   counted.
   */
  take(owner: string | undefined, length: number): boolean {
    if (owner === undefined) return true;
    const now = this.#now();
    const known = this.#taken.get(owner);
    const isOver = known === undefined || now - known.since >= windowMs;
    if (isOver) {
      setNewest(this.#taken, maxOwners, [owner, { since: now, length }]);
      return true;
    }
    if (known.length + length > maxOfOwner) return false;
    known.length += length;
    return true;
  }
}
