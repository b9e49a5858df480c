import type { ConnectionError } from '../../jsonrpc/transport.ts';

/** Options of a client that loses its server. */
export interface RecoverOptions {
  /**
   * True if a lost connection is opened again, if its transport supports that; on by default. A lost session is
   * replaced at once, a dead server process with the next request. Requests whose answer was lost over HTTP, or with
   * the session, are sent once more if that does no harm. Requests under way in a dead process fail.
   */
  readonly reconnect?: boolean;
  /**
   * Handling of a tool call, or of any request that may not be repeated safely, if the server rejects it because it no
   * longer knows the session. That mostly happens after a restart, and nothing ran then. `'repeat'` sends it once more
   * in the new session. `'fail'`, the default, rejects it with the reason `session-lost`: the server's state of the old
   * session is lost, and the call may have depended on it. Calls that were under way when another request was rejected
   * may have run, and always fail. So does a call with the answer 404 in a session that still answers a `ping`. (Spec
   * 2025-11-25, Transports, Session Management.)
   */
  readonly sessionLost?: 'fail' | 'repeat';
  /** Number of reconnects within a minute before the client closes permanently; 5. */
  readonly maxReconnects?: number;
  /**
   * True if the call of a tool may be repeated when the tool's hints say that it is read-only or idempotent. Off by
   * default, since a server may claim anything about its tools.
   */
  readonly trustToolHints?: boolean;
  /** Number of times in a row that opening a subscription again may fail, or that the server may end it soon, before it ends; 10. */
  readonly maxReopens?: number;
  /**
   * Called when the connection was opened again, with the reason of its loss. The server's state of the old one is
   * lost.
   */
  readonly onReconnect?: (after: ConnectionError) => void;
  /** A number from 0 up to, not including, 1, which scatters attempts to reconnect; `Math.random` by default. */
  readonly random?: () => number;
}

/** The options with their defaults. */
export interface RecoverSettings {
  readonly reconnect: boolean;
  readonly sessionLost: 'fail' | 'repeat';
  readonly maxReconnects: number;
  readonly trustToolHints: boolean;
  readonly maxReopens: number;
  random(): number;
}

/**
 * Fills in the defaults.
 *
 * @throws TypeError for an `sessionLost` that is neither `fail` nor `repeat`.
 */
export function recoverSettings(options: RecoverOptions): RecoverSettings {
  const { sessionLost = 'fail' } = options;
  if (sessionLost !== 'fail' && sessionLost !== 'repeat')
    throw new TypeError(`sessionLost is 'fail' or 'repeat', not ${String(sessionLost)}`);
  return {
    reconnect: options.reconnect ?? true,
    sessionLost,
    maxReconnects: options.maxReconnects ?? 5,
    trustToolHints: options.trustToolHints ?? false,
    maxReopens: options.maxReopens ?? 10,
    random: options.random ?? Math.random,
  };
}
