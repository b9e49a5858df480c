import type { ConnectionOptions } from 'node:tls';

/** Settings of connections: their making and keeping. */
export interface ConnectionSettings {
  readonly maxConnections: number;
  readonly idleTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly tls: TlsOptions;
}

/** TLS options: trusted authorities, and the client's certificate. */
export type TlsOptions = Pick<
  ConnectionOptions,
  'ca' | 'cert' | 'key' | 'passphrase' | 'servername' | 'rejectUnauthorized'
>;
