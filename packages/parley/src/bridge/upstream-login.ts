import type { Client } from '../client/api/client.ts';
import type { Negotiated } from '../client/api/negotiated.ts';
import type { ServerCapabilities } from '../protocol/capability.ts';
import type { Implementation } from '../protocol/features/common.ts';
import type { RevisionDate } from '../protocol/revision.ts';

/** The facts that a server reported when it was last reached; plain JSON that can be stored. */
export interface KnownUpstream {
  /** The protocol version (revision). */
  readonly revision: RevisionDate;
  /** The name and version of the upstream server. */
  readonly server?: Implementation | undefined;
  /** The capabilities that the upstream declares. */
  readonly capabilities: ServerCapabilities;
  /** The instructions of the upstream for the model. */
  readonly instructions?: string | undefined;
  /** Cache lifetime and scope, if the server sent them. */
  readonly hint?: { readonly ttlMs?: number; readonly cacheScope?: 'public' | 'private' } | undefined;
}

/** A page at which a person signs in. */
export interface LoginPage {
  /** The URL to open. */
  readonly url: string;
  /** Reason for the visit, as a text for the user. It names the host of the page. */
  readonly message: string;
}

/** A wish to have a person sign in. */
export interface LoginWanted {
  /** The missing scopes, if the server named any. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Shows the page through a client that supports it.
   *
   * @returns False if none does, so that the page must be opened in another way.
   * @throws Error if the user declined.
   */
  show(page: LoginPage): Promise<boolean>;
  /** True when no request waits for it: the bridge begins, and nothing is known of the server. */
  readonly atStart: boolean;
  /** Gives the login up: the bridge is closed, or the person declined. */
  readonly signal: AbortSignal;
}

/**
 * The interactive login for a server behind a bridge, if the `auth` of its transport cannot ask the user itself.
 * Requests that failed with an `AuthorizationError` of the reason `login-required` are sent again after it.
 */
export interface UpstreamLogin {
  /** Facts of the server from last time, by which the bridge stands before anybody signed in. */
  known(): Promise<KnownUpstream | undefined>;
  /** Stores the facts of the server for next time. A rejection only means that they were not stored. */
  keep(known: KnownUpstream): Promise<void>;
  /**
   * Signs a user in, once for any number of requests; left out if no user may be asked.
   *
   * @throws AuthorizationError if no user signed in.
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
  /** True if an interactive sign-in can fix it. */
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
