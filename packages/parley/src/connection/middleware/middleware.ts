import type { RequestId } from '../../jsonrpc/message.ts';
import type { NowOrLater } from '../../storage/now-or-later.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { RevisionDate } from '../../protocol/revision.ts';

/** Sender of a message, as far as its edge knows it. */
export interface PassingAuth {
  /** The stable identity (issuer and subject, say). */
  readonly principal: string;
  readonly scopes?: readonly string[];
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly clientId?: string | undefined;
}

/** A session that a message belongs to. */
export interface PassingSession {
  /** Its id over HTTP, which is a secret of the two ends; elsewhere there is none. */
  readonly id: string | undefined;
  /** Time at which it was opened here, in milliseconds as `performance.now()` has it. */
  readonly openedAt: number;
  /** Calls a listener when the session ends, with why where it broke; at once, where it has ended. */
  onEnd(listener: (cause?: Error) => void): void;
}

/** A message on its way through the middleware of a server, a client or a bridge. */
export interface Passing {
  /** The side of the protocol on which it passes; at a bridge `server` towards clients and `client` towards the servers behind it. */
  readonly side: 'client' | 'server';
  /** Direction in which it passes: `received` from the peer, or `sent` to it, such as a question of a tool to its client. */
  readonly direction: 'received' | 'sent';
  readonly kind: 'request' | 'notification';
  readonly method: string;
  /** The parameters in the newest words; those of methods that the protocol does not know, and of notifications that were received, as they came. */
  readonly params: JsonObject;
  /** The `_meta` of the parameters; empty where they have none. */
  readonly meta: JsonObject;
  /** The revision in use, by its date. */
  readonly revision: RevisionDate;
  /** The JSON-RPC id of a request; of one that is sent it is known once it was. */
  readonly requestId: RequestId | undefined;
  /** The session that it belongs to, or that it opens; `undefined` where the revision is stateless. */
  readonly session: PassingSession | undefined;
  /** Carrier, in the words of OpenTelemetry for `network.transport`: `tcp`, `pipe`, `inproc`; `undefined` where that is not known. */
  readonly transport: string | undefined;
  /** Protocol of the application that carries it, in the words of OpenTelemetry for `network.protocol.name`: `http`; `undefined` where there is none, or it is not known. */
  readonly protocol: string | undefined;
  /** Sender of what was received, where authorization found that out. */
  readonly auth: PassingAuth | undefined;
  /** The address of the other end, where it is known: of a client its IP address, of a server its origin. */
  readonly address: string | undefined;
  /**
   * Tells whether what a request names (a tool, a prompt, a method of its own) is there for its sender; `undefined` where that is
   * not known, as at clients and bridges.
   */
  readonly known: boolean | undefined;
  /** Aborted when the request is given up; of a notification never. It is made when first asked for. */
  readonly signal: AbortSignal;
}

/**
 * Function that messages pass on their way; what is added first is outermost. It may look at a message, change its parameters
 * (`next(params)`, which are checked again), answer in its place by not calling `next`, change the result, or refuse it: what
 * it throws is treated as an error of the handler.
 *
 * `next` goes on with the message, once and before the middleware has ended, and gives its result: at a server in the newest words, at a client as the server
 * sent it. Of a notification the result is empty, and what is returned is ignored. Neither parameters nor results are changed in
 * place. Requests are not kept in order; notifications are, in each conversation.
 */
export type Middleware = (
  passing: Passing,
  next: (params?: JsonObject) => NowOrLater<JsonObject>,
) => NowOrLater<JsonObject>;

/** Something whose messages pass middleware. */
export interface Uses {
  /**
   * Adds middleware, for all messages from now on; those that are under way go on as they are.
   *
   * @throws TypeError for what is no function.
   * @example
   * server.use(async (passing, next) => {
   *   const begun = performance.now();
   *   try {
   *     return await next();
   *   } finally {
   *     console.error(passing.method, Math.round(performance.now() - begun), 'ms');
   *   }
   * });
   */
  use(middleware: Middleware): void;
  /**
   * Adds middleware for one method.
   *
   * @throws TypeError for what is no function.
   */
  use(method: string, middleware: Middleware): void;
}
