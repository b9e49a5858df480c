import type { ClientCapabilities } from '../../protocol/capability.ts';
import type { Implementation, JsonObject, ProgressToken } from '../../protocol/features/common.ts';
import type { LoggingLevel } from '../../protocol/features/logging-level.ts';
import type { Progress } from '../../connection/progress.ts';

/** The options of one request. */
export interface RequestOptions {
  /**
   * Cancels the request: the server is notified, and the promise rejects with the reason of the signal, as that of
   * `fetch` does.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Time limit for the answer, in milliseconds. It restarts with each progress report, and when the client has answered
   * a question of the server (except for a task of 2025-11-25). 0 means no limit.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Time limit for the answer despite progress, in milliseconds; no limit by default. The time that the client needs to
   * answer a question of the server does not count, except in 2025-11-25 if the call or the question is a task.
   */
  readonly maxTotalTimeoutMs?: number | undefined;
  /** Receives progress reports. If set, the request asks the server for progress. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** The token to ask for progress with; one is made where `onProgress` needs it. */
  readonly progressToken?: ProgressToken | undefined;
  /**
   * The least severe log level for this request; only in revisions where each request carries it.
   *
   * @deprecated Since 2026-07-28 (SEP-2577): logging still works; a revision from 2027-07-28 on may remove it.
   */
  readonly logLevel?: LoggingLevel | undefined;
  /** More keys of `_meta`; those that the protocol fills in win. */
  readonly meta?: JsonObject | undefined;
  /** More HTTP headers; those that the protocol fills in win. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Description of the original client, instead of this client's own; only in revisions where each request carries it.
   */
  readonly clientInfo?: Implementation | undefined;
  /**
   * Capabilities of the original client, instead of this client's own; only in revisions where each request carries
   * them.
   */
  readonly capabilities?: ClientCapabilities | undefined;
  /**
   * Receives the id of the sent request, before any answer; again if it is sent once more. Server requests within this
   * request refer to it by this id.
   */
  readonly onSent?: ((id: number) => void) | undefined;
  /** Called if the request was cancelled after it was sent, whatever the promise then rejects with. Must not throw. */
  readonly onGivenUp?: (() => void) | undefined;
  /**
   * Called if the server answered after the request was cancelled, which it need not do. Not called if cancelling
   * closes the response stream, nor after the end of the connection.
   */
  readonly onLateAnswer?: (() => void) | undefined;
  /**
   * Values of `resultType` that an extension adds to those of the protocol, or `any` for who passes results on. A result of
   * another kind is a `ConnectionError`.
   */
  readonly resultTypes?: readonly string[] | 'any' | undefined;
  /**
   * The caller on whose behalf it is sent, for its authorization (`AuthorizedRequest.caller`). It has no meaning in the
   * protocol.
   */
  readonly caller?: unknown;
}
