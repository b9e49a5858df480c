/** Servers whose metadata break a rule. */

import { challenged, resource, server, type Row } from './broken.ts';
import { metadataOf, paths } from './guarded.ts';

/** One server for each rule of metadata at least. */
export const metadataRows: readonly Row[] = [
  {
    rule: 'resource-metadata-not-there',
    how: 'names resource metadata where there are none',
    change: (origin) => challenged(`Bearer scope="a", resource_metadata="${origin}/nowhere"`),
    what: /^the challenge names http:\S+\/nowhere, where no resource metadata are \(HTTP 404\)$/,
  },
  {
    rule: 'resource-missing',
    how: 'does not say of which resource the metadata are',
    change: resource(() => ({ resource: undefined })),
    what: /^the resource metadata have no resource$/,
  },
  {
    rule: 'resource-of-another',
    how: 'has the metadata of another origin',
    change: resource(() => ({ resource: 'https://other.example/mcp' })),
    what: /^resource is https:\/\/other\.example\/mcp, another origin than http:\S+\/mcp$/,
  },
  {
    rule: 'resource-of-another',
    how: 'has the metadata of a sibling',
    change: resource((origin) => ({ resource: `${origin}/mcp2` })),
    what: /^resource is http:\S+\/mcp2, which is no beginning of the path of http:\S+\/mcp$/,
  },
  {
    rule: 'resource-spelling',
    how: 'calls itself by its origin',
    change: resource((origin) => ({ resource: origin })),
    what: /^resource is http:\S+\d, and where it was found it has to be http:\S+\/mcp$/,
  },
  {
    rule: 'authorization-servers-missing',
    how: 'names no authorization server',
    change: resource(() => ({ authorization_servers: [] })),
    what: /^the resource metadata name no authorization server in authorization_servers$/,
  },
  {
    rule: 'offline-access-advertised',
    how: 'lists offline_access',
    change: resource(() => ({ scopes_supported: ['a', 'offline_access'] })),
    what: /^scopes_supported of the resource metadata has offline_access/,
  },
  {
    rule: 'header-not-taken',
    how: 'takes tokens in the query alone',
    change: resource(() => ({ bearer_methods_supported: ['query'] })),
    what: /^bearer_methods_supported is \["query"\], without header$/,
  },
  {
    rule: 'resource-field-type',
    how: 'has a text where a list has to be',
    change: resource(() => ({ scopes_supported: 'a b' })),
    what: /^scopes_supported is a text, and has to be an array of texts$/,
  },
  {
    rule: 'metadata-at-root',
    how: 'has the metadata of an issuer with a path at the root',
    change: () => ({ published: { [paths.server]: undefined } }),
    what: /^the issuer http:\S+\/tenant has a path, and metadata are at the root alone: http:/,
  },
  {
    rule: 'server-metadata-nowhere',
    how: 'has an authorization server without metadata',
    change: () => ({ published: { [paths.server]: undefined, [paths.root]: undefined } }),
    what: /^http:\S+\/tenant publishes no metadata$/,
  },
  {
    rule: 'issuer-missing',
    how: 'has an authorization server that does not say who it is',
    change: server(() => ({ issuer: undefined })),
    what: /^the metadata of http:\S+\/tenant name no issuer$/,
  },
  {
    rule: 'issuer-of-another',
    how: 'has the metadata of another authorization server',
    change: server(() => ({ issuer: 'https://other.example' })),
    what: /say that they are those of https:\/\/other\.example$/,
  },
  {
    rule: 'issuer-of-another',
    how: 'spells the issuer in another way',
    change: server((origin) => ({ issuer: `${origin}/tenant/` })),
    what: /say that they are those of http:\S+\/tenant\/, another spelling of it, which counts as another issuer$/,
  },
  {
    rule: 'issuer-slash',
    how: 'has an issuer without path, with a slash in one place',
    change: (origin, given) => ({
      published: {
        [paths.resource]: { document: { ...given.resource, authorization_servers: [`${origin}/`] } },
        [paths.root]: { document: metadataOf(origin) },
      },
    }),
    what: /^the issuer is http:\S+\/ in the resource metadata and http:\S+\d in its own$/,
  },
  {
    rule: 'authorization-endpoint-missing',
    how: 'signs nobody in',
    change: server(() => ({ authorization_endpoint: undefined })),
    what: /have no authorization_endpoint$/,
  },
  {
    rule: 'token-endpoint-missing',
    how: 'gives no tokens',
    change: server(() => ({ token_endpoint: undefined })),
    what: /have no token_endpoint$/,
  },
  {
    rule: 'no-s256',
    how: 'does not say that it protects codes',
    change: server(() => ({ code_challenge_methods_supported: undefined })),
    what: /^code_challenge_methods_supported of http:\S+\/tenant is missing$/,
  },
  {
    rule: 'no-s256',
    how: 'protects codes by what anybody can read',
    change: server(() => ({ code_challenge_methods_supported: ['plain'] })),
    what: /^code_challenge_methods_supported of http:\S+\/tenant is \["plain"\], without S256$/,
  },
  {
    rule: 'response-types-missing',
    how: 'lists no response types',
    change: server(() => ({ response_types_supported: undefined })),
    what: /have no response_types_supported$/,
  },
  {
    rule: 'iss-unnamed',
    how: 'does not promise iss',
    change: server(() => ({ authorization_response_iss_parameter_supported: undefined })),
    what: /does not say that its answers name it/,
  },
  {
    rule: 'metadata-documents-not-taken',
    how: 'takes no client id metadata documents',
    change: server(() => ({ client_id_metadata_document_supported: false })),
    what: /does not take the URL of a document as a client id/,
  },
  {
    rule: 'dpop-symmetric',
    how: 'takes proofs that are signed by a shared secret',
    change: server(() => ({ dpop_signing_alg_values_supported: ['ES256', 'HS256'] })),
    what: /^dpop_signing_alg_values_supported of \S+ has HS256$/,
  },
  {
    rule: 'dpop-required-not-offered',
    how: 'wants bound tokens, which nobody gives',
    change: (_, given) => ({
      published: {
        [paths.resource]: { document: { ...given.resource, dpop_bound_access_tokens_required: true } },
        [paths.server]: { document: { ...given.server, dpop_signing_alg_values_supported: undefined } },
      },
    }),
    what: /names no dpop_signing_alg_values_supported$/,
    later: true,
  },
  {
    rule: 'server-field-type',
    how: 'has a text where true or false has to be',
    change: server(() => ({ scopes_supported: 'a b' })),
    what: /^scopes_supported is a text, and has to be an array of texts$/,
  },
  {
    rule: 'url-malformed',
    how: 'names an authorization server by no URL',
    change: resource(() => ({ authorization_servers: ['login.example.com'] })),
    what: /^the authorization server is not a URL: login\.example\.com$/,
    beside: ['authorization-servers-missing'],
  },
  {
    rule: 'url-insecure',
    how: 'has an authorization server without TLS',
    change: resource(() => ({ authorization_servers: ['http://login.example.com'] })),
    what: /^the authorization server is http:\/\/login\.example\.com, which is no https: URL/,
  },
  {
    rule: 'url-insecure',
    how: 'has a token endpoint without TLS',
    change: server(() => ({ token_endpoint: 'http://login.example.com/token' })),
    what: /^token_endpoint is http:\/\/login\.example\.com\/token, which is no https: URL/,
  },
  {
    rule: 'url-insecure',
    how: 'has an authorization server that is a script',
    change: resource(() => ({ authorization_servers: ['javascript:alert(1)'] })),
    what: /^the authorization server is javascript:alert\(1\), which is no https: URL/,
  },
  {
    rule: 'address-inner',
    how: 'leads into an inner network',
    change: () => challenged('Bearer scope="a", resource_metadata="https://169.254.169.254/latest"'),
    what: /^resource_metadata is https:\/\/169\.254\.169\.254\/latest, inside a network$/,
  },
  {
    rule: 'issuer-with-query',
    how: 'has an issuer with a query',
    change: (origin, given) => ({
      published: {
        [paths.resource]: { document: { ...given.resource, authorization_servers: [`${origin}/tenant?v=2`] } },
        [paths.server]: { document: { ...given.server, issuer: `${origin}/tenant?v=2` } },
      },
    }),
    what: /^the authorization server http:\S+\/tenant\?… has a query or a fragment$/,
  },
  {
    rule: 'two-slashes',
    how: 'joins an endpoint badly',
    change: server((origin) => ({ token_endpoint: `${origin}/tenant//token` })),
    what: /^token_endpoint has two slashes in its path/,
  },
];
