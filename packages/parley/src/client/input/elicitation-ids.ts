import { setNewest } from '../../jsonrpc/newest.ts';
import { isAlive } from '../../protocol/lifetime.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import type { Revision } from '../../protocol/revision.ts';

/** Limit of unfinished elicitations that are remembered; the oldest are forgotten first. */
const most = 1000;
/** A person who has not come back from a page by then will not. */
const ageMs = 60 * 60_000;

/**
 * The elicitations that finish outside of this client, by the ids that servers gave them. Ids are opaque. (Spec
 * 2025-11-25, Elicitation, Completion notifications for URL mode.)
 */
export class ElicitationIds {
  readonly #since = new Map<string, number>();
  readonly #now: () => number;

  /** @param now The time, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Remembers an id; one that is known already keeps its age. */
  add(id: string): void {
    if (this.#isKnown(id)) return;
    setNewest(this.#since, most, [id, this.#now()]);
  }

  /** Forgets an id; gives whether it was known, which it is once. */
  complete(id: string): boolean {
    const known = this.#isKnown(id);
    this.#since.delete(id);
    return known;
  }

  #isKnown(id: string): boolean {
    const since = this.#since.get(id);
    return since !== undefined && this.#now() - since < ageMs;
  }
}

/** Tells whether elicitations have ids in a revision, which completion notices and errors name. */
export function namesElicitations(revision: Revision): boolean {
  const notice = methodOf('notifications/elicitation/complete');
  return notice !== undefined && isAlive(notice.lifetime, revision);
}
