import type { Client } from '../../client/api/client.ts';
import type { NotificationContext } from '../../client/api/options.ts';
import type { SettledFacts } from '../../jsonrpc/transport-facts.ts';
import type { ClientView } from '../../server/runtime/call.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { LoggingLevel, LoggingMessageNotificationParams } from '../../protocol/features/logging.ts';
import type { AskedByResults } from '../tasks/attempt.ts';
import type { ForwardedCall } from './forwarded-call.ts';
import type { Failures } from './failures.ts';

/** Events of a client to the upstream beside answers. */
export interface ClientEvents {
  onLog(message: LoggingMessageNotificationParams, context: NotificationContext): void;
  onNotification(method: string, params: JsonObject, context: NotificationContext): void;
  /** The connection was lost and is open again. */
  onReconnect(): void;
  /** The connection continues, but notifications may have been lost. */
  onGap(): void;
  /** Answers requests of the server, in the canonical model if the protocol knows the method. */
  onRequest(
    method: string,
    params: JsonObject,
    context: NotificationContext & { readonly signal: AbortSignal },
  ): Promise<JsonObject>;
}

/**
 * Opens a client to the upstream server. It carries the description of one client if the connection is that client's
 * alone. The signal aborts opening.
 */
export type OpenClient = (events: ClientEvents, self: ClientView | undefined, signal: AbortSignal) => Promise<Client>;

/** Messages that belong to no running call of a connection. */
export interface UpstreamEvents {
  /** A log message that its client wants. */
  onLog?(message: LoggingMessageNotificationParams): void;
  onNotification?(method: string, params: JsonObject): void;
  /** Notifications may have been lost: the connection was replaced, or continues after a gap. */
  onMissed?(): void;
  /** Tells a message that belongs to a task under the id by which its client knows that. */
  related?(params: JsonObject, tell: (named: JsonObject) => void): void;
  /** Receives the progress of a task as text, by the id of its server, if its client only gets a status. */
  taskSaid?(taskId: string, words: string): void;
  onWarning(message: string): void;
  /**
   * Answers requests of the server. Without it, the call that the question belongs to does.
   *
   * @param on The call that it belongs to, or the newest one if unknown: all belong to one client.
   */
  onRequest?(
    method: string,
    params: JsonObject,
    context: { readonly signal: AbortSignal; readonly on: ForwardedCall | undefined },
  ): Promise<JsonObject>;
}

/** Parts that a connection is made of. */
export interface UpstreamConnectionOptions {
  readonly open: OpenClient;
  /** Facts about the transport. */
  readonly facts: SettledFacts;
  readonly events: UpstreamEvents;
  /** Client that the connection speaks for; left out for one that several clients share. */
  readonly self?: ClientView | undefined;
  /** The owner that it counts for. */
  readonly owner?: string | undefined;
  /** Called when the server asks its clients. */
  onAsked(): void;
  /** Receives the reasons why the server was not reached. */
  readonly failures: Failures;
  /** Code for requests whose clients are asked through results. */
  readonly waiting?: AskedByResults | undefined;
  /** The level that the session downstream asked for before. */
  readonly level?: LoggingLevel | undefined;
  /** The order in which connections are used. */
  tick(): number;
}
