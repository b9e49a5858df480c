/** Signing in with the page itself: it is left for that of the authorization server, and comes back. */

import { AuthorizationError } from '../../auth/errors.ts';
import type { Redirect } from '../../auth/redirect.ts';

/** Options of `page`. */
export interface PageRedirectOptions {
  /** URL of the page to which the authorization server sends the browser back. */
  readonly redirectUri: string;
  /** Leaves the page for another one, such as `(url) => location.assign(url)`. */
  readonly navigate: (url: string) => void;
}

/**
 * Makes a way to sign in that leaves the page. What asked for it fails with `login-required`; the page that is come back to calls
 * `finish(location.href)` of an authorization with the same options and a store that outlives the page, and connects.
 *
 * @throws TypeError for options that make no sense.
 */
export function pageRedirect({ redirectUri, navigate }: PageRedirectOptions): Redirect {
  if (!URL.canParse(redirectUri)) throw new TypeError('redirectUri must be the URL of the page to come back to');
  if (typeof navigate !== 'function') throw new TypeError('navigate must be a function');
  return {
    redirectUris: [redirectUri],
    open: async () => ({
      redirectUri,
      visit: async ({ url, issuer }) => {
        navigate(url);
        throw new AuthorizationError(
          'login-required',
          `the page is left to sign in at ${issuer}; where it comes back to, call finish(location.href) and connect again`,
          { issuer },
        );
      },
      close: () => {},
    }),
  };
}
