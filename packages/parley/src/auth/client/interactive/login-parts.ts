/** The parts that all ways of signing a person in share. */

import type { Discovered } from '../discovery.ts';
import type { DpopProver } from '../dpop.ts';
import { grantOf, type Grant } from '../grant.ts';
import type { Job } from '../shared-work.ts';
import type { Site } from '../site.ts';
import type { GrantEndpoints } from '../endpoints.ts';
import type { TokenAnswer } from '../token-response.ts';
import type { ShowDevicePrompt } from './device.ts';
import type { OnlyOne } from './lease.ts';
import type { OAuthSettings } from './oauth-options.ts';
import type { RegisteredClient, Registration } from './registration.ts';

/** The needs of a login beside the server. */
export interface LoginParts {
  readonly settings: OAuthSettings;
  readonly registration: Registration;
  proverOf(issuer: string): DpopProver;
  /** Stores a grant; see `saveGrant`. */
  save(grant: Grant, isStepUp: boolean | undefined): Promise<void>;
}

/** The wish with which a person is sent. */
export interface LoginRequest {
  readonly discovered: Discovered;
  readonly scopes: readonly string[];
  readonly reason: 'login' | 'step-up';
  /** True when the tokens are to be bound to a key. */
  readonly bound: boolean;
  /** Called when the user is asked. */
  readonly asked?: (() => void) | undefined;
  /** Shows a page and a code for another device, if the user should sign in that way. */
  readonly device?: ShowDevicePrompt | undefined;
}

/** The job of asking a user, while no other process asks. */
export interface LoginJob extends Job {
  readonly only: OnlyOne;
}

/** Granted tokens, with their client and request. */
interface Granted {
  readonly endpoints: GrantEndpoints;
  readonly client: RegisteredClient;
  readonly resource: string;
  readonly requested: readonly string[];
  readonly isStepUp?: boolean | undefined;
}

/** Stores the tokens of a login, and reports them. */
export async function keepTokens(
  { now, tell }: Site,
  { save }: Pick<LoginParts, 'save'>,
  [answer, { client, endpoints, resource, requested, isStepUp }]: readonly [TokenAnswer, Granted],
): Promise<void> {
  const isPublic = client.method === 'none';
  const grant = grantOf(answer, { resource, client: client.id, isPublic, endpoints, requested, now: now() });
  await save(grant, isStepUp);
  const { scopes, expiresAt } = grant;
  tell({ kind: 'granted', issuer: endpoints.issuer, resource, scopes, expiresAt });
}
