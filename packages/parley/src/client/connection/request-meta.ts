import { isObject } from '../../jsonrpc/message.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import type { ClientCapabilities } from '../../protocol/capability.ts';
import { projectClientCapabilities } from '../../protocol/compile/capabilities.ts';
import { withExtensions, type Extensions } from '../../protocol/extension.ts';
import type { RequestOptions } from '../api/request-options.ts';
import { implementationShape, type Implementation, type JsonObject } from '../../protocol/features/common.ts';
import type { LoggingLevel } from '../../protocol/features/logging-level.ts';
import { metaKey } from '../../protocol/meta.ts';
import type { Revision } from '../../protocol/revision.ts';
import { toWire } from '../../protocol/compile/to-wire.ts';
import { encodeHeaderValue } from '../../connection/header.ts';

/** Description that a client gives of itself: in `initialize`, or in the `_meta` of every stateless request. */
export interface Self {
  /** Left out of stateless requests when `undefined`. */
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
  /** Declared beside the capabilities. */
  readonly extensions?: Extensions | undefined;
}

/** The `_meta` keys that describe the client in a stateless request. (Spec 2026-07-28, Base protocol, _meta.) */
export function selfMeta(revision: Revision, self: Self): JsonObject {
  return {
    [metaKey.protocolVersion]: revision.date,
    [metaKey.clientInfo]: toWire(revision, implementationShape, self.info),
    [metaKey.clientCapabilities]: declaredBy(self, revision),
  };
}

/** Capabilities that a client declares in a revision. */
export function declaredBy({ capabilities, extensions = {} }: Self, revision: Revision): ClientCapabilities {
  return projectClientCapabilities(revision, withExtensions(revision, capabilities, extensions));
}

/** Tells whether requests of a revision have headers of their own over HTTP, beside those of the conversation. */
export function hasRequestHeaders({ mirroredHeaders, versionHeader }: Revision): boolean {
  return mirroredHeaders || versionHeader === 'always';
}

/** The headers of a request over HTTP: its revision, and what mirrors its body. (Spec 2026-07-28, Streamable HTTP: Request metadata.) */
export function requestHeaders(
  revision: Revision,
  method: string,
  params: JsonObject | undefined,
): Readonly<Record<string, string>> {
  const version = revision.versionHeader === 'always' ? { 'MCP-Protocol-Version': revision.date } : {};
  if (!revision.mirroredHeaders) return version;
  const key = methodOf(method)?.nameParam;
  const name = key === undefined ? undefined : params?.[key];
  return {
    ...version,
    'Mcp-Method': encodeHeaderValue(method),
    ...(typeof name === 'string' ? { 'Mcp-Name': encodeHeaderValue(name) } : {}),
  };
}

/** Lays `_meta` keys over those of the params. */
export function withMeta(params: JsonObject | undefined, described: JsonObject, meta?: JsonObject): JsonObject {
  const own = params?.['_meta'];
  const alone = meta === undefined && !isObject(own);
  return { ...params, _meta: alone ? described : { ...(isObject(own) ? own : {}), ...meta, ...described } };
}

/** Makes the `_meta` keys of requests. They are cached, since most requests have the same as the request before. */
export function requestMeta(
  revision: Revision,
  self: () => Self,
): (request: RequestOptions, sticky: LoggingLevel | undefined) => JsonObject {
  let last: { readonly of: Self; readonly described: JsonObject } | undefined;
  return (request, sticky) => {
    const own = self();
    const info = request.clientInfo ?? own.info;
    const capabilities = request.capabilities ?? own.capabilities;
    if (last === undefined || last.of.info !== info || last.of.capabilities !== capabilities) {
      // A request for another client carries all that the other client declared.
      const of = { info, capabilities, extensions: request.capabilities === undefined ? own.extensions : undefined };
      last = { of, described: selfMeta(revision, of) };
    }
    const logLevel = request.logLevel ?? sticky;
    return logLevel === undefined ? last.described : { ...last.described, [metaKey.logLevel]: logLevel };
  };
}
