import type { ConnectionError } from '../jsonrpc/transport.ts';

/** What a client does when it loses its server. */
export interface RecoverOptions {
  /**
   * Whether a lost connection is opened again; on by default. A session that the server forgot is begun anew at once, a
   * server process that died with the next request. Requests whose answer was lost on the way over HTTP, or with the
   * session, are sent once more where that does no harm; what was under way in a process that died fails.
   */
  readonly reconnect?: boolean;
  /** How often within a minute the connection may be opened again before the client gives up for good; 5. */
  readonly maxReconnects?: number;
  /**
   * Whether the call of a tool counts as harmless to repeat when the tool says of itself that it is read-only or
   * idempotent; off by default, since a server may say anything of its tools.
   */
  readonly trustToolHints?: boolean;
  /** How often in a row opening a subscription again may fail before it ends; 10. */
  readonly maxReopens?: number;
  /** Hears that the connection was opened again, and why it was lost. What the server kept for the old one is gone. */
  readonly onReconnect?: (after: ConnectionError) => void;
  /** A number from 0 up to, not including, 1, which scatters attempts to reconnect; `Math.random` by default. */
  readonly random?: () => number;
}

/** The options with their defaults. */
export interface RecoverSettings {
  readonly reconnect: boolean;
  readonly maxReconnects: number;
  readonly trustToolHints: boolean;
  readonly maxReopens: number;
  random(): number;
}

/** Fills in the defaults. */
export function recoverSettings(options: RecoverOptions): RecoverSettings {
  return {
    reconnect: options.reconnect ?? true,
    maxReconnects: options.maxReconnects ?? 5,
    trustToolHints: options.trustToolHints ?? false,
    maxReopens: options.maxReopens ?? 10,
    random: options.random ?? Math.random,
  };
}
