/** Sending a person to an authorization server with the page itself. */

import { AuthorizationError } from '../../common/errors.ts';
import type { Redirect } from '../../common/redirect.ts';
import { refuseUnknown, type Names } from '../../../options/known-names.ts';
import { bare } from './bare-url.ts';

/** Options of leaving a page to sign in. */
export interface PageRedirectOptions {
  /** Leads the page to a URL: `(url) => location.assign(url)`. */
  readonly navigate: (url: string) => void;
  /**
   * Address to which the authorization server sends the browser back: a page of the application that calls `finish`. The address of the page by
   * default, without what follows `?` and `#`.
   */
  readonly redirectUri?: string;
}

const optionNames: Names<PageRedirectOptions> = { navigate: 1, redirectUri: 1 };

/**
 * Sends a person to an authorization server with the page itself. The request that needed the login fails with the
 * reason `login-required`, since the page is left. The page to which the browser comes back finishes the login with
 * `auth.finish(location.href, { server })`, and connects as usual. Both need a store that outlives a page, such as
 * `browserCredentialStore()`.
 *
 * @throws TypeError for unknown options, and if `redirectUri` is left out and there is no page.
 * @example const auth = oauth({ redirect: page({ navigate: (url) => location.assign(url) }), store:
 * browserCredentialStore() }); const isAnswer = new URLSearchParams(location.search).has('state'); if (isAnswer) await
 * auth.finish(location.href, { server: 'https://mcp.example.com/mcp' });
 */
export function page(options: PageRedirectOptions): Redirect {
  refuseUnknown('page', options, optionNames);
  const { navigate } = options;
  if (typeof navigate !== 'function') throw new TypeError('page needs navigate, such as (url) => location.assign(url)');
  const redirectUri = options.redirectUri ?? ownAddress();
  return {
    redirectUris: [redirectUri],
    async open() {
      return {
        redirectUri,
        async visit({ url, issuer }) {
          navigate(url);
          throw new AuthorizationError(
            'login-required',
            `the page is left to sign in at ${issuer}; the one to which the browser comes back calls finish`,
            { issuer },
          );
        },
        close: () => {},
      };
    },
  };
}

function ownAddress(): string {
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  if (location === undefined) throw new TypeError('page needs redirectUri outside of a browser page');
  return bare(location.href);
}
