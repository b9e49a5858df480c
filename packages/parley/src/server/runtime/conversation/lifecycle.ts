/**
 * The lifecycle of a conversation: its opening by `initialize`, the answers before that, and the methods that it
 * answers itself.
 */

import type { RequestMessage, ResponseMessage } from '../../../jsonrpc/message.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { mapMaybe, catchMaybe, type MaybePromise } from '../../../storage/maybe-promise.ts';
import { fromWire } from '../../../protocol/compile/from-wire.ts';
import { toWire } from '../../../protocol/compile/to-wire.ts';
import { McpError } from '../../../protocol/error.ts';
import { emptyResultShape } from '../../../protocol/features/envelope.ts';
import { initializeRequestParamsShape, type InitializeRequestParams } from '../../../protocol/features/lifecycle.ts';
import { setLevelRequestParamsShape } from '../../../protocol/features/logging.ts';
import { metaKey } from '../../../protocol/meta.ts';
import { chooseRevision, newestOf, newestRevision, type Revision } from '../../../protocol/revision.ts';
import type { ReplyChannel } from '../request-handler.ts';
import type { ServerCore } from '../server-core.ts';
import { maskedError } from '../masking.ts';
import { unsupported } from '../request-meta.ts';
import { refusal, respond } from '../response.ts';
import { discoverResult, initializeResult } from '../server-info.ts';
import type { SessionOpening, SessionFacts } from './session-facts.ts';

/** The parts of a conversation that its lifecycle needs. */
export interface LifecycleParts {
  readonly host: ServerCore;
  readonly link: ReplyChannel;
  /** The session that an earlier `initialize` opened. */
  readonly session: SessionFacts | undefined;
  /** Begins to open the session; false if there is one, or another `initialize` is about to open it. */
  begin(): boolean;
  /** Stores the opening; `undefined` if it failed after `begin`. */
  settle(opening: SessionOpening | undefined): void;
  /** Sends the request through middleware, if there is any. */
  readonly pass?: Pass | undefined;
}

/** Runs a request through middleware. It returns a result, or throws. */
export type Pass = (
  params: JsonObject,
  core: (params: JsonObject) => MaybePromise<JsonObject>,
) => MaybePromise<JsonObject>;

/** Answers `initialize`: chooses a revision and stores the client, or rejects and changes nothing. */
export function answerInitialize(
  message: RequestMessage,
  { host, link, session, begin, settle, pass }: LifecycleParts,
): ResponseMessage | Promise<ResponseMessage> {
  const handshake = newestOf(host.revisions, 'handshake');
  if (handshake === undefined) {
    // Spec 2026-07-28, Versioning: whatever is wrong, the error lists the supported revisions.
    const requested = message.params?.['protocolVersion'];
    const error = unsupported(host.revisions, typeof requested === 'string' ? requested : '');
    return refusal(host, message.id, error, newestRevision);
  }
  let spoken = session?.revision ?? handshake;
  let opening: SessionOpening | undefined;
  let began = false;
  const open = (params: InitializeRequestParams): JsonObject => {
    began = begin();
    if (!began) throw new McpError('invalidRequest', 'this conversation is already initialized');
    if (!link.lasting) throw new McpError('invalidRequest', 'initialize needs a connection that lasts');
    const revision = chooseRevision(host.revisions, params.protocolVersion) ?? handshake;
    const client = { info: params.clientInfo, capabilities: params.capabilities };
    if (JSON.stringify(client).length > mostCharacters)
      throw new McpError('invalidParams', `clientInfo and capabilities exceed ${mostCharacters} characters`);
    host.admit?.({ principal: link.auth?.principal, address: link.address });
    spoken = revision;
    opening = { revision, client };
    return initializeResult(host, revision, link);
  };
  return catchMaybe(
    () => {
      const params = fromWire(handshake, initializeRequestParamsShape, message.params);
      // Interfaces of params are JSON objects, and the parameters from middleware are validated again.
      const result = pass?.(params as unknown as JsonObject, (given) => open(given as never)) ?? open(params);
      return mapMaybe(result, (settled): ResponseMessage => {
        if (opening === undefined)
          throw new TypeError('middleware answered initialize, which opens a session by itself alone');
        settle(opening);
        return respond(host, message, opening.revision, settled);
      });
    },
    (error) => {
      if (began) settle(undefined);
      return refusal(host, message.id, maskedError(host, error, 'initialize'), spoken);
    },
  );
}

/**
 * Limit of the client's own description, in characters of JSON. It is kept as long as its session, and there are many
 * sessions.
 */
const mostCharacters = 131_072;

/**
 * Answers a request of a session-based revision before `initialize`: only ping is served. (Spec 2025-11-25, Lifecycle,
 * Initialization.)
 */
export function answerUnopened(host: ServerCore, message: RequestMessage): ResponseMessage {
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
 * The results of the methods that the conversation answers itself, in the form of a revision; `undefined` for every
 * other method, and for a log level that the host must receive too.
 */
export function resultItself(
  { method, params = {} }: Pick<RequestMessage, 'method' | 'params'>,
  revision: Revision,
  { host, session }: Pick<LifecycleParts, 'host' | 'session'>,
): JsonObject | undefined {
  switch (method) {
    case 'ping':
      return toWire(revision, emptyResultShape, {});
    case 'logging/setLevel':
      session?.setLevel(fromWire(revision, setLevelRequestParamsShape, params).level);
      return host.handler(method) === undefined ? {} : undefined;
    case 'server/discover':
      return discoverResult(host, revision);
    default:
      return undefined;
  }
}
