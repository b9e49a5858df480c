/** The way of a person to an authorization server, and of its answer back. */

/** Request to a person to sign in, or to agree to more. */
export interface RedirectRequest {
  /** The page of the authorization server, which the person's browser is to open; `https:`, or `http:` of this machine. */
  readonly url: string;
  /** URL to which the authorization server sends the browser afterwards. */
  readonly redirectUri: string;
  /** Text that the answer must bring back. */
  readonly state: string;
  /** Reason why the person is asked: to sign in, or for more scopes than were granted. */
  readonly reason: 'login' | 'step-up';
  /** The issuer of the authorization server. */
  readonly issuer: string;
  /** The requested scopes; empty leaves them to the authorization server. */
  readonly scopes: readonly string[];
}

/**
 * Sends a user to an authorization server.
 *
 * @param signal Ends the wait: the user took too long, or the answer is no longer needed.
 * @returns The URL to which the browser was sent back, with its parameters. The caller checks them.
 * @throws AuthorizationError `denied` if the user refused or left.
 */
export type RedirectHook = (request: RedirectRequest, signal: AbortSignal) => Promise<string>;

/** A place to which authorization servers send browsers back. */
export interface Redirect {
  /** The redirect URIs that are registered together; any of them may be the one that is used. */
  readonly redirectUris: readonly string[];
  /**
   * Prepares for one answer, before any page is opened.
   *
   * @param registered The redirect URIs that the authorization server has already. If possible, one of them is used;
   *   one
   * with `localhost` in place of a loopback address matches both. `undefined` if none is registered.
   * @param about The request that the user will see.
   */
  open(
    registered: readonly string[] | undefined,
    signal: AbortSignal,
    about?: Pick<RedirectRequest, 'reason' | 'issuer' | 'scopes'>,
  ): Promise<OpenRedirect>;
}

/** A place that waits for one answer. */
export interface OpenRedirect {
  /** Its redirect URI. If it is not registered yet, it is registered first. */
  readonly redirectUri: string;
  /** Sends the person; called once at most. The request's `redirectUri` may spell `localhost` where this one has a loopback address. */
  readonly visit: RedirectHook;
  /** Closes what was opened; closing twice is fine. */
  close(): void;
}
