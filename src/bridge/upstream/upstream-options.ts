import type { Client } from '../../client/client.ts';
import type { NotificationContext } from '../../client/options.ts';
import type { SettledFacts } from '../../jsonrpc/transport-facts.ts';
import type { ClientView } from '../../server/runtime/call.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { LoggingLevel, LoggingMessageNotificationParams } from '../../protocol/features/logging.ts';
import type { AskedByResults } from '../tasks/attempt.ts';
import type { Carried } from './carried.ts';
import type { Failures } from './failures.ts';

/** Events of a client to the upstream beside answers. */
export interface ClientEvents {
  onLog(message: LoggingMessageNotificationParams, context: NotificationContext): void;
  onNotification(method: string, params: JsonObject, context: NotificationContext): void;
  /** The connection was lost and is open again. */
  onReconnect(): void;
  /** The connection goes on, and notifications may have been lost. */
  onGap(): void;
  /** Answers what the server asks for, in the canonical model where the protocol knows the method. */
  onRequest(
    method: string,
    params: JsonObject,
    context: NotificationContext & { readonly signal: AbortSignal },
  ): Promise<JsonObject>;
}

/**
 * Opens a client to the upstream server, which speaks for somebody where it is the connection of one client alone. The
 * signal gives the opening up.
 */
export type OpenClient = (events: ClientEvents, self: ClientView | undefined, signal: AbortSignal) => Promise<Client>;

/** Messages that belong to no running call of a connection. */
export interface UpstreamEvents {
  /** A log message that its client wants to hear. */
  onLog?(message: LoggingMessageNotificationParams): void;
  onNotification?(method: string, params: JsonObject): void;
  /** Notifications may have been lost: the connection is another one, or goes on after a gap. */
  onMissed?(): void;
  /** Tells a message that belongs to a task under the id by which its client knows that. */
  related?(params: JsonObject, tell: (named: JsonObject) => void): void;
  /** Hears in words how far a task got, by the id of its server, where its client is told by its status alone. */
  taskSaid?(taskId: string, words: string): void;
  onWarning(message: string): void;
  /**
   * Answers what the server asks for; without it the call does that the question belongs to.
   *
   * @param on The call that it belongs to, or the latest one where that cannot be told: all are of one client.
   */
  onRequest?(
    method: string,
    params: JsonObject,
    context: { readonly signal: AbortSignal; readonly on: Carried | undefined },
  ): Promise<JsonObject>;
}

/** Parts that a connection is made of. */
export interface UpstreamConnectionOptions {
  readonly open: OpenClient;
  /** The facts of what it goes over. */
  readonly facts: SettledFacts;
  readonly events: UpstreamEvents;
  /** Client that the connection speaks for; left out for one that several clients share. */
  readonly self?: ClientView | undefined;
  /** Owner that it counts for. */
  readonly owner?: string | undefined;
  /** Hears that the server asks its clients. */
  onAsked(): void;
  /** Hears why the server was not reached. */
  readonly failures: Failures;
  /** Parts that requests need whose clients are asked by results. */
  readonly waiting?: AskedByResults | undefined;
  /** The level that the session downstream asked for before. */
  readonly level?: LoggingLevel | undefined;
  /** The order in which connections are used. */
  tick(): number;
}
