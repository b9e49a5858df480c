import type { ConnectionError } from '../../jsonrpc/transport.ts';
import type { Progress } from '../../connection/progress.ts';
import type { Implementation, ProgressToken } from '../../protocol/features/common.ts';
import type { Negotiated } from './negotiated.ts';
import type { ClientCapabilities } from '../../protocol/capability.ts';
import type { Extensions } from '../../protocol/extension.ts';
import type { LoggingMessageNotificationParams } from '../../protocol/features/logging.ts';
import type { CacheOptions } from './cache-options.ts';
import type { InputContext, InputHandlers } from './input-handlers.ts';
import type { ClientTasksOptions } from './client-tasks-options.ts';
import type { RecoverOptions } from './recover-options.ts';

/** Circumstances of a notification of the server. */
export interface NotificationContext {
  /**
   * The id of this client's request in whose exchange it came, as `onSent` received it; left out if unknown. It is
   * known over HTTP, for messages on the response stream of a request.
   */
  readonly request?: number | undefined;
}

/** Options of `connect`; everything has a default. */
export interface ConnectOptions extends InputHandlers, RecoverOptions, CacheOptions {
  /** Name and version of the client; `parley` by default. */
  readonly info?: Implementation;
  /**
   * Capabilities of the client, besides those that its handlers imply; empty by default. A capability that you declare
   * here is never removed, but each revision only gets those that it defines.
   */
  readonly capabilities?: ClientCapabilities;
  /**
   * Extensions that the client supports, by id, with the settings of each (`{}` for none). They are declared in
   * `capabilities.extensions` in every revision. Up to 2025-11-25 they are also declared in `experimental`.
   */
  readonly extensions?: Extensions;
  /**
   * Choice whether installed handlers advertise their capabilities; on by default. Off, `capabilities` alone are
   * declared.
   */
  readonly advertise?: boolean;
  /**
   * True if calls of tools may become tasks, which `callTool` then waits for. On by default, unless `advertise` is off.
   * If the server has the extension `io.modelcontextprotocol/tasks`, each `callTool` declares it. In 2025-11-25 a task
   * is requested only if the tool requires one. If off, neither happens, and tools that require tasks answer with an
   * error.
   */
  readonly tasks?: boolean;
  /** Limit of rounds of input that one request may take before it fails with a `TooManyRoundsError`; 10. */
  readonly maxRounds?: number;
  /** The revisions that may be used; every one by default. The newest that the server speaks too is used. */
  readonly revisions?: readonly string[];
  /**
   * Findings of an earlier connection to the same server (`client.negotiated`). The server is not probed again, unless
   * the finding turns out to be wrong, or says that the server needed `initialize` and is a day old by its `at`. By
   * default, recent findings of this process are used.
   */
  readonly negotiated?: Negotiated;
  /**
   * Time for the server to start and answer the first probe, in milliseconds. After that, it counts as an older server.
   * The default is 8000, and at most half of `connectTimeoutMs`. The client cannot see the deadline of a `signal`: if
   * it is less than twice this value, set half of it.
   */
  readonly probeTimeoutMs?: number;
  /**
   * Time that connecting may take as a whole, in milliseconds; the shorter of `timeoutMs` and `maxTotalTimeoutMs` by default. The time in
   * which a person signs in is not counted. Then `connect` rejects; a process that it started is ended afterwards. 0 means no limit.
   */
  readonly connectTimeoutMs?: number;
  /**
   * Time limit for an answer, in milliseconds; 60000. It restarts with each progress report, and when the client has
   * answered a question of the server (except for a task of 2025-11-25). 0 means no limit.
   */
  readonly timeoutMs?: number;
  /**
   * Time limit for an answer despite progress, in milliseconds; no limit by default. The time that the client needs to
   * answer a question of the server does not count, except in 2025-11-25 if the call or the question is a task.
   */
  readonly maxTotalTimeoutMs?: number;
  /**
   * The most messages of the server within one request before its answer (notifications, and questions of a session's
   * server); 100000. One more cancels the request with a `ConnectionError` whose `reason` is `too-large`. Infinity
   * means no limit. A subscription is not counted. On stdio, where a message may not name its request, it counts while
   * only one request waits.
   */
  readonly maxNotifications?: number;
  /** The most bytes of JSON text that these messages may have; 64 MiB. Infinity means no limit. */
  readonly maxNotificationBytes?: number;
  /** Aborts connecting, which then rejects with the reason of the signal. Once connected it has no effect. */
  readonly signal?: AbortSignal;
  /** Checks structured tool results against the output schema of the tool, where `listTools` or `primeTools` made it known; on by default. */
  readonly validateOutput?: boolean;
  /**
   * Choice whether numbers that JavaScript would spell in another way than the server did (`1.0`, integers past the
   * safe range) come as objects that are written as they came: for software that passes messages on. Off by default.
   */
  readonly exactNumbers?: boolean;
  /** The most pages that one list may have; 1000. */
  readonly maxPages?: number;
  /** The most items that one list may have; 100000. */
  readonly maxItems?: number;
  /**
   * Receives log messages of the server. In 2026-07-28 it sends none before `setLogLevel`, or `logLevel` of a request,
   * requested them.
   *
   * @deprecated Since 2026-07-28 (SEP-2577): logging still works; a revision from 2027-07-28 on may remove it.
   */
  readonly onLog?: (message: LoggingMessageNotificationParams, context: NotificationContext) => void;
  /**
   * Answers every request of a session's server except `ping`, in place of the handlers of single methods. It is for
   * software that forwards questions. It declares nothing: `capabilities` say what the server may ask for.
   *
   * @param params In the newest form for methods of the protocol, and validated; otherwise in wire form. Return the
   * answer in the same form.
   */
  readonly onRequest?: (
    method: string,
    params: Readonly<Record<string, unknown>>,
    context: InputContext,
  ) => Promise<Readonly<Record<string, unknown>>>;
  /**
   * Requests that are answered as tasks, if the server wants that. The server gets its answer when it is ready, across
   * any number of connections. Declares `tasks`. Only 2025-11-25 has such tasks. In other revisions every question is
   * answered directly. Off by default.
   *
   * A task belongs to the server of this client. It lives an hour unless the server requests another time, and at most
   * a day. Closing the client cancels it. Up to 100 may wait. Its handler is that of plain questions. The handler's
   * `context.signal` is aborted if the task is cancelled or expires.
   */
  readonly clientTasks?: ClientTasksOptions;
  /** Receives the progress of every request, besides the `onProgress` of the request itself. */
  readonly onProgress?: (progress: Progress & { readonly progressToken: ProgressToken }) => void;
  /** Receives every notification of the server, unchanged; progress only for pending requests. */
  readonly onNotification?: (
    method: string,
    params: Readonly<Record<string, unknown>>,
    context: NotificationContext,
  ) => void;
  /**
   * Called once when a visit that a server requested is over, with its `elicitationId`: of `onElicitUrl` or of an error
   * of the kind `urlElicitationRequired`. Some servers never report it.
   */
  readonly onElicitationComplete?: (elicitationId: string) => void;
  /**
   * Receives warnings: what was ignored or left out, and why; 200 a minute at most. Without it, only two mistakes are written to the
   * console's error stream: the error of a handler that a session's server does not see, and the error of a listener.
   */
  readonly onWarning?: (message: string, cause?: unknown) => void;
  /** Called once when the server's side ended the connection permanently: it was lost, and is not opened again. */
  readonly onClose?: (error: ConnectionError) => void;
  /**
   * The time, in milliseconds since 1970, for all measurements. By default, waits and expiries in this process use a
   * monotonic clock. Data that may be stored (`negotiated`, responses in your `cacheStore`) uses `Date.now`.
   */
  readonly now?: () => number;
}
