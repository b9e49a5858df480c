/** Contents of a cell of the fidelity table, and the words for what many cells say. */

import { isAlive, type Lifetime } from '../../../parley/src/protocol/lifetime.ts';
import { methodOf } from '../../../parley/src/protocol/catalogue.ts';
import type { Direction } from '../../../parley/src/protocol/reach.ts';
import type { Revision } from '../../../parley/src/protocol/revision.ts';

/** Fate of a feature between a client of one revision and a server of another. */
export type Fidelity =
  /** Arrives unchanged. `nothing` tells why there is nothing to forward, if the sender cannot express it. */
  | { readonly kind: 'carried'; readonly nothing?: string }
  | { readonly kind: 'changed'; readonly how: string }
  | { readonly kind: 'refused'; readonly error: string; readonly why: string };

/** One line of the fidelity table. */
export interface Feature {
  readonly id: string;
  readonly title: string;
  /** The part of the table that it stands in. */
  readonly group: string;
  /** Fate of the feature for a client of one revision before a server of another. */
  between(client: Revision, server: Revision): Fidelity;
}

/** Arrives unchanged. */
export const carried: Fidelity = { kind: 'carried' };

/** There is nothing to carry. */
export function nothing(why: string): Fidelity {
  return { kind: 'carried', nothing: why };
}

/** Arrives in another form. */
export function changed(how: string): Fidelity {
  return { kind: 'changed', how };
}

/** Is answered with an error; its name is that of the protocol. */
export function refused(error: string, why: string): Fidelity {
  return { kind: 'refused', error, why };
}

/** Sender and receiver of a message, by the direction that it travels in. */
export function ends(
  direction: Direction,
  client: Revision,
  server: Revision,
): { readonly sender: Revision; readonly receiver: Revision; readonly who: 'client' | 'server' } {
  return direction === 'up'
    ? { sender: client, receiver: server, who: 'client' }
    : { sender: server, receiver: client, who: 'server' };
}

/** The other one of two sides. */
export function other(who: 'client' | 'server'): 'client' | 'server' {
  return who === 'client' ? 'server' : 'client';
}

/** Tells whether a method exists in a revision, as a message of its own or inside an `InputRequiredResult`. */
export function exists(method: string, revision: Revision): boolean {
  const row = methodOf(method);
  const lives: readonly (Lifetime | undefined)[] = [row?.lifetime, row?.embedded];
  return lives.some((life) => life !== undefined && isAlive(life, revision));
}

/** A cell for each of the four ways in which a client and a server can have a fact of their revision, or lack it. */
export function byFact(
  has: (revision: Revision) => boolean,
  cells: {
    readonly neither: Fidelity;
    readonly both: Fidelity;
    /** The revision of the server alone has it. */
    readonly server: Fidelity;
    /** The revision of the client alone has it. */
    readonly client: Fidelity;
  },
): Feature['between'] {
  return (client, server) => {
    if (has(client)) return has(server) ? cells.both : cells.client;
    return has(server) ? cells.server : cells.neither;
  };
}
