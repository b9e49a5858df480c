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
  /** The scopes that are asked for; none leaves them to the authorization server. */
  readonly scopes: readonly string[];
}

/**
 * Sends a person to an authorization server.
 *
 * @param signal Ends the wait: the person took too long, or nobody waits for the answer any more.
 * @returns The URL to which the browser was sent back, with its parameters. What it says is checked by who asked.
 * @throws AuthorizationError `denied` where the person would not go, or went away.
 */
export type RedirectHook = (request: RedirectRequest, signal: AbortSignal) => Promise<string>;

/** A place to which authorization servers send browsers back. */
export interface Redirect {
  /** The redirect URIs that are registered together; any of them may be the one that is used. */
  readonly redirectUris: readonly string[];
  /**
   * Makes ready for one answer, before any page is opened.
   *
   * @param registered The redirect URIs that the authorization server knows already, to choose from where that can be done; one
   *   with `localhost` in place of a loopback address stands for both. `undefined` where nothing is registered.
   * @param about What the person will be asked for.
   */
  open(
    registered: readonly string[] | undefined,
    signal: AbortSignal,
    about?: Pick<RedirectRequest, 'reason' | 'issuer' | 'scopes'>,
  ): Promise<OpenRedirect>;
}

/** A place where one answer is awaited. */
export interface OpenRedirect {
  /** URL of the place. One that is not among the registered ones is registered first. */
  readonly redirectUri: string;
  /** Sends the person; called once at most. The request's `redirectUri` may spell `localhost` where this one has a loopback address. */
  readonly visit: RedirectHook;
  /** Lets go of what was opened; closing twice is fine. */
  close(): void;
}
