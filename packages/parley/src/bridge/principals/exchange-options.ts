/** Options for using a token exchange to act as the client's user at an upstream. */

import type { MachineClient } from '../../auth/client/non-interactive/client-credentials.ts';
import type { AuthorizationOptions } from '../../auth/client/options.ts';

/** Options of going by the authorization server of the upstream. */
export interface EnterpriseUpstream extends Omit<AuthorizationOptions, 'scopes'> {
  /** The bridge as the authorization server of the upstream knows it. */
  readonly client: MachineClient;
}

/** Clients are themselves at the upstream, by tokens that are got in exchange for theirs. (RFC 8693.) */
export interface ExchangeUpstream {
  /** Exchanges the token of the caller for one of the upstream (RFC 8693). */
  readonly as: 'exchange';
  /** The logical name of the upstream at the authorization server that exchanges; without it `resource` is named. */
  readonly audience?: string;
  /** The URL of the upstream as a resource; its URL by default. */
  readonly resource?: string;
  /**
   * Requested scopes. By default those that the authorization server grants itself, and those that the upstream
   * requests later.
   */
  readonly scopes?: readonly string[];
  /**
   * Uses the authorization server of the upstream: the exchange returns an assertion for it (ID-JAG), and it issues the
   * token. (ext-auth, Enterprise-Managed Authorization.)
   */
  readonly enterprise?: EnterpriseUpstream;
}
