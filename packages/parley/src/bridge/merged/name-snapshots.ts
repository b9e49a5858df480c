import type { Call } from '../../server/runtime/call.ts';
import type { MergedList } from './lists.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { OwnedName } from './names.ts';
import type { Backend } from './backend.ts';

/** One list as a client was shown it. */
export interface ListView {
  /** Target of each entry, by the name that the client knows. */
  readonly targets: ReadonlyMap<string, OwnedName<Backend>>;
  /** Names that each server listed last, its own. */
  readonly known: ReadonlyMap<Backend, ReadonlySet<string>>;
}

/** The lists as one client received them. Clients of one principal share them if their tokens have no client id. */
export interface NameSnapshot {
  readonly lists: Map<MergedList, ListView>;
  /** Parts that came too late to be shown, until they are. */
  readonly late: Map<MergedList, Map<Backend, readonly JsonObject[]>>;
}

/** Limit of clients without sessions whose views are stored. */
const most = 1_000;

/**
 * Lists as clients received them. A name refers to the item in the list that the client read, whatever other clients
 * see or how the list changed since.
 */
export class Views {
  readonly #ofSessions = new WeakMap<object, NameSnapshot>();
  readonly #ofClients = new Map<string | undefined, NameSnapshot>();

  /** The view of the client of a call. */
  of({ session, auth }: Call): NameSnapshot {
    // A principal agrees to each client by itself: one may be shown what another must not know of.
    const client = auth && JSON.stringify([auth.principal, auth.clientId]);
    const known = session === undefined ? this.#ofClients.get(client) : this.#ofSessions.get(session.state);
    const view = known ?? { lists: new Map(), late: new Map() };
    if (session !== undefined) {
      this.#ofSessions.set(session.state, view);
      return view;
    }
    this.#ofClients.delete(client);
    this.#ofClients.set(client, view);
    const [oldest] = this.#ofClients.keys();
    if (this.#ofClients.size > most) this.#ofClients.delete(oldest);
    return view;
  }
}
