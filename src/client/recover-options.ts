import type { ConnectionError } from '../jsonrpc/transport.ts';

/** Options of a client that loses its server. */
export interface RecoverOptions {
  /**
   * Choice whether a lost connection is opened again, where its transport can be; on by default. A session that the
   * server forgot is begun anew at once, a server process that died with the next request. Requests whose answer was
   * lost on the way over HTTP, or with the session, are sent once more where that does no harm; what was under way in a
   * process that died fails.
   */
  readonly reconnect?: boolean;
  /**
   * Treatment of the call of a tool, or of any request that may do harm twice, when the server refuses it since it no
   * longer knows the session, mostly after a restart: nothing ran then. `'repeat'` sends it once more in the
   * new session; `'fail'`, the default, rejects it with the reason `session-lost`, for what the server kept for the old
   * session is gone, and the call may have counted on it. What was under way when another request was refused may have
   * run, and always fails. So does a call with the answer 404 in a session that the server still knows: it answers a
   * `ping` in it. (Spec 2025-11-25, Transports, Session Management.)
   */
  readonly onSessionLost?: 'fail' | 'repeat';
  /** Number of times within a minute that the connection may be opened again before the client gives up for good; 5. */
  readonly maxReconnects?: number;
  /**
   * Choice whether the call of a tool counts as harmless to repeat when the tool says of itself that it is read-only or
   * idempotent; off by default, since a server may say anything of its tools.
   */
  readonly trustToolHints?: boolean;
  /** Number of times in a row that opening a subscription again may fail, or that the server may end it soon, before it ends; 10. */
  readonly maxReopens?: number;
  /** Hears that the connection was opened again, and why it was lost. What the server kept for the old one is gone. */
  readonly onReconnect?: (after: ConnectionError) => void;
  /** A number from 0 up to, not including, 1, which scatters attempts to reconnect; `Math.random` by default. */
  readonly random?: () => number;
}

/** The options with their defaults. */
export interface RecoverSettings {
  readonly reconnect: boolean;
  readonly onSessionLost: 'fail' | 'repeat';
  readonly maxReconnects: number;
  readonly trustToolHints: boolean;
  readonly maxReopens: number;
  random(): number;
}

/**
 * Fills in the defaults.
 *
 * @throws TypeError for an `onSessionLost` that is neither `fail` nor `repeat`.
 */
export function recoverSettings(options: RecoverOptions): RecoverSettings {
  const { onSessionLost = 'fail' } = options;
  if (onSessionLost !== 'fail' && onSessionLost !== 'repeat')
    throw new TypeError(`onSessionLost is 'fail' or 'repeat', not ${String(onSessionLost)}`);
  return {
    reconnect: options.reconnect ?? true,
    onSessionLost,
    maxReconnects: options.maxReconnects ?? 5,
    trustToolHints: options.trustToolHints ?? false,
    maxReopens: options.maxReopens ?? 10,
    random: options.random ?? Math.random,
  };
}
