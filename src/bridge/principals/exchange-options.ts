/** Options of being at an upstream what a client's token says, by another token. */

import type { MachineClient } from '../../auth/client/machine/client-credentials.ts';
import type { AuthorizationOptions } from '../../auth/client/options.ts';

/** Options of going by the authorization server of the upstream. */
export interface EnterpriseUpstream extends Omit<AuthorizationOptions, 'scopes'> {
  /** The bridge as the authorization server of the upstream knows it. */
  readonly client: MachineClient;
}

/** Clients are themselves at the upstream, by tokens that are got in exchange for theirs. (RFC 8693.) */
export interface ExchangeUpstream {
  readonly as: 'exchange';
  /** The logical name of the upstream at the authorization server that exchanges; without it `resource` is named. */
  readonly audience?: string;
  /** The URL of the upstream as a resource; its URL by default. */
  readonly resource?: string;
  /** Scopes that are asked for; what the authorization server gives by itself by default, and what the upstream asks for later. */
  readonly scopes?: readonly string[];
  /**
   * Goes by the authorization server of the upstream: what is got in exchange is an assertion for it (ID-JAG), and it gives the token.
   * (ext-auth, Enterprise-Managed Authorization.)
   */
  readonly enterprise?: EnterpriseUpstream;
}
