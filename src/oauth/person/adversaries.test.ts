import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failure } from '../../../test/support/authorization-failure.ts';
import { createWorld, issuer, mcp, refuse, type Laws } from '../../../test/support/authorization-world.ts';
import { connect } from '../../client.ts';
import { AuthorizationError, type AuthorizationReason } from '../../oauth.ts';
import { memoryCredentialStore } from '../../store/memory-credentials.ts';

const metadata = createWorld().laws.server as Readonly<Record<string, unknown>>;
const server = (changes: object): Partial<Laws> => ({ server: { ...metadata, ...changes } });
const callback = (change: (callback: URL) => void): Partial<Laws> => ({
  callback: (url) => {
    change(url);
    return url;
  },
});

/** What goes wrong, what must come of it, and the last that may be reached. */
const adversaries: readonly (readonly [string, Partial<Laws>, AuthorizationReason, 'discovery' | 'login' | 'token'])[] =
  [
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
    ],
    [
      'metadata with plain challenges alone',
      server({ code_challenge_methods_supported: ['plain'] }),
      'pkce-missing',
      'discovery',
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
    ['no way to register [auth-060]', server({ registration_endpoint: undefined }), 'registration', 'discovery'],
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
    ['an answer that is no URL', { callback: () => 'nothing' }, 'invalid-response', 'login'],
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

for (const [what, laws, reason, reached] of adversaries)
  test(`${what}: ${reason}, and nothing is lost or stored [auth-006]`, async () => {
    const world = createWorld(laws);
    const store = memoryCredentialStore();
    const error = await failure(world, { store });
    assert.equal(error.reason, reason, error.message);
    assert.equal(world.pages.length, reached === 'discovery' ? 0 : 1);
    assert.equal(world.count('POST /token') > 0, reached === 'token');
    if (reached === 'discovery') assert.equal(world.count('POST /register'), 0);
    assert.ok(world.asked.every(({ url }) => url.origin === issuer || url.origin === 'https://mcp.example'));
    if (!what.startsWith('a server that refuses')) assert.deepEqual(await store.keys('grant'), []);
    assert.deepEqual(await store.keys('login'), []);
  });

test('on a mismatch of the issuer nothing that the answer says is shown [auth-091]', async () => {
  const world = createWorld(
    callback((url) => {
      url.searchParams.set('iss', 'https://evil.example');
      url.searchParams.set('error', 'access_denied');
      url.searchParams.set('error_description', 'call this number');
    }),
  );
  const { message, code } = await failure(world);
  assert.doesNotMatch(message, /call this number|access_denied|evil/);
  assert.equal(code, undefined);
});

test('what an authorization server writes is shown as plain characters on one line, cut short', async () => {
  const world = createWorld(
    callback((url) => {
      url.searchParams.set('error', 'access_denied');
      url.searchParams.set('error_description', `\u001b[31m\n${'x'.repeat(1000)}`);
    }),
  );
  const { message } = await failure(world);
  assert.match(message, /^[\x20-\x7e]{1,500}$/);
});

const unwritten = '\u001b]0;x\u0007';

for (const [what, laws] of [
  ['an issuer', { resource: { resource: mcp, authorization_servers: [`${issuer}/${unwritten}`] } }],
  ['a resource', { resource: { resource: `${mcp}\u001b`, authorization_servers: [issuer] } }],
  ['a client id', { answers: { '/register': () => Response.json({ client_id: `c${unwritten}` }, { status: 201 }) } }],
  ['a token type', { answers: { '/token': () => Response.json({ access_token: 'a', token_type: unwritten }) } }],
] as readonly (readonly [string, Partial<Laws>])[])
  test(`${what} with characters that move the cursor of who reads is neither used nor shown`, async () => {
    const world = createWorld(laws);
    // In case that it is used.
    world.laws.answers = {
      ...world.laws.answers,
      [`/.well-known/oauth-authorization-server${new URL(`${issuer}/${unwritten}`).pathname}`]: () =>
        Response.json({ ...metadata, issuer: `${issuer}/${unwritten}` }),
    };
    const { message } = await failure(world);
    assert.match(message, /^[\x20-\x7e]*$/);
    assert.doesNotMatch(JSON.stringify(world.events), /\\u001b|\\u0007/);
  });

test('what follows the path in the URL of a server is not shown, since it may be a key', async () => {
  for (const answer of [() => new Response('', { status: 503 }), () => Response.json({ resource: mcp })]) {
    const world = createWorld({
      challenge: 'Bearer',
      answers: { '/.well-known/oauth-protected-resource/mcp': answer },
    });
    const auth = world.oauth();
    const connecting = connect(`${mcp}?key=hidden`, { auth, fetch: (url, request) => world.fetch(url, request) });
    const error: unknown = await connecting.catch((cause: unknown) => cause);
    assert.ok(error instanceof AuthorizationError);
    assert.doesNotMatch(`${error.message} ${error.stack}`, /hidden/);
  }
});
