import type { Client } from '../client/client.ts';
import type { Negotiated } from '../client/connection/negotiate.ts';
import type { ServerCapabilities } from '../protocol/capability.ts';
import type { Implementation } from '../protocol/features/common.ts';
import type { RevisionDate } from '../protocol/revision.ts';

/** The facts that a server told of itself when it was last reached; plain JSON that can be stored. */
export interface KnownUpstream {
  readonly revision: RevisionDate;
  readonly server?: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string | undefined;
  /** Time for which and by whom they may be kept, where it said so. */
  readonly hint?: { readonly ttlMs?: number; readonly cacheScope?: 'public' | 'private' } | undefined;
}

/** A page at which a person signs in. */
export interface LoginPage {
  readonly url: string;
  /** Reason of the visit, in words for the person; it names the host of the page. */
  readonly message: string;
}

/** A wish to have a person sign in. */
export interface LoginWanted {
  /** The scopes that were missing, where the server named some. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Shows the page by a client that can.
   *
   * @returns False where none can, so that the page is to be opened in another way.
   * @throws Error when the person declined.
   */
  show(page: LoginPage): Promise<boolean>;
  /** True when no request waits for it: the bridge begins, and nothing is known of the server. */
  readonly atStart: boolean;
  /** Gives the login up: the bridge is closed, or the person declined. */
  readonly signal: AbortSignal;
}

/**
 * The login that a server behind a bridge wants, where its transport has `auth` that asks nobody by itself: what fails with an
 * `AuthorizationError` of the reason `login-required` is made again after it.
 */
export interface UpstreamLogin {
  /** Facts of the server from last time, by which the bridge stands before anybody signed in. */
  known(): Promise<KnownUpstream | undefined>;
  /** Keeps the facts of the server for next time; must not reject for more than that they are not kept. */
  keep(known: KnownUpstream): Promise<void>;
  /**
   * Has a person sign in, once for however many requests; left out where nobody may be asked.
   *
   * @throws AuthorizationError when nobody did.
   */
  signIn?(wanted: LoginWanted): Promise<void>;
}

/** The facts of a server that was reached. */
export function knownOf({ revision, server, capabilities, instructions, negotiated }: Facts): KnownUpstream {
  const { ttlMs, cacheScope } = negotiated.discovered ?? {};
  return {
    revision,
    ...(server === undefined ? {} : { server }),
    capabilities,
    ...(instructions === undefined ? {} : { instructions }),
    ...(ttlMs === undefined ? {} : { hint: { ttlMs, ...(cacheScope === undefined ? {} : { cacheScope }) } }),
  };
}

/** The facts of a server, as a client has them. */
type Facts = Pick<Client, 'revision' | 'server' | 'capabilities' | 'instructions'> & {
  readonly negotiated: Pick<Negotiated, 'discovered'>;
};

/** Failure of an authorization, as a bridge sees it through whatever carries it. */
export interface AuthorizationFailure {
  /** True when a person who signs in can mend it. */
  readonly mendable: boolean;
  readonly message: string;
  readonly scopes: readonly string[] | undefined;
}

/** Finds the failure of an authorization in an error, or among what caused it. */
export function authorizationFailure(error: unknown): AuthorizationFailure | undefined {
  let cause: unknown = error;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth++, cause = cause.cause) {
    if (cause.name !== 'AuthorizationError') continue;
    const { reason, scopes } = cause as { readonly reason?: unknown; readonly scopes?: readonly string[] };
    return { mendable: reason === 'login-required', message: cause.message, scopes };
  }
  return undefined;
}
