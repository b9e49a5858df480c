import { networkOf } from '../../auth/address.ts';
import type { RequestSender, ServerSession } from '../../host/host.ts';
import { hashOf } from '../../peer/hash.ts';

/** Parts of a call that are measured. */
export interface Measured extends RequestSender {
  /** The name of the state that it goes on from, where it is a round. */
  readonly continues?: string | undefined;
}

/** Length from which the name of somebody is shortened: stores take keys of 2,048 characters. */
const mostCharacters = 512;

/** Names of those who ask: the principal, else the session, else the address. */
export class Who {
  /** The sessions that no edge gave an id, as over stdio: no other process has them. */
  readonly #unnamed = new WeakMap<ServerSession, string>();
  #process: string | undefined;
  #count = 0;

  asks({ auth, session, address }: Measured): string {
    if (auth !== undefined) return nameOf('principal', auth.principal);
    if (session === undefined || session.passing === true)
      return address === undefined ? 'anybody' : nameOf('address', networkOf(address));
    return session.id === undefined ? this.#unnamedOf(session) : nameOf('session', session.id);
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

/** The text of JSON is well-formed, whatever a principal is called. */
function nameOf(kind: string, name: string): string {
  if (name.length > mostCharacters) return `${kind} ${JSON.stringify(name.slice(0, mostCharacters))} ${hashOf(name)}`;
  return `${kind} ${JSON.stringify(name)}`;
}
