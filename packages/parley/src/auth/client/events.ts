/** The steps of an authorization, to show or log them. They contain no token, code or secret. */

/** One step of an authorization. */
export type OAuthEvent =
  /** The authorization server of the server was found. */
  | { readonly kind: 'discovered'; readonly server: string; readonly issuer: string; readonly resource: string }
  /** The client was registered at the authorization server. */
  | { readonly kind: 'registered'; readonly issuer: string; readonly client: string }
  /** A person is asked to sign in, or for more. */
  | {
      readonly kind: 'asked';
      readonly issuer: string;
      readonly reason: 'login' | 'step-up';
      readonly scopes: readonly string[];
    }
  /** There are new or renewed tokens. */
  | {
      readonly kind: 'granted' | 'refreshed';
      readonly issuer: string;
      readonly resource: string;
      readonly scopes: readonly string[];
      /** In milliseconds since 1970, if known. */
      readonly expiresAt?: number | undefined;
    }
  /**
   * The authorization server no longer accepts a grant or a registration, which was deleted. `message` is its error.
   */
  | {
      readonly kind: 'lost';
      readonly what: 'grant' | 'registration';
      readonly issuer: string;
      readonly message?: string | undefined;
    }
  /** A problem that is not a failure yet. */
  | { readonly kind: 'warning'; readonly message: string; readonly issuer?: string | undefined };
