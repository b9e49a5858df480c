/** Options of being at an upstream who each client is there, by signing in. */

import type { SessionOf } from '../../auth/consent/consent.ts';
import { refuseUnknown, type Names } from '../../options/known-names.ts';
import { refuseNoNumber, refuseOther } from '../../options/known-values.ts';
import { shown } from '../../options/shown.ts';
import { isLoopback } from '../../auth/common/network.ts';
import type { ClientMetadata, ManualRegistration } from '../../auth/client/interactive/oauth-options.ts';
import {
  authorizationOptionNames,
  checkAuthorizationOptions,
  type AuthorizationOptions,
} from '../../auth/client/options.ts';
import type { SealingKey } from '../../sealing/sealing-key.ts';
import type { CredentialStore } from '../../storage/credentials.ts';

/** Each client is at the upstream who they are there: a person signs in at its authorization server, on the way of a page of the bridge. */
export interface PerPrincipalUpstream extends AuthorizationOptions {
  /** Each caller has its own connection and grant. */
  readonly as: 'per-principal';
  /**
   * URL of the page at which people agree, by which browsers reach it; `bridge.pages` answers there and below. The redirect URI is
   * `/callback` below it.
   */
  readonly publicUrl: string;
  /**
   * Identifies the user at a browser. Without it, a forwarded link could connect one user's account to another user.
   */
  readonly sessionOf: SessionOf;
  /** Name of the upstream, as people know it; its host by default. */
  readonly name?: string;
  /** Store of grants, registrations and visits; in the memory of this process by default. */
  readonly store?: CredentialStore;
  /** The keys that seal links, 32 bytes each; without them one is made for this process alone. */
  readonly keys?: readonly SealingKey[];
  /** The client, if it was registered manually. */
  readonly client?: ManualRegistration | readonly ManualRegistration[];
  /** The `https:` URL of the metadata document of the client. */
  readonly clientMetadataUrl?: string;
  /** Facts of the client that are registered. */
  readonly metadata?: ClientMetadata;
  /** Time that a request waits for a person who agreed to sign in, in milliseconds; 45000. */
  readonly waitTimeoutMs?: number;
}

const names: Names<PerPrincipalUpstream> = {
  ...authorizationOptionNames,
  as: 1,
  publicUrl: 1,
  sessionOf: 1,
  name: 1,
  store: 1,
  keys: 1,
  client: 1,
  clientMetadataUrl: 1,
  metadata: 1,
  waitTimeoutMs: 1,
};

/** @throws TypeError for options that are unknown, missing, or make no sense. */
export function checkPerPrincipal(where: string, options: PerPrincipalUpstream): void {
  const what = `${where}: upstreamAuth`;
  refuseUnknown(what, options, names);
  checkAuthorizationOptions(what, options, names);
  if (typeof options.sessionOf !== 'function')
    throw new TypeError(`${what} needs sessionOf, a function that identifies the user at a browser`);
  const { publicUrl } = options;
  const url = typeof publicUrl === 'string' && URL.canParse(publicUrl) ? new URL(publicUrl) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (url === undefined || !isSafe || url.search !== '' || url.hash !== '' || url.pathname === '/')
    throw new TypeError(
      `${what} needs publicUrl, the https: URL of a page of its own (http: on this machine) such as 'https://mcp.example.com/sign-in', not ${shown(publicUrl)}`,
    );
  refuseOther('string', `${what}: name`, options.name);
  refuseNoNumber(`${what}: waitTimeoutMs`, options.waitTimeoutMs);
}
