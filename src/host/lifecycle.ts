/** The lifecycle of a conversation: its opening by `initialize`, what is answered before, and what it answers itself. */

import type { RequestMessage, ResponseMessage } from '../jsonrpc/message.ts';
import { fromWire } from '../protocol/compile/from-wire.ts';
import { toWire } from '../protocol/compile/to-wire.ts';
import { McpError } from '../protocol/error.ts';
import { emptyResultShape } from '../protocol/features/envelope.ts';
import { initializeRequestParamsShape } from '../protocol/features/lifecycle.ts';
import { setLevelRequestParamsShape } from '../protocol/features/logging.ts';
import { metaKey } from '../protocol/meta.ts';
import { chooseRevision, newestOf, newestRevision, type Revision } from '../protocol/revision.ts';
import type { Link } from './endpoint.ts';
import type { Host } from './host.ts';
import { maskedError } from './masking.ts';
import { unsupported } from './request-meta.ts';
import { refusal, respond } from './response.ts';
import { discoverResult, initializeResult } from './server-info.ts';
import type { Opening, SessionFacts } from './session-facts.ts';

/** The parts of a conversation that its lifecycle needs. */
export interface LifecycleParts {
  readonly host: Host;
  readonly link: Link;
  /** The session that an earlier `initialize` opened. */
  readonly session: SessionFacts | undefined;
  /** Takes what this one settles. */
  settle(opening: Opening): void;
}

/** Answers `initialize`: settles a revision and a client, or refuses and leaves everything as it was. */
export function answerInitialize(
  message: RequestMessage,
  { host, link, session, settle }: LifecycleParts,
): ResponseMessage {
  const handshake = newestOf(host.revisions, 'handshake');
  if (handshake === undefined) {
    // Spec 2026-07-28, Versioning: whatever is wrong, the error names what is spoken.
    const requested = message.params?.['protocolVersion'];
    const error = unsupported(host.revisions, typeof requested === 'string' ? requested : '');
    return refusal(host, message.id, error, newestRevision);
  }
  let spoken = session?.revision ?? handshake;
  try {
    const params = fromWire(handshake, initializeRequestParamsShape, message.params);
    if (session !== undefined) throw new McpError('invalidRequest', 'this conversation is already initialized');
    if (!link.lasting) throw new McpError('invalidRequest', 'initialize needs a connection that lasts');
    const revision = chooseRevision(host.revisions, params.protocolVersion) ?? handshake;
    const client = { info: params.clientInfo, capabilities: params.capabilities };
    if (JSON.stringify(client).length > mostCharacters)
      throw new McpError('invalidParams', `clientInfo and capabilities exceed ${mostCharacters} characters`);
    host.admit?.({ principal: link.auth?.principal, address: link.address });
    spoken = revision;
    settle({ revision, client });
    return respond(host, message, revision, initializeResult(host, revision, link));
  } catch (error) {
    return refusal(host, message.id, maskedError(host, error, 'initialize'), spoken);
  }
}

/** The most characters of JSON that a client may say of itself: they are kept as long as its session, of which there are many. */
const mostCharacters = 131_072;

/** Answers a handshake request before `initialize`: ping alone is served. (Spec 2025-11-25, Lifecycle, Initialization.) */
export function answerUnopened(host: Host, message: RequestMessage): ResponseMessage {
  const handshake = newestOf(host.revisions, 'handshake');
  if (handshake === undefined) {
    const error = new McpError('invalidParams', `_meta must have ${metaKey.protocolVersion}`);
    return refusal(host, message.id, error, newestRevision);
  }
  if (message.method === 'ping') return respond(host, message, handshake, {});
  const error = new McpError('invalidRequest', `${message.method} came before initialize`);
  return refusal(host, message.id, error, handshake);
}

/**
 * Answers the methods that belong to the conversation and not to what its host offers; `undefined` for every other, and
 * for a level of logging that the host wants to hear of too.
 */
export function answerItself(
  message: RequestMessage,
  revision: Revision,
  { host, session }: Pick<LifecycleParts, 'host' | 'session'>,
): ResponseMessage | undefined {
  switch (message.method) {
    case 'ping':
      return respond(host, message, revision, toWire(revision, emptyResultShape, {}));
    case 'logging/setLevel':
      session?.setLevel(fromWire(revision, setLevelRequestParamsShape, message.params ?? {}).level);
      return host.handler(message.method) === undefined ? respond(host, message, revision, {}) : undefined;
    case 'server/discover':
      return respond(host, message, revision, discoverResult(host, revision));
    default:
      return undefined;
  }
}
