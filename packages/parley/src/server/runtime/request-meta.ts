import { isObject, type NotificationMessage, type RequestMessage } from '../../jsonrpc/message.ts';
import { clientCapabilitiesShape, type ClientCapabilities } from '../../protocol/capability.ts';
import { implementationShape, type Implementation } from '../../protocol/features/common.ts';
import { McpError } from '../../protocol/error.ts';
import { fromWire } from '../../protocol/compile/from-wire.ts';
import { isAlive } from '../../protocol/lifetime.ts';
import { loggingLevels, type LoggingLevel } from '../../protocol/features/logging.ts';
import { metaKey } from '../../protocol/meta.ts';
import { methodNames, methodOf } from '../../protocol/catalogue.ts';
import { revisionOf, revisions, type Revision } from '../../protocol/revision.ts';
import { notFound } from '../../connection/gate.ts';

/** The claims of a stateless request in `_meta`, checked. */
export interface RequestMeta {
  readonly revision: Revision;
  readonly clientInfo: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** The least severe level that the client wants to receive; without it no log message may be sent. */
  readonly logLevel: LoggingLevel | undefined;
}

/** The revision that a message names in its `_meta`; `undefined` if it names none. */
export function claimedVersion({ params }: RequestMessage | NotificationMessage): unknown {
  const meta = params?.['_meta'];
  return isObject(meta) ? meta[metaKey.protocolVersion] : undefined;
}

/**
 * Reads the `_meta` that makes a request stateless.
 *
 * @param spoken The revisions of this server, oldest first.
 * @param claimed The revision that the request names.
 * @returns The claims; `undefined` if the request does not claim to be stateless; the error to answer if the claims are
 * invalid. (Spec 2026-07-28, Base protocol, _meta: the two keys are required; Versioning: -32022.)
 */
export function readRequestMeta(
  spoken: readonly Revision[],
  { method, params }: RequestMessage,
  claimed: unknown,
): RequestMeta | McpError | undefined {
  const meta = params?.['_meta'];
  if (!isObject(meta) || claimed === undefined) {
    if (!hasStatelessKey(meta) && !statelessMethods().has(method)) return undefined;
    return unknownWhere(spoken, method) ?? missingKey(metaKey.protocolVersion);
  }
  if (typeof claimed !== 'string') return invalidKey(metaKey.protocolVersion, 'must be a string');
  const revision = revisionOf(claimed);
  if (revision === undefined || !describesClients(revision) || !spoken.includes(revision))
    return unspoken(spoken, method, claimed);
  return checked(revision, meta);
}

/** The answer to an unsupported revision. It lists the supported ones, newest first. */
export function unsupported(spoken: readonly Revision[], requested: string): McpError {
  const supported = spoken.map((revision) => revision.date).toReversed();
  return new McpError(
    'unsupportedProtocolVersion',
    `unsupported protocol version ${short(requested)}; supported are ${supported.join(', ')}`,
    {
      data: { supported, requested },
    },
  );
}

/**
 * The answer to a stateless message in an unsupported revision. If the server supports no stateless revision, the
 * methods of those revisions do not exist. A client that probes with `server/discover` then continues with
 * `initialize`.
 */
export function unspoken(spoken: readonly Revision[], method: string, requested: string): McpError {
  return unknownWhere(spoken, method) ?? unsupported(spoken, requested);
}

function unknownWhere(spoken: readonly Revision[], method: string): McpError | undefined {
  if (!statelessMethods().has(method) || spoken.some(describesClients)) return undefined;
  const dates = spoken.map(({ date }) => date).toReversed();
  return notFound(method, `is no method of the revisions spoken here: ${dates.join(', ')}`);
}

function checked(revision: Revision, meta: Readonly<Record<string, unknown>>): RequestMeta | McpError {
  const capabilities = meta[metaKey.clientCapabilities];
  if (capabilities === undefined) return missingKey(metaKey.clientCapabilities);
  const logLevel = meta[metaKey.logLevel];
  if (logLevel !== undefined && !isLoggingLevel(logLevel)) {
    return invalidKey(metaKey.logLevel, `must be one of ${loggingLevels.join(', ')}`);
  }
  const info = meta[metaKey.clientInfo] ?? undefined;
  try {
    return {
      revision,
      capabilities: fromWire(revision, clientCapabilitiesShape, capabilities),
      clientInfo: info === undefined ? undefined : fromWire(revision, implementationShape, info),
      logLevel,
    };
  } catch (error) {
    if (error instanceof McpError) return error;
    throw error;
  }
}

/** Tells whether requests of a revision describe their client themselves. */
export function describesClients({ clientDescribed }: Revision): boolean {
  return clientDescribed === 'each-request';
}

let statelessOnly: ReadonlySet<string> | undefined;

/** The methods that only stateless revisions have. They cannot be called without naming the revision. */
function statelessMethods(): ReadonlySet<string> {
  return (statelessOnly ??= new Set(methodNames.filter(livesStatelessOnly)));
}

function livesStatelessOnly(method: string): boolean {
  const row = methodOf(method);
  return (
    row?.kind === 'request' &&
    revisions.every((revision) => describesClients(revision) || !isAlive(row.lifetime, revision))
  );
}

/**
 * Tells whether `_meta` has a key of the stateless revisions. A client that describes itself there speaks one of them
 * and only forgot to name it.
 */
function hasStatelessKey(meta: unknown): boolean {
  return isObject(meta) && [metaKey.clientCapabilities, metaKey.clientInfo].some((key) => Object.hasOwn(meta, key));
}

function isLoggingLevel(value: unknown): value is LoggingLevel {
  return loggingLevels.some((level) => level === value);
}

function missingKey(key: string): McpError {
  return new McpError('invalidParams', `_meta must have ${key}`);
}

function invalidKey(key: string, rule: string): McpError {
  return new McpError('invalidParams', `_meta ${key} ${rule}`);
}

function short(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
}
