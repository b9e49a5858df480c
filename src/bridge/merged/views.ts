import type { Call } from '../../host/call.ts';
import type { MergedList } from './lists.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { Named } from './names.ts';
import type { Slot } from './slot.ts';

/** One list as a client was shown it. */
export interface ListView {
  /** Target of each entry, by the name that the client knows. */
  readonly targets: ReadonlyMap<string, Named<Slot>>;
  /** Names that each server listed last, its own. */
  readonly known: ReadonlyMap<Slot, ReadonlySet<string>>;
}

/** The lists as one client, or all clients of one principal, were shown them. */
export interface View {
  readonly lists: Map<MergedList, ListView>;
  /** Parts that came too late to be shown, until they are. */
  readonly late: Map<MergedList, Map<Slot, readonly JsonObject[]>>;
}

/** Limit of principals whose views are kept. */
const most = 1_000;

/**
 * Lists as clients were shown them: a name means what the list said where the client read it, whatever other clients
 * see or what became of the list since.
 */
export class Views {
  readonly #ofSessions = new WeakMap<object, View>();
  readonly #ofPrincipals = new Map<string | undefined, View>();

  /** The view of the client of a call. */
  of({ session, auth }: Call): View {
    const known = session === undefined ? this.#ofPrincipals.get(auth?.principal) : this.#ofSessions.get(session.state);
    const view = known ?? { lists: new Map(), late: new Map() };
    if (session !== undefined) {
      this.#ofSessions.set(session.state, view);
      return view;
    }
    this.#ofPrincipals.delete(auth?.principal);
    this.#ofPrincipals.set(auth?.principal, view);
    const [oldest] = this.#ofPrincipals.keys();
    if (this.#ofPrincipals.size > most) this.#ofPrincipals.delete(oldest);
    return view;
  }
}
