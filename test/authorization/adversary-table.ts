/** Hostile servers, authorization servers and pages, each by its name, for every way of being authorized. */

import type { AuthorizationReason } from '../../packages/parley/src/oauth.ts';
import { createWorld, issuer, mcp, refuse, type Laws } from '../support/authorization-world.ts';

const metadata = createWorld().laws.server as Readonly<Record<string, unknown>>;
const server = (changes: object): Partial<Laws> => ({ server: { ...metadata, ...changes } });
const callback = (change: (callback: URL) => void): Partial<Laws> => ({
  callback: (url) => {
    change(url);
    return url;
  },
});
const redirect = (location: string): Response => new Response(null, { status: 302, headers: { location } });

/** The authorization server of somebody else, which a server names in place of ours. */
export const evil = 'https://evil.example';

/** An authorization server that has its people sign in at another one, to get the code of that. (RFC 9207, section 1.) */
function mixUp(promised: boolean): Partial<Laws> {
  return {
    resource: { resource: mcp, authorization_servers: [evil, issuer] },
    answers: {
      '/.well-known/oauth-authorization-server': ({ url }) =>
        url.origin === evil
          ? Response.json({
              ...metadata,
              issuer: evil,
              token_endpoint: `${evil}/token`,
              registration_endpoint: `${evil}/register`,
              authorization_response_iss_parameter_supported: promised,
            })
          : undefined,
      '/register': ({ url }) => (url.origin === evil ? Response.json({ client_id: 'c' }, { status: 201 }) : undefined),
    },
  };
}

/** Who is to be careful: everybody, or only who sends a person to a page. */
export type Careful = 'all' | 'person';

/** What goes wrong, what must come of it, the last that may be reached, and for whom it is one. */
export type Adversary = readonly [
  what: string,
  laws: Partial<Laws>,
  reason: AuthorizationReason,
  reached: 'discovery' | 'login' | 'token',
  careful?: Careful,
];

/** The innards of a network, in spellings that are not looked through at once. */
const inner = [
  '10.0.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '127.1',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '0.0.0.0',
  '[::1]',
  '[::]',
  '[::ffff:10.0.0.1]',
  '[fe80::1]',
  '[fd00::1]',
  'localhost',
];

export const adversaries: readonly Adversary[] = [
  ...inner.map((host): Adversary => [
    `an authorization server at ${host}`,
    { resource: { resource: mcp, authorization_servers: [`https://${host}`] } },
    'address-refused',
    'discovery',
  ]),
  ['a mix-up with an authorization server that names itself', mixUp(true), 'issuer-mismatch', 'login', 'person'],
  ['a mix-up with an authorization server that does not', mixUp(false), 'issuer-mismatch', 'login', 'person'],
  [
    'resource metadata that lead into a network',
    { answers: { '/.well-known/oauth-protected-resource/mcp': () => redirect('https://169.254.169.254/latest') } },
    'discovery',
    'discovery',
  ],
  [
    'resource metadata that lead to another host',
    { answers: { '/.well-known/oauth-protected-resource/mcp': () => redirect('https://evil.example/x') } },
    'discovery',
    'discovery',
  ],
  [
    'resource metadata that lead round in a circle',
    { answers: { '/.well-known/oauth-protected-resource/mcp': ({ url }) => redirect(`${url.pathname}?again`) } },
    'discovery',
    'discovery',
  ],
  [
    'resource metadata without end',
    { resource: `{"resource":"${mcp}","x":"${'x'.repeat(300_000)}"}` },
    'discovery',
    'discovery',
  ],
  [
    'metadata of an authorization server without end',
    { server: `{"issuer":"${issuer}","x":"${'x'.repeat(300_000)}"}` },
    'discovery',
    'discovery',
  ],
  [
    'metadata of an authorization server that lead elsewhere',
    { answers: { '/.well-known/oauth-authorization-server': () => redirect('https://evil.example/x') } },
    'discovery',
    'discovery',
  ],
  [
    'resource metadata of another host',
    { resource: { resource: 'https://evil.example/mcp', authorization_servers: [issuer] } },
    'resource-mismatch',
    'discovery',
  ],
  [
    'resource metadata of a sibling path',
    { resource: { resource: 'https://mcp.example/mcp2', authorization_servers: [issuer] } },
    'resource-mismatch',
    'discovery',
  ],
  ['resource metadata without authorization servers', { resource: { resource: mcp } }, 'discovery', 'discovery'],
  ['resource metadata that are no JSON', { resource: '<html>' }, 'discovery', 'discovery'],
  [
    'a challenge that names a script',
    { challenge: 'Bearer resource_metadata="javascript:alert(1)"' },
    'insecure-url',
    'discovery',
  ],
  [
    'a challenge that names the metadata of a cloud',
    { challenge: 'Bearer resource_metadata="https://169.254.169.254/"' },
    'address-refused',
    'discovery',
  ],
  [
    'a challenge that names plain http',
    { challenge: 'Bearer resource_metadata="http://mcp.example/x"' },
    'insecure-url',
    'discovery',
  ],
  [
    'an authorization server inside',
    { resource: { resource: mcp, authorization_servers: ['https://10.0.0.1'] } },
    'address-refused',
    'discovery',
  ],
  [
    'an authorization server by http',
    { resource: { resource: mcp, authorization_servers: ['http://as.example'] } },
    'insecure-url',
    'discovery',
  ],
  [
    'metadata of another issuer [auth-037] [auth-038]',
    server({ issuer: 'https://evil.example' }),
    'issuer-mismatch',
    'discovery',
  ],
  [
    'metadata of an issuer that only normalizes to ours [auth-037] [auth-038]',
    server({ issuer: 'https://AS.example' }),
    'issuer-mismatch',
    'discovery',
  ],
  ['no metadata at all', { server: undefined }, 'discovery', 'discovery'],
  [
    'metadata without S256 [auth-099] [auth-100]',
    server({ code_challenge_methods_supported: undefined }),
    'pkce-missing',
    'discovery',
    'person',
  ],
  [
    'metadata with plain challenges alone',
    server({ code_challenge_methods_supported: ['plain'] }),
    'pkce-missing',
    'discovery',
    'person',
  ],
  [
    'a page that is a script [security-027]',
    server({ authorization_endpoint: 'javascript:alert(1)' }),
    'insecure-url',
    'discovery',
  ],
  [
    'a page by http [security-027]',
    server({ authorization_endpoint: 'http://as.example/' }),
    'insecure-url',
    'discovery',
  ],
  ['a page that is a file', server({ authorization_endpoint: 'file:///bin/sh' }), 'insecure-url', 'discovery'],
  [
    'a token endpoint inside',
    server({ token_endpoint: 'https://[::ffff:127.0.0.1]/' }),
    'address-refused',
    'discovery',
  ],
  [
    'a registration endpoint in an odd spelling of this machine',
    server({ registration_endpoint: 'https://0x7f.1/' }),
    'address-refused',
    'discovery',
  ],
  [
    'no way to register [auth-060]',
    server({ registration_endpoint: undefined }),
    'registration',
    'discovery',
    'person',
  ],
  [
    'an answer with another state',
    callback((url) => url.searchParams.set('state', 'other')),
    'invalid-response',
    'login',
  ],
  ['an answer without state', callback((url) => url.searchParams.delete('state')), 'invalid-response', 'login'],
  [
    'an answer with two codes',
    callback((url) => url.searchParams.append('code', 'other')),
    'invalid-response',
    'login',
  ],
  [
    'an answer with two states',
    callback((url) => url.searchParams.append('state', 'other')),
    'invalid-response',
    'login',
  ],
  [
    'an answer with two issuers',
    callback((url) => url.searchParams.append('iss', issuer)),
    'invalid-response',
    'login',
  ],
  [
    'an answer of another issuer (mix-up) [auth-086]',
    callback((url) => url.searchParams.set('iss', 'https://evil.example')),
    'issuer-mismatch',
    'login',
  ],
  [
    'an answer whose issuer only normalizes to ours [auth-090]',
    callback((url) => url.searchParams.set('iss', `${issuer}/`)),
    'issuer-mismatch',
    'login',
  ],
  [
    'an answer without the issuer that was promised [auth-087]',
    callback((url) => url.searchParams.delete('iss')),
    'issuer-mismatch',
    'login',
  ],
  [
    'an answer of another issuer that was not promised [auth-088]',
    {
      ...server({ authorization_response_iss_parameter_supported: false }),
      ...callback((url) => url.searchParams.set('iss', 'https://evil.example')),
    },
    'issuer-mismatch',
    'login',
  ],
  [
    'an answer with neither code nor error',
    callback((url) => url.searchParams.delete('code')),
    'invalid-response',
    'login',
  ],
  ['an answer that is not a URL', { callback: () => 'nothing' }, 'invalid-response', 'login'],
  ['a denial', callback((url) => url.searchParams.set('error', 'access_denied')), 'denied', 'login'],
  ['a page that failed', callback((url) => url.searchParams.set('error', 'server_error')), 'server-error', 'login'],
  [
    'a token endpoint that refuses the code',
    { answers: { '/token': () => refuse('invalid_grant') } },
    'grant-lost',
    'token',
  ],
  [
    'a token endpoint that fails',
    { answers: { '/token': () => new Response('', { status: 503 }) } },
    'server-error',
    'token',
  ],
  [
    'a token endpoint that answers with a page',
    { answers: { '/token': () => new Response('<html>') } },
    'invalid-response',
    'token',
  ],
  [
    'a token endpoint that redirects',
    {
      answers: {
        '/token': () => new Response(null, { status: 307, headers: { location: 'https://evil.example/' } }),
      },
    },
    'invalid-response',
    'token',
  ],
  [
    'an error with status 200',
    { answers: { '/token': () => Response.json({ error: 'invalid_request' }) } },
    'server-error',
    'token',
  ],
  [
    'a token without type',
    { answers: { '/token': () => Response.json({ access_token: 'x' }) } },
    'invalid-response',
    'token',
  ],
  [
    'a token of a type that was not asked for',
    { answers: { '/token': () => Response.json({ access_token: 'x', token_type: 'mac' }) } },
    'invalid-response',
    'token',
  ],
  [
    'a token that no header may carry',
    { answers: { '/token': () => Response.json({ access_token: 'x\r\ny: z', token_type: 'Bearer' }) } },
    'invalid-response',
    'token',
  ],
  [
    'a token endpoint whose answer has no end',
    { answers: { '/token': () => new Response('x'.repeat(300_000)) } },
    'discovery',
    'token',
  ],
  [
    'a server that refuses what was just given',
    { answers: { '/token': () => Response.json({ access_token: 'useless', token_type: 'Bearer' }) } },
    'server-error',
    'token',
  ],
  ['a server that wants something else', { challenge: 'Negotiate, Basic realm="x"' }, 'discovery', 'discovery'],
  ['a server that takes bound tokens alone', { challenge: 'DPoP algs="ES256"' }, 'discovery', 'discovery'],
];
