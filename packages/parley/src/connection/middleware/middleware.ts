import type { RequestId } from '../../jsonrpc/message.ts';
import type { MaybePromise } from '../../storage/maybe-promise.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { RevisionDate } from '../../protocol/revision.ts';

/** Sender of a message, as far as its edge knows it. */
export interface MiddlewareAuth {
  /** The stable identity (issuer and subject, say). */
  readonly principal: string;
  /** The scopes of the access token. */
  readonly scopes?: readonly string[];
  /** The claims of the access token. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** The id of the OAuth client, if known. */
  readonly clientId?: string | undefined;
}

/** A session that a message belongs to. */
export interface MiddlewareSession {
  /** Its id over HTTP, which is a secret of both ends; on other transports there is none. */
  readonly id: string | undefined;
  /** Time at which it was opened here, in milliseconds as `performance.now()` has it. */
  readonly openedAt: number;
  /** Calls a listener when the session ends, with the reason if it broke; at once if it has ended. */
  onEnd(listener: (cause?: Error) => void): void;
}

/** A message on its way through the middleware of a server, a client or a bridge. */
export interface MiddlewareContext {
  /** The side of the protocol on which it passes; at a bridge `server` towards clients and `client` towards the servers behind it. */
  readonly side: 'client' | 'server';
  /** Direction in which it passes: `received` from the peer, or `sent` to it, such as a question of a tool to its client. */
  readonly direction: 'received' | 'sent';
  /** Kind of message: a request has a response. */
  readonly kind: 'request' | 'notification';
  /** The method of the message. */
  readonly method: string;
  /** The parameters in the newest form. Those of unknown methods and of received notifications are unchanged. */
  readonly params: JsonObject;
  /** The `_meta` of the parameters; empty if they have none. */
  readonly meta: JsonObject;
  /** The revision in use, by its date. */
  readonly revision: RevisionDate;
  /** The JSON-RPC id of a request; of one that is sent it is known once it was. */
  readonly requestId: RequestId | undefined;
  /** The session that it belongs to, or that it opens; `undefined` if the revision is stateless. */
  readonly session: MiddlewareSession | undefined;
  /** Transport, as OpenTelemetry names it in `network.transport`: `tcp`, `pipe`, `inproc`; `undefined` if unknown. */
  readonly transport: string | undefined;
  /**
   * Application protocol, as OpenTelemetry names it in `network.protocol.name`: `http`; `undefined` if there is none,
   * or it is unknown.
   */
  readonly protocol: string | undefined;
  /** Sender of a received message, if it is authenticated. */
  readonly auth: MiddlewareAuth | undefined;
  /** The address of the other end, if known: a client's IP address, a server's origin. */
  readonly address: string | undefined;
  /**
   * Tells whether the named item (a tool, a prompt, an own method) exists for the sender; `undefined` if unknown, as in
   * clients and bridges.
   */
  readonly known: boolean | undefined;
  /** Aborted when the request is cancelled; never for a notification. Created on first use. */
  readonly signal: AbortSignal;
}

/**
 * A function that messages pass through. The first one added is the outermost. It may inspect a message, change its
 * parameters (`next(params)`, which are validated again), answer it without calling `next`, change the result, or
 * reject it: an error that it throws counts as an error of the handler.
 *
 * Call `next` at most once, before the middleware ends. It continues with the message and returns its result: in a
 * server in the newest form, in a client as the server sent it. A notification has an empty result, and the return
 * value is ignored. Do not change parameters or results in place. Requests are not kept in order. Notifications are, in
 * each conversation.
 */
export type Middleware = (
  passing: MiddlewareContext,
  next: (params?: JsonObject) => MaybePromise<JsonObject>,
) => MaybePromise<JsonObject>;

/** An object whose messages pass through middleware. */
export interface HasMiddleware {
  /**
   * Adds middleware, for all messages from now on. Messages under way are not affected.
   *
   * @throws TypeError if it is not a function.
   * @example server.use(async (passing, next) => {
   * const begun = performance.now();
   * try {
   * return await next();
   * } finally {
   * console.error(passing.method, Math.round(performance.now() - begun), 'ms');
   * } });
   */
  use(middleware: Middleware): void;
  /**
   * Adds middleware for one method.
   *
   * @throws TypeError if it is not a function.
   */
  use(method: string, middleware: Middleware): void;
}
