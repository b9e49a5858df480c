import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bind, demand, wantNonces } from '../../../../../../test/support/bound-tokens.ts';
import { createWorld, issuer, mcp, refuse, type World } from '../../../../../../test/support/authorization-world.ts';
import { until } from '../../../../../../test/support/turns.ts';
import {
  AuthorizationError,
  clientCredentials,
  enterpriseManaged,
  workloadIdentity,
  type ClientCredentialsOptions,
} from '../../../oauth.ts';
import { connect } from '../../../client.ts';
import { claimsOf } from '../../common/base64url.ts';
import { signingKey } from '../../common/signing-key.ts';

const server = {
  ...(createWorld().laws.server as Readonly<Record<string, unknown>>),
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'private_key_jwt'],
};

function credentials(
  world: World,
  options: Partial<ClientCredentialsOptions> = {},
): ReturnType<typeof clientCredentials> {
  return clientCredentials({ id: 'machine', secret: 'hidden', now: () => world.time, ...options });
}

function asked(world: World): readonly Readonly<Record<string, unknown>>[] {
  return world.asked.filter(({ url }) => url.pathname === '/token').map(({ body }) => body);
}

test('a machine gets tokens by its secret, asks for new ones before they end, and sees no page', async (t) => {
  const world = createWorld({ server });
  const client = await world.connect(credentials(world, { scopes: ['a'] }));
  t.after(() => client.close());
  await client.callTool('read');
  assert.deepEqual(asked(world), [
    { grant_type: 'client_credentials', scope: 'a', resource: mcp, client_id: 'machine' },
  ]);
  world.time += 3600_000;
  await client.callTool('read');
  assert.equal(asked(world).length, 2);
  assert.equal(world.pages.length + world.count('POST /register'), 0);
});

test('a key signs who the machine is, and never leaves it [auth-131] [auth-132]', async (t) => {
  const world = createWorld({ server });
  const { privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ]);
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey)).toString('base64');
  const jwk = await crypto.subtle.exportKey('jwk', privateKey);
  const keys = [
    privateKey,
    jwk,
    `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`,
    () => ({ key: jwk, kid: 'k1' }),
  ];
  for (const key of keys) {
    const client = await world.connect(clientCredentials({ id: 'machine', key, now: () => world.time }));
    t.after(() => client.close());
    const { client_assertion: assertion, client_assertion_type: type } = asked(world).at(-1) ?? {};
    assert.equal(type, 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    const claims = claimsOf(String(assertion));
    assert.deepEqual([claims?.['iss'], claims?.['sub'], claims?.['aud']], ['machine', 'machine', issuer]);
    assert.equal(Number(claims?.['exp']) - Number(claims?.['iat']), 60);
    assert.equal(typeof claims?.['jti'], 'string');
    assert.ok(!JSON.stringify(world.asked.map(({ body }) => body)).includes(String(jwk.d)));
  }
});

test('requests that are refused at once have one token request between them', async (t) => {
  const world = createWorld({ server });
  const client = await world.connect(credentials(world));
  t.after(() => client.close());
  world.tokens.clear();
  await Promise.all(Array.from({ length: 5 }, () => client.callTool('read')));
  assert.equal(asked(world).length, 2);
});

test('more scopes are asked for once', async (t) => {
  const world = createWorld({ server, needs: { write: ['write'] } });
  const client = await world.connect(credentials(world, { scopes: ['a'] }));
  t.after(() => client.close());
  await client.callTool('write');
  assert.deepEqual(
    asked(world).map(({ scope }) => scope),
    ['a', 'a write'],
  );
  world.tokens.clear();
  Object.assign(world.laws, { answers: { '/token': () => refuse('invalid_scope') } });
  await assert.rejects(
    client.callTool('write'),
    (error) => error instanceof AuthorizationError && error.reason === 'insufficient-scope',
  );
});

test('credentials are shown to the authorization server that they are for, and to no other [auth-079]', async (t) => {
  const named = createWorld({ server });
  await assert.rejects(
    named.connect(credentials(named, { issuer: 'https://other.example' })),
    (error) => error instanceof AuthorizationError && error.reason === 'issuer-mismatch',
  );
  assert.equal(asked(named).length, 0);
  const world = createWorld({ server });
  const client = await world.connect(credentials(world));
  t.after(() => client.close());
  const other = 'https://other.example';
  world.laws.resource = { resource: mcp, authorization_servers: [other] };
  world.laws.answers = {
    '/.well-known/oauth-authorization-server': () =>
      Response.json({ ...server, issuer: other, token_endpoint: `${other}/token` }),
  };
  world.tokens.clear();
  await assert.rejects(
    client.callTool('read'),
    (error) => error instanceof AuthorizationError && error.reason === 'issuer-mismatch',
  );
  assert.equal(asked(world).length, 1);
});

test('an authorization server that refused the credentials has seen them, and is kept to', async () => {
  const world = createWorld({ server, answers: { '/token': () => refuse('invalid_client', 401) } });
  const auth = credentials(world);
  const refused = (reason: string) => (error: unknown) =>
    error instanceof AuthorizationError && error.reason === reason;
  await assert.rejects(world.connect(auth), refused('invalid-client'));
  const other = 'https://other.example';
  world.laws.resource = { resource: mcp, authorization_servers: [other] };
  world.laws.answers = {
    '/.well-known/oauth-authorization-server': () =>
      Response.json({ ...server, issuer: other, token_endpoint: `${other}/token` }),
  };
  await assert.rejects(world.connect(auth), refused('issuer-mismatch'));
  assert.equal(asked(world).length, 1);
});

test('an outage does not count as having asked for more scopes', async (t) => {
  const world = createWorld({ server, needs: { write: ['write'] } });
  const client = await world.connect(credentials(world));
  t.after(() => client.close());
  world.laws.answers = { '/token': () => new Response('', { status: 503 }) };
  for (let times = 0; times < 3; times++)
    await assert.rejects(client.callTool('write'), (error) => (error as AuthorizationError).reason === 'server-error');
  world.laws.answers = {};
  await client.callTool('write');
});

test('a request that is refused while more scopes are asked for in vain gets new tokens of its own', async (t) => {
  const world = createWorld({ server, needs: { write: ['write'] } });
  const client = await world.connect(credentials(world));
  t.after(() => client.close());
  let arrive = (): void => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  let answer = (_: Response): void => {};
  world.laws.answers = {
    '/token': ({ body }) => {
      if (!String(body['scope']).includes('write')) return undefined;
      arrive();
      return new Promise<Response>((resolve) => (answer = resolve));
    },
  };
  const write = assert.rejects(client.callTool('write'), AuthorizationError);
  await arrived;
  world.tokens.clear();
  const refused = world.count('POST /mcp');
  const read = client.callTool('read');
  while (world.count('POST /mcp') === refused) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  answer(refuse('invalid_scope'));
  await Promise.all([write, read]);
});

for (const [hangs, made] of [
  ['an assertion', (give: () => Promise<string>) => workloadIdentity({ clientId: 'work', assertion: give })],
  [
    'the token of a person',
    (give: () => Promise<string>) =>
      enterpriseManaged({
        idp: { tokenEndpoint: `${issuer}/exchange`, client: { id: 'c', secret: 's' } },
        client: { id: 'c', secret: 's' },
        subjectToken: async () => ({ token: await give() }),
      }),
  ],
  [
    'a key',
    (give: () => Promise<string>) =>
      clientCredentials({
        id: 'machine',
        key: async () => {
          await give();
          const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
          return (await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify'])).privateKey;
        },
      }),
  ],
] as const)
  test(`a program that never gives ${hangs} holds up who waits for it, for half a minute, and nobody after them`, async (t) => {
    const world: World = createWorld({
      server,
      answers: {
        '/token': ({ body }) => {
          if (body['grant_type'] === 'client_credentials') return undefined;
          world.tokens.set('by-assertion', []);
          return Response.json({ access_token: 'by-assertion', token_type: 'Bearer' });
        },
        '/exchange': () =>
          Response.json({
            access_token: 'assertion',
            issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
            token_type: 'N_A',
          }),
      },
    });
    let asks = (): void => {};
    let isHanging = false;
    const give = (): Promise<string> => {
      if (!isHanging) return Promise.resolve('header.payload.signature');
      asks();
      return new Promise(() => {});
    };
    const client = await world.connect(made(give));
    t.after(() => client.close());
    const hanging = async (signal?: AbortSignal): Promise<{ readonly ended: Promise<void> }> => {
      world.tokens.clear();
      isHanging = true;
      const asked = new Promise<void>((resolve) => (asks = resolve));
      const failed = signal === undefined ? { reason: 'timeout' } : /left/;
      const ended = assert.rejects(client.callTool('read', {}, signal && { signal }), failed);
      await asked;
      isHanging = false;
      return { ended };
    };
    const leaving = new AbortController();
    const left = await hanging(leaving.signal);
    leaving.abort(new Error('left'));
    await left.ended;
    await client.callTool('read');

    t.mock.timers.enable({ apis: ['setTimeout'] });
    const late = await hanging();
    t.mock.timers.tick(30_000);
    await late.ended;
    await client.callTool('read');
  });

test('a server that refuses what was just given is asked no further', async () => {
  const world = createWorld({
    server,
    answers: { '/token': () => Response.json({ access_token: 'useless', token_type: 'Bearer' }) },
  });
  await assert.rejects(
    world.connect(credentials(world)),
    (error) => error instanceof AuthorizationError && /refuses what/.test(error.message),
  );
  assert.equal(asked(world).length, 1);
});

test('an authorization server that repeats what it was sent has no secret of it in the error', async () => {
  const secret = 'a secret: of the machine';
  for (const method of ['client_secret_basic', 'client_secret_post']) {
    const world = createWorld({ server: { ...server, token_endpoint_auth_methods_supported: [method] } });
    const form = `=${secret}`.replaceAll(' ', '+');
    const words = `not ${secret} nor ${form.slice(1).replace(':', '%3A')}\u001b[31m and ${'x'.repeat(500)}`;
    world.laws.answers = {
      '/token': ({ headers, body }) => {
        const sent = `${headers.get('authorization')} ${String(body['client_secret'])}`;
        return Response.json({ error: secret, error_description: `${sent} ${words}` }, { status: 400 });
      },
    };
    await assert.rejects(world.connect(credentials(world, { secret })), (error) => {
      assert.ok(error instanceof AuthorizationError);
      assert.match(error.message, /refused the token request with •••/);
      assert.doesNotMatch(error.message, /of.the.machine|secret%3A|Basic [^•]/);
      assert.ok(!error.message.includes('\u001b'));
      assert.equal(error.code, '•••');
      assert.ok(error.message.length < 500);
      return true;
    });
  }
});

test('a key that is damaged is refused in words that say so', async () => {
  const damaged = '-----BEGIN PRIVATE KEY-----\nabcde\n-----END PRIVATE KEY-----\n';
  await assert.rejects(signingKey(damaged), { name: 'TypeError', message: /a PEM that is damaged/ });
});

test('the key in the query of a server stands in no error', async () => {
  const world = createWorld({
    server,
    resource: { resource: `${mcp}?key=of-the-query`, authorization_servers: [issuer] },
    answers: { '/token': () => Response.json({ access_token: 'useless', token_type: 'Bearer' }) },
  });
  await assert.rejects(
    connect(`${mcp}?key=of-the-query`, { auth: credentials(world), fetch: world.fetch }),
    (error) => /refuses what/.test(String(error)) && !/of-the-query/.test(String(error)),
  );
});

test('machines without what they need are refused at once', () => {
  for (const options of [
    { id: '' },
    { id: 'x' },
    { id: 'x', secret: 's', key: 'k' },
    { id: 'x', secret: 's', issuer: 'none' },
    { id: 'x', secret: 's', nonsense: 1 },
  ])
    assert.throws(() => clientCredentials(options as ClientCredentialsOptions), TypeError);
  for (const name of ['client_id', 'resource', 'grant_type', 'code_verifier'])
    assert.throws(() => clientCredentials({ id: 'x', secret: 's', parameters: { token: { [name]: 'x' } } }), TypeError);
});

for (const nothing of [undefined, '', 7, { token: '' }, {}])
  test(`a function that gives ${JSON.stringify(nothing)} gave no token, and nothing is sent for it`, async () => {
    const world = createWorld({ server });
    const give = (): never => nothing as never;
    const client = { id: 'c', secret: 's' };
    const machines = [
      workloadIdentity({ clientId: 'work', assertion: give }),
      enterpriseManaged({ idp: { tokenEndpoint: `${issuer}/token`, client }, client, subjectToken: give }),
    ];
    for (const auth of machines)
      await assert.rejects(
        world.connect(auth),
        (error) => error instanceof Error && /gave no token/.test(String(error.cause)),
      );
    assert.equal(asked(world).length, 0);
  });

test('misspelt names of an identity provider and of its client are refused', () => {
  const client = { id: 'c', secret: 's' };
  const subjectToken = () => ({ token: 't' });
  const idp = { issuer, client: { id: 'c', secrt: 's' } } as { readonly client: { readonly id: string } };
  assert.throws(() => enterpriseManaged({ idp, client, subjectToken }), /idp\.client has no option "secrt"; .*secret/);
  const other = { isuer: issuer, client } as { readonly client: { readonly id: string } };
  assert.throws(() => enterpriseManaged({ idp: other, client, subjectToken }), /idp has no option "isuer"; .*issuer/);
});

test('a machine proves that it has the key of its token, with the nonces that the server wants', async (t) => {
  const world = createWorld({ server });
  bind(world);
  demand(world);
  const nonces = wantNonces(world);
  const client = await world.connect(credentials(world, { dpop: 'auto' }));
  t.after(() => client.close());
  await client.callTool('read');
  const { length } = asked(world);
  assert.equal(nonces.refusals, 1);
  nonces.wanted = 'n2';
  await client.callTool('read');
  assert.deepEqual([nonces.refusals, asked(world).length], [2, length]);
});

test('a renewal that fails is a warning while the token is valid, and an error after that', async (t) => {
  const world = createWorld({ server });
  const warnings: string[] = [];
  const auth = credentials(world, { onEvent: (event) => event.kind === 'warning' && warnings.push(event.message) });
  const client = await world.connect(auth);
  t.after(() => client.close());
  world.laws.answers = { '/token': () => refuse('temporarily_unavailable', 503) };
  world.time += 3_595_000;
  await client.callTool('read');
  // The token is renewed beside the call.
  await until(() => warnings.length > 0);
  assert.deepEqual([asked(world).length, warnings.length], [2, 1]);
  assert.match(warnings[0] ?? '', /temporarily_unavailable/);
  world.laws.answers = {};
  world.time += 5000;
  await client.callTool('read');
  assert.equal(asked(world).length, 3);
});

test('the authorization of a machine is for one server', async (t) => {
  const world = createWorld({ server });
  const auth = credentials(world);
  const client = await world.connect(auth);
  t.after(() => client.close());
  const other = connect('https://mcp.example/other?key=1', { auth, fetch: world.fetch });
  await assert.rejects(other, (error) => {
    const text = `${String(error)} ${String((error as Error).cause)}`;
    return /for another server than https:\/\/mcp\.example\/other:/.test(text);
  });
});
