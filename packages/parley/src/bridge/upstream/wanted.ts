import type { ClientView } from '../../server/runtime/call.ts';
import type { ServerSession } from '../../server/runtime/server-core.ts';
import { canonical } from '../../connection/digest.ts';
import type { ClientCapabilities } from '../../protocol/capability.ts';
import { projectClientCapabilities } from '../../protocol/compile/capabilities.ts';
import type { Revision } from '../../protocol/revision.ts';
import { ownerOf } from '../../auth/common/owner.ts';
import type { ForwardedCall } from './forwarded-call.ts';
import { declaredFor, declaredIn, hostedFor } from '../declared.ts';

/** Clients that a shared connection may serve. */
export interface WantedConnection {
  readonly principal?: string | undefined;
  readonly self?: ClientView | undefined;
  /** The owner whose places it takes. */
  readonly owner?: string | undefined;
}

/** Rules of an upstream about who may share a connection to it. */
export interface UpstreamSharing {
  /** Its revision, if that begins with a handshake. */
  readonly handshake: Revision | undefined;
  /** The single principal of all calls. If set, no other principal's connections need to be kept apart. */
  readonly own: string | undefined;
}

/** The connection for a caller, without further conditions. */
export function wantedOf(
  { principal, address }: { readonly principal?: string | undefined; readonly address?: string | undefined },
  own: string | undefined,
): WantedConnection {
  return { principal: principal === own ? undefined : principal, owner: ownerOf(principal, address) };
}

/** Parts of a call that decide which connection it needs. */
type Wanting = Pick<ForwardedCall, 'client' | 'facts' | 'address' | 'auth'>;

/** The connection that a call needs, by its client. */
export function wantedBy(
  forwarded: Wanting,
  principal: string | undefined,
  { handshake, own }: UpstreamSharing,
): WantedConnection {
  return { ...wantedOf({ principal, address: forwarded.address }, own), self: selfOf(forwarded, handshake) };
}

/**
 * Client that a connection to a handshake server speaks for, since it declares once what stateless clients declare with
 * each request; `undefined` for a client that declares nothing.
 */
export function selfOf(
  { client, facts }: Pick<Wanting, 'client' | 'facts'>,
  handshake: Revision | undefined,
): ClientView | undefined {
  if (handshake === undefined) return undefined;
  const { roots, ...others } = declaredTo(handshake, client.capabilities, facts);
  // Stateless clients send no change notifications: a server that wants roots requests them.
  const capabilities = { ...others, ...(roots === undefined ? {} : { roots: {} }) };
  return Object.keys(capabilities).length === 0 ? undefined : { info: undefined, capabilities };
}

/** Client of a session, as the server sees it on the session's own connection. */
export function selfOfSession(
  { client: { info, capabilities }, revision }: Pick<ServerSession, 'client' | 'revision'>,
  handshake: Revision | undefined,
): ClientView {
  const clientSideTasks = hostedFor(capabilities, revision, handshake);
  return { info, capabilities: { ...declaredTo(handshake, capabilities, revision), ...clientSideTasks } };
}

/**
 * Capabilities of a client in the form of a session-based upstream.
 *
 * @param from Revision in which the client declared them.
 */
export function declaredTo(
  handshake: Revision | undefined,
  capabilities: ClientCapabilities,
  from: Revision,
): ClientCapabilities {
  if (handshake === undefined) return declaredFor(capabilities, from);
  return projectClientCapabilities(handshake, declaredIn(from, handshake, capabilities));
}

/**
 * A connection is never shared between principals, nor between clients with different capabilities. A client's own name
 * and its address do not identify it.
 */
export function wantedKeyOf({ principal, self }: WantedConnection): string {
  const who = JSON.stringify(principal ?? null);
  return self === undefined ? who : `${who} ${canonical(self.capabilities)}`;
}
