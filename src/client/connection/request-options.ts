import type { ClientCapabilities } from '../../protocol/capability.ts';
import type { Implementation, JsonObject, ProgressToken } from '../../protocol/features/common.ts';
import type { LoggingLevel } from '../../protocol/features/logging-level.ts';
import type { Progress } from '../../connection/progress.ts';

/** The options of one request. */
export interface RequestOptions {
  /** Gives the request up: the server is told, and the promise rejects with the reason of the signal, as that of `fetch` does. */
  readonly signal?: AbortSignal | undefined;
  /** Longest wait for the answer, in milliseconds; starts anew with each progress, and when a question of the server was answered here (but for one that became a task of 2025-11-25). 0 means no limit. */
  readonly timeoutMs?: number | undefined;
  /** Longest wait for the answer whatever the progress, in milliseconds; no limit by default. The time in which a question of the server is answered here is not counted, but in 2025-11-25 where the call or the question is a task. */
  readonly maxTotalTimeoutMs?: number | undefined;
  /** Hears how far the request got; asks the server for progress. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** The token to ask for progress with; one is made where `onProgress` needs it. */
  readonly progressToken?: ProgressToken | undefined;
  /**
   * The least severe log message to be sent for this request; only where each request says so.
   *
   * @deprecated Since 2026-07-28 (SEP-2577): logging still works; a revision from 2027-07-28 on may remove it.
   */
  readonly logLevel?: LoggingLevel | undefined;
  /** More keys of `_meta`; those that the protocol fills in win. */
  readonly meta?: JsonObject | undefined;
  /** More HTTP headers; those that the protocol fills in win. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Description of the client that asks, instead of the client itself; only where each request says so. */
  readonly clientInfo?: Implementation | undefined;
  /** Capabilities of the client that asks, instead of those of the client itself; only where each request says so. */
  readonly capabilities?: ClientCapabilities | undefined;
  /**
   * Hears the id that the request is sent with, before anything comes of it; again, where it is sent once more. What a
   * server asks within the request names it by this id.
   */
  readonly onSent?: ((id: number) => void) | undefined;
  /** Hears that the request was given up after it was sent, whatever the promise then rejects with; must not throw. */
  readonly onGivenUp?: (() => void) | undefined;
  /**
   * Hears that the server answered after the request was given up, which a server need not do. Not called where giving
   * up closes the response stream, nor after the end of the connection.
   */
  readonly onLateAnswer?: (() => void) | undefined;
  /**
   * Values of `resultType` that an extension adds to those of the protocol, or `any` for who passes results on. A result of
   * another kind is a `ConnectionError`.
   */
  readonly resultTypes?: readonly string[] | 'any' | undefined;
  /** The one in whose place it is sent, for what authorizes it (`AuthorizedRequest.caller`); of no meaning to the protocol. */
  readonly caller?: unknown;
}
