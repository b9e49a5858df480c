import { Chain } from '../connection/middleware/chain.ts';
import { monotonicNow } from '../jsonrpc/timeout.ts';
import type { ConnectionError } from '../jsonrpc/transport.ts';
import { harmless } from '../options/harmless.ts';
import { checkBudget } from '../connection/budget.ts';
import type { Progress } from '../connection/progress.ts';
import type { Implementation, ProgressToken } from '../protocol/features/common.ts';
import type { Negotiated } from './connection/negotiate.ts';
import type { ClientCapabilities } from '../protocol/capability.ts';
import { extensionProblem, type Extensions } from '../protocol/extension.ts';
import type { LoggingMessageNotificationParams } from '../protocol/features/logging.ts';
import { chosenRevisions, type Revision } from '../protocol/revision.ts';
import { cacheSettings, type CacheOptions, type CacheSettings } from './cache/cache-options.ts';
import { Inputs, type InputContext, type InputHandlers } from './input/inputs.ts';
import { guardedListeners, print, type Failed } from './listeners.ts';
import type { HostTasksOptions } from './tasks/hosted-options.ts';
import { recoverSettings, type RecoverOptions, type RecoverSettings } from './recover-options.ts';

/** Circumstances of a notification of the server. */
export interface NotificationContext {
  /**
   * The id of the request of this client in whose exchange it came, as `onSent` told it; left out where that cannot be
   * told: it can over HTTP, for what comes on the response stream of a request.
   */
  readonly request?: number | undefined;
}

/** Options of `connect`; everything has a default. */
export interface ConnectOptions extends InputHandlers, RecoverOptions, CacheOptions {
  /** Name and version of the client; `parley` by default. */
  readonly info?: Implementation;
  /**
   * Capabilities of the client, beside those that its handlers imply; nothing by default. What is declared here is
   * never taken away, but each revision is told only what it knows of.
   */
  readonly capabilities?: ClientCapabilities;
  /**
   * Extensions that the client supports, by id, with the settings of each (`{}` for none). They are declared in
   * `capabilities.extensions` of every revision, and until 2025-11-25 in `experimental` too.
   */
  readonly extensions?: Extensions;
  /**
   * Choice whether installed handlers advertise their capabilities; on by default. Off, `capabilities` alone are
   * declared.
   */
  readonly advertise?: boolean;
  /**
   * Choice whether calls of tools may become tasks, which `callTool` then waits for; on by default, unless `advertise` is off.
   * Where the server has the extension `io.modelcontextprotocol/tasks`, each `callTool` declares it; in 2025-11-25 a task is
   * asked for where the tool is one alone. Off, neither is done, and tools that are tasks alone answer with an error.
   */
  readonly tasks?: boolean;
  /** Limit of rounds of input that one request may take before it fails with a `TooManyRoundsError`; 10. */
  readonly maxRounds?: number;
  /** The revisions that may be used; every one by default. The newest that the server speaks too is used. */
  readonly revisions?: readonly string[];
  /**
   * Findings of an earlier connection to the same server (`client.negotiated`): the server is not asked again, unless it turns out
   * to be wrong, or says that the server needed `initialize` and is a day old by its `at`. Without it, what this process found out
   * lately is used.
   */
  readonly negotiated?: Negotiated;
  /** Time that a server may take to start and answer the first question before it is taken for an older one, in milliseconds; 8000, and no more than half of `connectTimeoutMs`. How long a `signal` lasts cannot be seen: where that is less than twice this, name half of it. */
  readonly probeTimeoutMs?: number;
  /**
   * Time that connecting may take as a whole, in milliseconds; the shorter of `timeoutMs` and `maxTotalTimeoutMs` by default. The time in
   * which a person signs in is not counted. Then `connect` rejects; a process that it started is ended afterwards. 0 means no limit.
   */
  readonly connectTimeoutMs?: number;
  /** Longest wait for an answer, in milliseconds; 60000. Starts anew with each progress, and when a question of the server was answered here (but for one that became a task of 2025-11-25). 0 means no limit. */
  readonly timeoutMs?: number;
  /** Longest wait for an answer whatever the progress, in milliseconds; no limit by default. The time in which a question of the server is answered here is not counted, but in 2025-11-25 where the call or the question is a task. */
  readonly maxTotalTimeoutMs?: number;
  /**
   * The most messages of the server that may come within one request before its answer (notifications, and questions of a
   * handshake server); 100000. One more, and the request is given up with a `ConnectionError` whose `reason` is `too-large`.
   * Infinity means no limit. A subscription is not counted. On stdio, where a message may not say which request it belongs to,
   * it counts while only one waits.
   */
  readonly maxNotifications?: number;
  /** The most bytes of JSON text that these messages may have; 64 MiB. Infinity means no limit. */
  readonly maxNotificationBytes?: number;
  /** Gives up connecting, which then rejects with the reason of the signal; once connected it has no effect. */
  readonly signal?: AbortSignal;
  /** Checks structured tool results against the output schema of the tool, where `listTools` or `learnTools` made it known; on by default. */
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
   * Hears log messages of the server. In 2026-07-28 it sends none before `setLogLevel`, or `logLevel` of a request, asked for them.
   *
   * @deprecated Since 2026-07-28 (SEP-2577): logging still works; a revision from 2027-07-28 on may remove it.
   */
  readonly onLog?: (message: LoggingMessageNotificationParams, context: NotificationContext) => void;
  /**
   * Answers every request of a handshake server but `ping`, in place of the handlers of single methods: for software
   * that passes questions on. Nothing is advertised for it; `capabilities` say what the server may ask for.
   *
   * @param params In the newest words for methods of the protocol, which are checked, else as they go on the wire; the
   *   answer is given likewise.
   */
  readonly onRequest?: (
    method: string,
    params: Readonly<Record<string, unknown>>,
    context: InputContext,
  ) => Promise<Readonly<Record<string, unknown>>>;
  /**
   * Choice of what is answered as tasks, where the server wants that: it has its answer whenever it is there, over as many connections as it
   * takes. Declares `tasks`; 2025-11-25 alone has such tasks, and elsewhere every question is answered as without it. Off by default.
   *
   * A task belongs to the server of this client, lives an hour unless the server wants another time, a day at most, and is cancelled when
   * the client is closed; up to 100 may wait. Its handler is that of plain questions, whose `context.signal` is aborted when the task is
   * cancelled or its time is over.
   */
  readonly hostTasks?: HostTasksOptions;
  /** Hears the progress of every request, beside the `onProgress` of the request itself. */
  readonly onProgress?: (progress: Progress & { readonly progressToken: ProgressToken }) => void;
  /** Hears every notification of the server as it came; progress only of requests that are waited for. */
  readonly onNotification?: (
    method: string,
    params: Readonly<Record<string, unknown>>,
    context: NotificationContext,
  ) => void;
  /**
   * Hears once that a visit which a server asked for is over, by its `elicitationId`: of `onElicitUrl` or of an error of
   * the kind `urlElicitationRequired`. Some servers never say so.
   */
  readonly onElicitationComplete?: (elicitationId: string) => void;
  /**
   * Hears what was ignored or left out, and why. Without it nothing is said, but for two mistakes, which are written to the
   * console's error stream: the error of a handler that a server of a handshake revision is not told, and what a listener
   * throws, or rejects with where it is async.
   */
  readonly onWarning?: (message: string, cause?: unknown) => void;
  /** Hears once that the connection ended from the other side for good: it was lost, and is not opened again. */
  readonly onClose?: (error: ConnectionError) => void;
  /**
   * The time, in milliseconds since 1970, by which everything is measured. By default waits and expiries in this process have a
   * clock that never jumps, and what may be stored (`negotiated`, responses in a `cacheStore` of yours) has `Date.now`.
   */
  readonly now?: () => number;
}

type Listener =
  | 'hostTasks'
  | 'onRequest'
  | 'onLog'
  | 'onProgress'
  | 'onNotification'
  | 'onWarning'
  | 'onClose'
  | 'onReconnect';

/** The options with their defaults. */
export interface ClientSettings extends Pick<ConnectOptions, Listener>, RecoverSettings, CacheSettings {
  readonly info: Implementation;
  /** Capabilities that are declared now; it may change with the roots. */
  readonly capabilities: ClientCapabilities;
  readonly extensions: Extensions;
  readonly inputs: Inputs;
  readonly tasks: boolean;
  /** The middleware that all messages pass. */
  readonly chain: Chain;
  readonly maxRounds: number;
  readonly revisions: readonly Revision[];
  readonly negotiated: Negotiated | undefined;
  readonly probeTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly timeoutMs: number;
  readonly maxTotalTimeoutMs: number | undefined;
  readonly maxNotifications: number | undefined;
  readonly maxNotificationBytes: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly validateOutput: boolean;
  readonly exactNumbers: boolean;
  readonly maxPages: number;
  readonly maxItems: number;
  /** Tells of what a handler or a listener of the user threw: as a warning, or printed where nobody hears those. */
  readonly failed: Failed;
  /** The time for what may be read by other processes. */
  now(): number;
  /** The time by which waits and expiries in this process are measured. */
  clock(): number;
}

/**
 * Time for a program to start: what loads much, or is fetched first, takes seconds. A server that is told apart too early speaks an older
 * revision for as long as it runs, and few older ones are silent at what they do not know.
 */
const startMs = 8_000;

/**
 * Fills in the defaults.
 *
 * @throws TypeError when `revisions` is empty or names what is no published revision, or a root is no `file://` URI.
 */
export function settingsOf(options: ConnectOptions): ClientSettings {
  checkBudget(options);
  const clock = options.now ?? monotonicNow;
  const onWarning = options.onWarning && harmless(options.onWarning);
  const failed = onWarning ?? print;
  const { timeoutMs = 60_000 } = options;
  const connectTimeoutMs =
    options.connectTimeoutMs ?? Math.min(timeoutMs || Infinity, options.maxTotalTimeoutMs || Infinity);
  const listeners = guardedListeners(options, failed);
  const inputs = new Inputs({ ...options, ...listeners, advertise: options.advertise ?? true, now: clock });
  return {
    ...options,
    ...listeners,
    ...(onWarning && { onWarning }),
    failed,
    info: options.info ?? { name: 'parley', version: '0.1.0' },
    get capabilities() {
      return inputs.capabilities;
    },
    extensions: checkedExtensions(options.extensions ?? {}),
    inputs,
    tasks: options.tasks ?? options.advertise ?? true,
    chain: new Chain(),
    maxRounds: options.maxRounds ?? 10,
    revisions: chosenRevisions(options.revisions),
    negotiated: options.negotiated,
    probeTimeoutMs: options.probeTimeoutMs ?? Math.min(startMs, (connectTimeoutMs || Infinity) / 2),
    connectTimeoutMs,
    timeoutMs,
    maxTotalTimeoutMs: options.maxTotalTimeoutMs,
    maxNotifications: options.maxNotifications,
    maxNotificationBytes: options.maxNotificationBytes,
    signal: options.signal,
    validateOutput: options.validateOutput ?? true,
    exactNumbers: options.exactNumbers ?? false,
    maxPages: options.maxPages ?? 1000,
    maxItems: options.maxItems ?? 100_000,
    ...recoverSettings(options),
    ...cacheSettings(options),
    now: options.now ?? Date.now,
    clock,
  };
}

/** @throws TypeError for an id that is none, or settings that are no object. */
function checkedExtensions(extensions: Extensions): Extensions {
  for (const [id, settings] of Object.entries(extensions)) {
    const problem = extensionProblem(id, settings);
    if (problem !== undefined) throw new TypeError(`extensions: ${problem}`);
  }
  return extensions;
}
