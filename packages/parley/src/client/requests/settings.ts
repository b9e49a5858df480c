import { MiddlewareStack } from '../../connection/middleware/middleware-stack.ts';
import { monotonicNow } from '../../jsonrpc/timeout.ts';
import { harmless } from '../../options/harmless.ts';
import { pacedWarnings } from '../api/paced-warnings.ts';
import { checkBudget } from '../../connection/budget.ts';
import type { Implementation } from '../../protocol/features/common.ts';
import type { Negotiated } from '../api/negotiated.ts';
import type { ClientCapabilities } from '../../protocol/capability.ts';
import { extensionProblem, type Extensions } from '../../protocol/extension.ts';
import { chosenRevisions, type Revision } from '../../protocol/revision.ts';
import { cacheSettings, type CacheSettings } from '../api/cache-options.ts';
import { Inputs } from '../input/inputs.ts';
import { guardedListeners, print, type Failed } from '../api/listeners.ts';
import { recoverSettings, type RecoverSettings } from '../api/recover-options.ts';
import type { ConnectOptions } from '../api/options.ts';

type Listener =
  | 'clientTasks'
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
  readonly chain: MiddlewareStack;
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
  /** Reports the error of a user's handler or listener: as a warning, or printed if there is no warning listener. */
  readonly failed: Failed;
  /** The time for data that other processes may read. */
  now(): number;
  /** The time by which waits and expiries in this process are measured. */
  clock(): number;
}

/**
 * Time for a program to start: a program that loads much, or is downloaded first, takes seconds. If this is too short,
 * a server speaks an older revision for as long as it runs. Few older servers ignore an unknown method.
 */
const startMs = 8_000;

/**
 * Fills in the defaults.
 *
 * @throws TypeError if `revisions` is empty or has an unknown date, or a root is not a `file://` URI.
 */
export function settingsOf(options: ConnectOptions): ClientSettings {
  checkBudget(options);
  const clock = options.now ?? monotonicNow;
  const onWarning = options.onWarning && pacedWarnings(harmless(options.onWarning), clock);
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
    chain: new MiddlewareStack(),
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

/** @throws TypeError for an invalid id, or for settings that are not an object. */
function checkedExtensions(extensions: Extensions): Extensions {
  for (const [id, settings] of Object.entries(extensions)) {
    const problem = extensionProblem(id, settings);
    if (problem !== undefined) throw new TypeError(`extensions: ${problem}`);
  }
  return extensions;
}
