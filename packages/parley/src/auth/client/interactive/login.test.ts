import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failure } from '../../../../../../test/support/authorization-failure.ts';
import {
  createWorld,
  issuer,
  mcp,
  redirectUri,
  type Laws,
} from '../../../../../../test/support/authorization-world.ts';
import { AuthorizationError } from '../../../oauth.ts';
import { memoryCredentialStore } from '../../../storage/memory-credentials.ts';

test('a server that wants authorization is reached by one login, and is asked for nothing more than needed [auth-025] [auth-032]', async (t) => {
  const world = createWorld();
  const client = await world.connect(world.oauth());
  t.after(() => client.close());
  assert.equal((await client.listTools()).length, 2);
  await client.callTool('read');
  assert.deepEqual(
    world.asked.filter(({ url }) => url.pathname !== '/mcp').map(({ method, url }) => `${method} ${url.pathname}`),
    [
      'GET /.well-known/oauth-protected-resource/mcp',
      'GET /.well-known/oauth-authorization-server',
      'POST /register',
      'POST /token',
    ],
  );
  assert.equal(world.pages.length, 1);
  assert.deepEqual(
    world.events.map(({ kind }) => kind),
    ['discovered', 'registered', 'asked', 'granted'],
  );
});

test('a login that nobody finished is forgotten after a day, and what cannot be read is left alone', async () => {
  const world = createWorld();
  const store = memoryCredentialStore();
  const fields = {
    state: 's',
    verifier: 'v',
    client: 'c',
    redirectUri,
    resource: mcp,
    server: mcp,
    endpoints: { issuer },
  };
  const kept = (state: string, text: string) => store.write({ kind: 'login', issuer: state }, text);
  const at = (age: number): string => JSON.stringify({ ...fields, at: world.time - age });
  await kept('old', at(86_400_001));
  await kept('young', at(86_400_000));
  await kept('garbage', 'no login');
  await kept('partial', JSON.stringify({ ...fields, at: 'yesterday' }));
  await store.write({ kind: 'login', issuer: 'https://other.example', resource: mcp }, at(86_400_001));
  await (await world.connect(world.oauth({ store }))).close();
  const left = (await store.keys('login')).map(({ issuer: state, resource }) => resource ?? state);
  assert.deepEqual(left.toSorted(), ['garbage', mcp, 'partial', 'young'].toSorted());
});

test('the request for a code has state, challenge, resource and no scope that nobody named [auth-017] [auth-092] [auth-097] [auth-098] [auth-104]', async (t) => {
  const world = createWorld();
  const client = await world.connect(world.oauth({ parameters: { authorization: { audience: 'x' } } }));
  t.after(() => client.close());
  const page = new URL(world.pages[0]?.url ?? '').searchParams;
  assert.equal(page.get('response_type'), 'code');
  assert.equal(page.get('code_challenge_method'), 'S256');
  assert.equal(page.get('resource'), mcp);
  assert.equal(page.get('redirect_uri'), redirectUri);
  assert.equal(page.get('audience'), 'x');
  assert.equal(page.has('scope'), false);
  assert.match(page.get('state') ?? '', /^[\w-]{43}$/);
  assert.match(page.get('code_challenge') ?? '', /^[\w-]{43}$/);
  const token = world.asked.find(({ url }) => url.pathname === '/token')?.body ?? {};
  assert.equal(token['resource'], mcp);
  assert.match(String(token['code_verifier']), /^[\w-]{43}$/);
});

test('the token goes in the header of every request, and never in a URL [auth-118] [auth-119] [auth-120]', async (t) => {
  const world = createWorld();
  const client = await world.connect(world.oauth(), { revisions: ['2025-11-25'] });
  t.after(() => client.close());
  await client.listTools();
  const calls = world.asked.filter(({ url }) => url.pathname === '/mcp').slice(1);
  assert.ok(calls.length >= 3);
  for (const { headers } of calls) assert.match(headers.get('authorization') ?? '', /^Bearer access-/);
  for (const { url } of world.asked) for (const secret of world.secrets) assert.ok(!url.href.includes(secret));
});

test('a registration says what the application is, and its redirect URIs [auth-007] [auth-074] [auth-075] [auth-102] [auth-114]', async (t) => {
  const world = createWorld();
  const client = await world.connect(world.oauth({ metadata: { name: 'App' } }));
  t.after(() => client.close());
  assert.deepEqual(world.asked.find(({ url }) => url.pathname === '/register')?.body, {
    client_name: 'App',
    redirect_uris: [redirectUri],
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  });
});

test('resource and issuer are sent byte for byte as they were published', async (t) => {
  const world = createWorld({ resource: { resource: 'https://MCP.example', authorization_servers: [`${issuer}/`] } });
  const client = await world.connect(world.oauth());
  t.after(() => client.close());
  assert.equal(new URL(world.pages[0]?.url ?? '').searchParams.get('resource'), 'https://MCP.example');
});

test('several requests that are refused at once ask a person once', async (t) => {
  const world = createWorld();
  const auth = world.oauth();
  const clients = await Promise.all([world.connect(auth), world.connect(auth), world.connect(auth)]);
  t.after(() => Promise.all(clients.map((client) => client.close())));
  assert.equal(world.pages.length, 1);
});

test('two that share a store ask a person once', async (t) => {
  const world = createWorld();
  const store = memoryCredentialStore();
  const clients = await Promise.all([world.connect(world.oauth({ store })), world.connect(world.oauth({ store }))]);
  t.after(() => Promise.all(clients.map((client) => client.close())));
  assert.equal(world.pages.length, 1);
  const third = await world.connect(world.oauth({ store }));
  t.after(() => third.close());
  assert.equal(world.pages.length, 1);
});

const metadata = createWorld().laws.server as Readonly<Record<string, unknown>>;
const server = (changes: object): Partial<Laws> => ({ server: { ...metadata, ...changes } });

test('issuers that are not allowed are not used, and one that is chosen must be named by the server', async () => {
  for (const issuers of [['https://other.example'], () => undefined, () => 'https://other.example'])
    assert.equal((await failure(createWorld(), { issuers })).reason, 'discovery');
});

test('metadata that a server forgets can be given, and come before what it says', async (t) => {
  const world = createWorld(server({ code_challenge_methods_supported: undefined }));
  const client = await world.connect(
    world.oauth({ servers: { [`${issuer}/`]: { code_challenge_methods_supported: ['S256'] } } }),
  );
  t.after(() => client.close());
  assert.equal(world.pages.length, 1);
});

test('where a server wants no resource named, none is', async (t) => {
  const world = createWorld();
  const client = await world.connect(world.oauth({ resourceParameter: 'omit' }));
  t.after(() => client.close());
  assert.equal(new URL(world.pages[0]?.url ?? '').searchParams.has('resource'), false);
  assert.ok(world.asked.every(({ body }) => body['resource'] === undefined));
});

test('a person may take longer than a request may: its clocks stand still', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let arrive = (): void => {};
  const world = createWorld();
  const waiting = new Promise<void>((resolve) => (arrive = resolve));
  let answer = (): void => {};
  const visited = new Promise<void>((resolve) => (answer = resolve));
  const auth = world.oauth({
    redirect: async (request) => {
      arrive();
      await visited;
      const page = new URL(request.url);
      return `${redirectUri}?error=access_denied&state=${page.searchParams.get('state')}&iss=${encodeURIComponent(issuer)}`;
    },
  });
  const connecting = world.connect(auth, { timeoutMs: 1_000, maxTotalTimeoutMs: 2_000 }).then(
    () => undefined,
    (error: unknown) => error,
  );
  await waiting;
  t.mock.timers.tick(300_000);
  answer();
  const error = await connecting;
  assert.ok(error instanceof AuthorizationError);
  assert.equal(error.reason, 'denied');
});

test('a person who does not come back in time is waited for no longer', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let arrive = (): void => {};
  const waiting = new Promise<void>((resolve) => (arrive = resolve));
  const world = createWorld();
  const connecting = failure(world, {
    redirect: async () => {
      arrive();
      return await new Promise<string>(() => undefined);
    },
  });
  await waiting;
  t.mock.timers.tick(600_000);
  assert.equal((await connecting).reason, 'timeout');
});

test('a login begins in time at a server that does not answer who has no token', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let arrive = (): void => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const world = createWorld();
  world.laws.answers = {
    '/mcp': ({ method }) => {
      arrive();
      return method === 'GET' ? new Promise(() => undefined) : undefined;
    },
  };
  const auth = world.oauth({ fetch: (url, request) => world.fetch(url, request) });
  const login = auth.login({ server: mcp });
  await arrived;
  t.mock.timers.tick(10_000);
  await login;
  assert.equal(world.pages.length, 1);
});

for (const [what, path] of [
  ['does not answer', '/.well-known/oauth-authorization-server'],
  ['does not redeem a code', '/token'],
] as const)
  test(`an authorization server that ${what} ends a login in time, also by a fetch that goes on`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let arrive = (): void => {};
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const world = createWorld();
    world.laws.answers = {
      [path]: () => {
        arrive();
        return new Promise(() => undefined);
      },
    };
    const failed = failure(world);
    await arrived;
    t.mock.timers.tick(10_000);
    assert.equal((await failed).reason, 'server-error');
  });

test('who gives up waiting leaves the login to the others', async (t) => {
  const world = createWorld();
  let answer = (_: string): void => {};
  let arrive = (): void => {};
  const waiting = new Promise<void>((resolve) => (arrive = resolve));
  let page: URL | undefined;
  const auth = world.oauth({
    redirect: async ({ url }) => {
      page = new URL(url);
      arrive();
      return await new Promise<string>((resolve) => (answer = resolve));
    },
  });
  const controller = new AbortController();
  const impatient = world.connect(auth, { signal: controller.signal });
  const patient = world.connect(auth);
  await waiting;
  controller.abort(new Error('enough'));
  await assert.rejects(impatient, /enough/);
  answer(
    `${redirectUri}?error=access_denied&state=${page?.searchParams.get('state')}&iss=${encodeURIComponent(issuer)}`,
  );
  await assert.rejects(patient, (error) => error instanceof AuthorizationError && error.reason === 'denied');
  t.diagnostic('the second one heard of the denial');
});

test('one authorization is for one server', async (t) => {
  const world = createWorld();
  const auth = world.oauth();
  const client = await world.connect(auth);
  t.after(() => client.close());
  assert.throws(() => auth.bind({ url: new URL('https://other.example/mcp'), fetch: world.fetch }), TypeError);
});

test('nothing that was written or told has a secret in it, but the store [auth-110] [auth-113]', async (t) => {
  const world = createWorld();
  const client = await world.connect(world.oauth());
  t.after(() => client.close());
  const told = JSON.stringify([world.events, await world.oauth().identity({ server: mcp })]);
  for (const secret of world.secrets) assert.ok(!told.includes(secret));
});

test('an issuer that nobody chooses in time is waited for no longer', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let arrive = (): void => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const issuers = async (): Promise<string> => {
    arrive();
    return await new Promise<string>(() => undefined);
  };
  const failed = failure(createWorld(), { issuers });
  await arrived;
  t.mock.timers.tick(30_000);
  assert.equal((await failed).reason, 'server-error');
});

test('a server that is its own authorization server is so only where its issuer is allowed', async (t) => {
  const own = (): ReturnType<typeof createWorld> => createWorld({ resource: undefined, challenge: 'Bearer' });
  for (const issuers of [[issuer], () => undefined]) {
    const world = own();
    await assert.rejects(
      world.connect(world.oauth({ issuers }), { revisions: ['2025-03-26'] }),
      (error) => error instanceof AuthorizationError && error.reason === 'discovery',
    );
    assert.equal(world.pages.length + world.count('POST /register'), 0);
  }
  const world = own();
  world.laws.answers = {
    '/register': () => Response.json({ client_id: 'c' }, { status: 201 }),
    '/token': () => {
      world.tokens.set('given', []);
      return Response.json({ access_token: 'given', token_type: 'Bearer' });
    },
  };
  world.laws.callback = (callback) => {
    callback.searchParams.delete('iss');
    return callback;
  };
  const auth = world.oauth({ issuers: ['https://mcp.example/'] });
  const client = await world.connect(auth, { revisions: ['2025-03-26'] });
  t.after(() => client.close());
  assert.equal(new URL(world.pages[0]?.url ?? '').origin, 'https://mcp.example');
});
