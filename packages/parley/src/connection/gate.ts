import { hasServerCapability, isServerCapability, type ServerCapabilities } from '../protocol/capability.ts';
import { McpError } from '../protocol/error.ts';
import { methodOf, methodsWith } from '../protocol/catalogue.ts';
import { extensionOf, maySend, type MethodRow } from '../protocol/method.ts';
import type { Revision } from '../protocol/revision.ts';

/** Features that servers have without declaring them. */
const features: ReadonlySet<string> = new Set(['tools', 'resources', 'prompts', 'completions', 'logging']);

/**
 * Finds the row of a request from a client, or says why there is none: a method that the revision lacks, that only
 * servers send, or that needs a capability or an extension that this server does not have.
 *
 * The client's capabilities do not matter here: no revision has client capabilities for a server's features. (Spec
 * 2025-11-25, Lifecycle, Capability negotiation.)
 *
 * @param undeclared Takes the name of a feature that the server did not declare, and the method, and tells whether the
 *   request is allowed all the same.
 * @throws McpError methodNotFound.
 */
export function gate(
  method: string,
  revision: Revision,
  capabilities: ServerCapabilities,
  undeclared?: (feature: string, method: string) => boolean,
): MethodRow {
  const row = methodOf(method);
  if (row?.kind !== 'request' || !maySend('client', row, revision)) {
    throw notFound(method, `is not a method of ${revision.date}`);
  }
  const { needs } = row;
  // `completion/complete` is older than its capability. (Spec 2024-11-05, Completion: none is declared.)
  if (needs !== undefined && !hasServerCapability(capabilities, needs) && isServerCapability(revision, needs)) {
    if (!features.has(needs) || undeclared?.(needs, method) !== true)
      throw notFound(method, `needs the capability ${needs}, which this server does not have`);
  }
  const extension = extensionOf(row, revision);
  if (extension !== undefined && !Object.hasOwn(capabilities.extensions ?? {}, extension)) {
    throw notFound(method, `needs the extension ${extension}, which this server does not have`);
  }
  return row;
}

/**
 * Tells whether to request undeclared lists from a server: only if it declares no feature with lists. A server that
 * declares some is complete in that, and may exit on an unknown method.
 */
export function isAskedForLists({ tools, resources, prompts }: ServerCapabilities): boolean {
  return tools === undefined && resources === undefined && prompts === undefined;
}

/** The features that a client declares. The server's messages about them are no promise of its own. */
const clientFeatures: ReadonlySet<string | undefined> = new Set(
  methodsWith(({ embedded }) => embedded !== undefined).map((method) => methodOf(method)?.needs),
);

/**
 * Tells whether a server may send a notification in a session, by its capabilities at the beginning of the session.
 * (Spec 2025-11-25, Lifecycle, Operation: only negotiated features are used, whatever is offered now.)
 *
 * @param relays True if the messages come from another server. Then the feature alone is enough, without its
 *   sub-capability, and
 * log messages need no declaration.
 */
export function isPromised(method: string, offered: ServerCapabilities, relays = false): boolean {
  const needs = methodOf(method)?.needs;
  const [feature] = needs?.split('.') ?? [];
  if (needs === undefined || feature === undefined || clientFeatures.has(feature)) return true;
  // Many servers log and do not declare it, among them those of the official SDK of Python before 2.0.
  if (relays && feature === 'logging') return true;
  return hasServerCapability(offered, relays ? feature : needs);
}

/** The answer to a method that is not served; the name is cut, since the peer chose it. */
export function notFound(method: string, why: string): McpError {
  const name = method.length > 128 ? `${method.slice(0, 128)}…` : method;
  return new McpError('methodNotFound', `${name} ${why}`);
}
