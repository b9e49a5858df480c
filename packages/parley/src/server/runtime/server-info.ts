import type { ServerCapabilities } from '../../protocol/capability.ts';
import { projectServerCapabilities } from '../../protocol/compile/capabilities.ts';
import { withExtensions } from '../../protocol/extension.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { metaKey } from '../../protocol/meta.ts';
import type { Revision } from '../../protocol/revision.ts';
import { toWire } from '../../protocol/compile/to-wire.ts';
import type { ReplyChannel } from './request-handler.ts';
import type { ServerCore } from './server-core.ts';
import { discoverResultShape, initializeResultShape } from '../../protocol/features/lifecycle.ts';

/** The server's description of itself at the start of a session. */
export function initializeResult(host: ServerCore, revision: Revision, link?: ReplyChannel): JsonObject {
  return toWire(revision, initializeResultShape, {
    protocolVersion: revision.date,
    capabilities: offered(host, revision, link),
    serverInfo: host.info,
    ...instructionsOf(host),
  });
}

/** The server's description of itself for any client, in the revision of the request. */
export function discoverResult(host: ServerCore, revision: Revision): JsonObject {
  return toWire(revision, discoverResultShape, {
    supportedVersions: host.revisions.map(({ date }) => date).toReversed(),
    capabilities: offered(host, revision),
    ...host.discoverHint,
    ...instructionsOf(host),
  });
}

/**
 * Spec 2026-07-28, Base protocol, _meta: the server SHOULD name itself in every result. Icons and descriptions, which
 * may be long, are only part of the answer to `server/discover`.
 *
 * @param whole True for that answer.
 */
export function withServerInfo({ info }: ServerCore, result: JsonObject, whole: boolean): JsonObject {
  // `_meta` of a result is an object in every shape.
  const meta = result['_meta'] as JsonObject | undefined;
  if (meta?.[metaKey.serverInfo] !== undefined) return result;
  const { name, version } = info;
  return { ...result, _meta: { ...meta, [metaKey.serverInfo]: whole ? info : { name, version } } };
}

function offered(host: ServerCore, revision: Revision, link?: ReplyChannel): ServerCapabilities {
  const capabilities = withExtensions(revision, host.capabilities(link), host.extensions?.() ?? {});
  return projectServerCapabilities(revision, capabilities);
}

function instructionsOf({ instructions }: ServerCore): { readonly instructions?: string } {
  return instructions === undefined ? {} : { instructions };
}
