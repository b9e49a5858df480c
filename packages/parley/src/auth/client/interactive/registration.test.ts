import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failure } from '../../../../../../test/support/authorization-failure.ts';
import {
  createWorld,
  issuer,
  redirectUri,
  refuse,
  type World,
} from '../../../../../../test/support/authorization-world.ts';
import { clientMetadataDocument, type OAuthOptions } from '../../../oauth.ts';
import { memoryCredentialStore } from '../../../storage/memory-credentials.ts';
import type { Site } from '../site.ts';
import type { OAuthSettings } from './oauth-options.ts';
import { Registration } from './registration.ts';

async function visit(world: World, options: Partial<OAuthOptions> = {}): Promise<URLSearchParams> {
  await (await world.connect(world.oauth(options))).close();
  return new URL(world.pages.at(-1)?.url ?? '').searchParams;
}

const metadata = createWorld().laws.server as Readonly<Record<string, unknown>>;

test('a client that was registered by hand comes before every other way [auth-059] [auth-073]', async () => {
  const world = createWorld({ server: { ...metadata, client_id_metadata_document_supported: true } });
  const page = await visit(world, {
    client: [
      { id: 'elsewhere', issuer: 'https://other.example', secret: 's' },
      { id: 'mine', issuer: `${issuer}/`, secret: 's p' },
    ],
    clientMetadataUrl: 'https://app.example/client.json',
  });
  assert.equal(page.get('client_id'), 'mine');
  assert.equal(world.count('POST /register'), 0);
  const token = world.asked.find(({ url }) => url.pathname === '/token');
  assert.equal(token?.headers.get('authorization'), `Basic ${btoa('mine:s+p')}`);
  assert.equal(token?.body['client_secret'], undefined);
  // RFC 6749, section 3.2.1; servers of the official SDK of Python find it there alone.
  assert.equal(token?.body['client_id'], 'mine');
});

test('a registration that cannot be stored fails the login, and nobody is told of it', async () => {
  for (const isNamed of [true, false]) {
    const store = memoryCredentialStore();
    const told: string[] = [];
    const full: typeof store = {
      ...store,
      write: async (key, ...others) => {
        if (key.kind === 'client' && (key.client !== undefined) === isNamed) throw new Error('the store is full');
        return await store.write(key, ...others);
      },
    };
    const world = createWorld();
    const options = { store: full, onEvent: ({ kind }: { readonly kind: string }) => told.push(kind) };
    await assert.rejects(world.connect(world.oauth(options)), (error: Error) =>
      [error, error.cause].some((one) => String(one).includes('the store is full')),
    );
    assert.deepEqual([world.pages.length, told.includes('registered')], [0, false]);
  }
});

test('a client of another authorization server is not shown to this one [auth-082]', async () => {
  const world = createWorld();
  const error = await failure(world, {
    client: { id: 'elsewhere', issuer: 'https://other.example', secret: 'hidden' },
  });
  assert.equal(error.reason, 'registration');
  assert.equal(world.pages.length + world.count('POST /token') + world.count('POST /register'), 0);
});

test('the URL of a document is the id where the authorization server takes that [auth-058] [auth-072]', async () => {
  const clientMetadataUrl = 'https://app.example/client.json';
  const taken = createWorld({ server: { ...metadata, client_id_metadata_document_supported: true } });
  assert.equal((await visit(taken, { clientMetadataUrl })).get('client_id'), clientMetadataUrl);
  assert.equal(taken.count('POST /register'), 0);
  const other = createWorld();
  assert.match((await visit(other, { clientMetadataUrl })).get('client_id') ?? '', /^client-/);
});

test('the document at the URL has that as its id, and says what a registration would [auth-063] [auth-064]', async () => {
  const clientMetadataUrl = 'https://app.example/client.json';
  const world = createWorld({ server: { ...metadata, client_id_metadata_document_supported: true } });
  const options = { clientMetadataUrl, metadata: { name: 'App', uri: 'https://app.example/' } };
  const page = await visit(world, options);
  const document = clientMetadataDocument({ redirect: async () => '', redirectUri, ...options });
  assert.deepEqual(document, {
    client_id: page.get('client_id'),
    client_name: 'App',
    client_uri: 'https://app.example/',
    redirect_uris: [page.get('redirect_uri')],
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  });
  assert.throws(() => clientMetadataDocument({ redirect: async () => '', redirectUri }), TypeError);
});

test('the URL of a document is https and has a path [auth-062]', () => {
  for (const clientMetadataUrl of [
    'http://app.example/c',
    'https://app.example',
    'https://app.example/',
    'https://u@app.example/c',
    'https://app.example/c#x',
    'c',
  ])
    assert.throws(() => createWorld().oauth({ clientMetadataUrl }), TypeError, clientMetadataUrl);
});

test('a redirect URI is https, of this machine, or of a scheme of its own [auth-108]', () => {
  for (const uri of [
    'http://app.example/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///x',
    'callback',
    'https://app.example/#x',
    'foo:/x',
  ])
    assert.throws(() => createWorld().oauth({ redirectUri: uri }), TypeError, uri);
  for (const uri of [
    'https://app.example/callback',
    'http://127.0.0.1:1/x',
    'http://localhost/x',
    'http://[::1]:7/x',
    'com.example.app:/callback',
  ])
    assert.ok(createWorld().oauth({ redirectUri: uri }));
});

test('a registration is used again, until its secret ends', async () => {
  const world = createWorld({
    server: { ...metadata, token_endpoint_auth_methods_supported: ['client_secret_post'] },
    answers: {
      '/register': () =>
        Response.json(
          {
            client_id: `id-${world.count('POST /register')}`,
            client_secret: 's',
            client_secret_expires_at: world.time / 1000 + 60,
          },
          { status: 201 },
        ),
    },
  });
  const store = memoryCredentialStore();
  const login = async (): Promise<string> => {
    const auth = world.oauth({ store });
    await auth.logout({ server: 'https://mcp.example/mcp' });
    await (await world.connect(auth)).close();
    return String(world.asked.findLast(({ url }) => url.pathname === '/token')?.body['client_id']);
  };
  assert.equal(await login(), 'id-1');
  assert.equal(await login(), 'id-1');
  world.time += 61_000;
  assert.equal(await login(), 'id-2');
});

test('a redirect URI that is not registered yet is registered', async () => {
  const world = createWorld();
  const store = memoryCredentialStore();
  await visit(world, { store });
  await world.oauth({ store }).logout({ server: 'https://mcp.example/mcp' });
  const page = await visit(world, { store, redirectUri: 'http://127.0.0.1:9999/callback' });
  assert.equal(page.get('redirect_uri'), 'http://127.0.0.1:9999/callback');
  assert.equal(world.count('POST /register'), 2);
});

test('where the address of this machine is refused its name is registered, once [auth-077]', async () => {
  const world = createWorld({
    answers: {
      '/register': ({ body }) =>
        JSON.stringify(body['redirect_uris']).includes('127.0.0.1') ? refuse('invalid_redirect_uri') : undefined,
    },
  });
  assert.equal((await visit(world)).get('redirect_uri'), redirectUri.replace('127.0.0.1', 'localhost'));
  assert.equal(world.count('POST /register'), 2);
  const never = createWorld({ answers: { '/register': () => refuse('invalid_client_metadata') } });
  const error = await failure(never);
  assert.equal(error.reason, 'registration');
  assert.equal(never.count('POST /register'), 2);
});

for (const [what, answer, reason] of [
  ['refuses', () => refuse('access_denied', 403), 'registration'],
  [
    'wants a token for it',
    () => new Response('{"error":"invalid_token"}', { status: 401, headers: { 'www-authenticate': 'Bearer' } }),
    'registration',
  ],
  ['refuses for lack of scopes, as Keycloak does', () => refuse('insufficient_scope', 403), 'registration'],
  ['gives no id', () => Response.json({}, { status: 201 }), 'invalid-response'],
  ['answers with a page', () => new Response('<html>', { status: 201 }), 'registration'],
  ['fails', () => new Response('', { status: 500 }), 'server-error'],
] as const)
  test(`an authorization server that ${what} registers nobody, and says so [auth-078]`, async () => {
    const world = createWorld({ answers: { '/register': answer } });
    const error = await failure(world);
    assert.equal(error.reason, reason);
    assert.equal(world.pages.length, 0);
    assert.equal(world.count('POST /register'), 1);
    if (reason === 'registration') assert.match(error.message, /option client/);
  });

test('a registration that the token endpoint does not know is made anew, once', async () => {
  const world = createWorld();
  const store = memoryCredentialStore();
  await visit(world, { store });
  await world.oauth({ store }).logout({ server: 'https://mcp.example/mcp' });
  world.laws.answers = {
    '/token': ({ body }) => (body['client_id'] === 'client-1' ? refuse('invalid_client', 401) : undefined),
  };
  await visit(world, { store });
  assert.equal(world.count('POST /register'), 2);
  const never = createWorld({ answers: { '/token': () => refuse('invalid_client', 401) } });
  assert.equal((await failure(never)).reason, 'invalid-client');
  assert.equal(never.count('POST /register'), 2);
  assert.equal(never.pages.length, 2);
});

test('a client by hand that the token endpoint does not know stays as it is', async () => {
  const world = createWorld({ answers: { '/token': () => refuse('invalid_client', 401) } });
  const error = await failure(world, { client: { id: 'mine', issuer, secret: 'hidden' } });
  assert.equal(error.reason, 'invalid-client');
  assert.equal(world.pages.length, 1);
});

test('an old registration is looked at before a person is sent, and made anew where it was forgotten', async () => {
  const world = createWorld();
  const store = memoryCredentialStore();
  const again = async (): Promise<number> => {
    await world.oauth({ store }).logout({ server: 'https://mcp.example/mcp' });
    await visit(world, { store });
    return world.count('GET /authorize');
  };
  await visit(world, { store });
  assert.equal(await again(), 0);
  world.time += 3_600_001;
  world.laws.answers = { '/authorize': () => new Response('<p>Sign in</p>') };
  assert.equal(await again(), 1);
  assert.equal(world.count('POST /register'), 1);
  world.laws.answers = { '/authorize': () => new Response('<p>Unbekannter Client</p>', { status: 400 }) };
  assert.equal(await again(), 2);
  assert.equal(world.count('POST /register'), 2);
  const looked = world.asked.findLast(({ url }) => url.pathname === '/authorize');
  assert.equal(looked?.headers.has('cookie'), false);
  assert.ok(world.pages.every(({ state }) => looked?.url.searchParams.get('state') !== state));
});

test('a client whose registration was forgotten is known by its id only if it has no secret', async () => {
  const settings = { store: memoryCredentialStore(), clients: [], clientMetadataUrl: 'https://me.example/client' };
  const registration = new Registration({ now: () => 0 } as Site, settings as unknown as OAuthSettings);
  const find = async (client: string, isPublic?: boolean): Promise<unknown> => {
    const granted = { endpoints: { issuer, token: `${issuer}/token` }, client, isPublic };
    return await registration.find(granted);
  };
  assert.deepEqual(await find('x', true), { id: 'x', method: 'none', dynamic: false });
  for (const isPublic of [false, undefined]) assert.equal(await find('x', isPublic), undefined);
  assert.deepEqual(await find('https://me.example/client'), {
    id: 'https://me.example/client',
    method: 'none',
    dynamic: false,
  });
});
