/** Mistakes of clients that sign in, each planted into the small client of `raw-authorized-client.ts`. */

/** Its name. */
export type AuthorizationMistake =
  | 'fixed-endpoints'
  | 'ignores-challenge'
  | 'root-first'
  | 'path-only'
  | 'no-server-metadata'
  | 'oauth-metadata-only'
  | 'openid-first'
  | 'believes-other-issuer'
  | 'believes-other-resource'
  | 'goes-on-without-pkce'
  | 'no-metadata-first'
  | 'keeps-path'
  | 'gives-up'
  | 'silent-revision'
  | 'no-pkce'
  | 'plain-pkce'
  | 'no-resource'
  | 'foreign-resource'
  | 'origin-as-resource'
  | 'slash-at-end'
  | 'no-state'
  | 'ignores-state'
  | 'made-up-id'
  | 'url-id'
  | 'plain-url-id'
  | 'no-application-type'
  | 'web-on-this-machine'
  | 'unregistered-redirect'
  | 'plain-redirect'
  | 'forgets-secret'
  | 'wrong-secret'
  | 'unlisted-refresh'
  | 'assumes-refresh'
  | 'ignores-challenged-scope'
  | 'ignores-supported-scopes'
  | 'no-step-up'
  | 'only-new-scope'
  | 'endless-step-up'
  | 'token-in-query'
  | 'token-in-own-header'
  | 'forgets-token'
  | 'foreign-token'
  | 'shows-refresh-token'
  | 'ignores-wrong-iss'
  | 'ignores-missing-iss'
  | 'ignores-unpromised-iss'
  | 'normalizes-iss'
  | 'wants-iss'
  | 'reuses-client'
  | 'makes-up-second-id'
  | 'by-hand-elsewhere'
  | 'wants-all-scopes'
  | 'compares-letters'
  | 'looks-up-again'
  | 'registers-beside-document'
  | 'no-document'
  | 'half-document'
  | 'borrowed-document'
  | 'redirects-beside-document'
  | 'goes-on-unregistered'
  | 'registers-for-ever';

/** URL of the metadata document of the small client, and what lies there, by its mistake. */
export const document = {
  url: 'https://app.example/client.json',
  /** The document; `undefined` for none. */
  for(mistake: AuthorizationMistake | undefined): object | undefined {
    if (mistake === 'no-document') return undefined;
    return {
      client_id: mistake === 'borrowed-document' ? 'https://other.example/client.json' : document.url,
      ...(mistake !== 'half-document' && { client_name: 'raw' }),
      redirect_uris: [
        mistake === 'redirects-beside-document' ? 'http://127.0.0.1/other' : 'http://127.0.0.1:7777/callback',
      ],
    };
  },
} as const;

/** Mistakes of a client that has such a document. */
export const documentMistakes: readonly AuthorizationMistake[] = [
  'registers-beside-document',
  'no-document',
  'half-document',
  'borrowed-document',
  'redirects-beside-document',
];
