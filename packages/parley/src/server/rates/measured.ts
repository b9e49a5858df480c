import { ownerOf } from '../../auth/common/owner.ts';
import type { RequestSender, ServerSession } from '../runtime/server-core.ts';
import { hashOf } from '../../connection/hash.ts';

/** Parts of a call that are measured. */
export interface Measured extends RequestSender {
  /** The name of the state from which it continues, if it is a later round. */
  readonly continues?: string | undefined;
}

/** Length above which a client's name is shortened: stores accept keys of up to 2,048 characters. */
const mostCharacters = 512;

/** Names of clients for rate limits: the principal, else the address, otherwise the session. */
export class Who {
  /** The sessions that no edge gave an id, as over stdio: no other process has them. */
  readonly #unnamed = new WeakMap<ServerSession, string>();
  #process: string | undefined;
  #count = 0;

  asks({ auth, session, address }: Measured): string {
    const owner = ownerOf(auth?.principal, address);
    if (owner !== undefined) return shortened(owner);
    // A client that opens another session for each call gets no other measure, where its address is known.
    if (session === undefined || session.passing === true) return 'anybody';
    return session.id === undefined ? this.#unnamedOf(session) : `session ${session.id}`;
  }

  #unnamedOf(session: ServerSession): string {
    const known = this.#unnamed.get(session);
    if (known !== undefined) return known;
    this.#process ??= crypto.randomUUID();
    const name = `session of ${this.#process} ${++this.#count}`;
    this.#unnamed.set(session, name);
    return name;
  }
}

function shortened(name: string): string {
  // The text of JSON is well-formed, wherever it is cut.
  return name.length > mostCharacters ? `${JSON.stringify(name.slice(0, mostCharacters))} ${hashOf(name)}` : name;
}
