/** The steps of an authorization, for whoever shows or logs them; no token, code or secret is in them. */

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
  /** There are tokens: new ones, or renewed ones. */
  | {
      readonly kind: 'granted' | 'refreshed';
      readonly issuer: string;
      readonly resource: string;
      readonly scopes: readonly string[];
      /** In milliseconds since 1970, where it is known. */
      readonly expiresAt?: number | undefined;
    }
  /** The authorization server takes a grant or a registration no longer; it was deleted. `message` says how it refused. */
  | {
      readonly kind: 'lost';
      readonly what: 'grant' | 'registration';
      readonly issuer: string;
      readonly message?: string | undefined;
    }
  /** Something went wrong that is no failure yet. */
  | { readonly kind: 'warning'; readonly message: string; readonly issuer?: string | undefined };
