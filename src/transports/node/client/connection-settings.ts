import type { ConnectionOptions } from 'node:tls';

/** Settings of connections: their making and keeping. */
export interface ConnectionSettings {
  readonly maxConnections: number;
  readonly idleMs: number;
  readonly connectMs: number;
  readonly tls: TlsOptions;
}

/** Options of trust over `https:`, and of proving who asks. */
export type TlsOptions = Pick<
  ConnectionOptions,
  'ca' | 'cert' | 'key' | 'passphrase' | 'servername' | 'rejectUnauthorized'
>;
