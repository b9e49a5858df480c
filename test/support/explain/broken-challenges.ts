/** Servers whose challenges, or answers for metadata, break a rule. */

import { challenged, type Row } from './broken.ts';
import { paths } from './guarded.ts';

const unnamed = 'Bearer scope="mcp:basic"';

/** One server for each rule of challenges and of fetching at least. */
export const challengeRows: readonly Row[] = [
  {
    rule: 'challenge-missing',
    how: 'answers 401 without a challenge',
    change: () => ({ refusal: { status: 401 } }),
    what: /^a 401 has no WWW-Authenticate$/,
  },
  {
    rule: 'challenge-unreadable',
    how: 'challenges with what is no challenge',
    change: () => challenged('"Bearer"'),
    what: /^no challenge can be read of: "Bearer"$/,
  },
  {
    rule: 'challenge-not-oauth',
    how: 'wants a password',
    change: () => challenged('Basic realm="x", Negotiate'),
    what: /^the challenges are of basic, negotiate, and none is Bearer or DPoP$/,
    later: true,
  },
  {
    rule: 'resource-metadata-nowhere',
    how: 'has no resource metadata',
    change: () => ({ ...challenged(unnamed), published: { [paths.resource]: undefined } }),
    what: /^no challenge names resource_metadata, and none are at the well-known URLs$/,
  },
  {
    rule: 'resource-metadata-unnamed',
    how: 'does not say where its resource metadata are',
    change: () => challenged(unnamed),
    what: /^there are resource metadata, and the challenge has no resource_metadata/,
  },
  {
    rule: 'scope-unnamed',
    how: 'names no scope',
    change: (origin) => challenged(`Bearer resource_metadata="${origin}${paths.resource}"`),
    what: /^the challenge of a 401 has no scope$/,
  },
  {
    rule: 'missing-scope-unnamed',
    how: 'answers 403 without the scopes that are missing',
    change: (origin) =>
      challenged(`Bearer error="insufficient_scope", resource_metadata="${origin}${paths.resource}"`, 403),
    what: /^the challenge of a 403 has no scope$/,
    header: 'Authorization: Bearer a-token-of-somebody',
    later: true,
  },
  {
    rule: 'forbidden-without-token',
    how: 'answers 403 to who has no token',
    change: () => ({ refusal: { status: 403 } }),
    what: /^a request without a token is answered with 403/,
    later: true,
  },
  {
    rule: 'error-without-token',
    how: 'tells who has no token that it is invalid',
    change: (origin) =>
      challenged(`Bearer error="invalid_token", scope="a", resource_metadata="${origin}${paths.resource}"`),
    what: /^a request without a token gets error="invalid_token"$/,
  },
  {
    rule: 'error-missing',
    how: 'does not say that the token is no good',
    change: () => ({}),
    what: /^the credentials of the request are refused without an error/,
    header: 'Authorization: Bearer a-token-of-somebody',
  },
  {
    rule: 'offline-access-challenged',
    how: 'wants offline_access',
    change: (origin) => challenged(`Bearer scope="a offline_access", resource_metadata="${origin}${paths.resource}"`),
    what: /^the scope of the challenge has offline_access/,
  },
  {
    rule: 'metadata-html',
    how: 'answers everything with a page',
    change: (origin) => ({
      ...challenged(unnamed),
      published: {
        [paths.resource]: { status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html>' },
        [paths.resourceAtRoot]: { document: { resource: origin, authorization_servers: [`${origin}/tenant`] } },
      },
    }),
    what: /\/oauth-protected-resource\/mcp answers with 200 and text\/html$/,
    beside: ['resource-metadata-unnamed'],
  },
  {
    rule: 'metadata-other-json',
    how: 'answers everything with some object',
    change: (origin) => ({
      ...challenged(unnamed),
      published: {
        [paths.resource]: { document: { error: 'not found' } },
        [paths.resourceAtRoot]: { document: { resource: origin, authorization_servers: [`${origin}/tenant`] } },
      },
    }),
    what: /\/oauth-protected-resource\/mcp answers with 200 and JSON, but another document$/,
    beside: ['resource-metadata-unnamed'],
  },
  {
    rule: 'metadata-media-type',
    how: 'says that its metadata are text',
    change: (_, given) => ({
      published: {
        [paths.server]: { status: 200, headers: { 'content-type': 'text/plain' }, body: JSON.stringify(given.server) },
      },
    }),
    what: /\/tenant is text\/plain, and not application\/json$/,
  },
  {
    rule: 'metadata-redirected',
    how: 'redirects within its origin',
    change: (_, given) => ({
      published: {
        [paths.server]: { status: 307, headers: { location: '/elsewhere' } },
        '/elsewhere': { document: given.server },
      },
    }),
    what: /\/tenant redirects to \/elsewhere$/,
  },
  {
    rule: 'metadata-redirected-elsewhere',
    how: 'redirects to another origin',
    change: () => ({ published: { [paths.server]: { status: 302, headers: { location: 'https://other.example/' } } } }),
    what: /\/tenant redirects to https:\/\/other\.example\/$/,
  },
  {
    rule: 'metadata-out-of-reach',
    how: 'fails',
    change: () => ({ published: { [paths.server]: { status: 503 } } }),
    what: /\/tenant cannot be had now: HTTP 503/,
  },
  {
    rule: 'metadata-guarded',
    how: 'wants authorization for its metadata',
    change: () => ({
      ...challenged(unnamed),
      published: { [paths.resource]: { status: 401, headers: { 'www-authenticate': unnamed } } },
    }),
    what: /\/oauth-protected-resource\/mcp wants authorization itself: HTTP 401$/,
    beside: ['resource-metadata-nowhere'],
  },
];
