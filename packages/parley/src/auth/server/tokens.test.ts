import type { Fetch } from '../../jsonrpc/fetch.ts';
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { entries } from '../../../../../test/support/http-entries.ts';
import { createServer } from '../../server/server.ts';
import { testIssuer, type TestIssuer, type TestToken } from '../../testing/issuer.ts';
import {
  bearer,
  call,
  clock,
  open,
  reasonOf,
  resource,
  said,
  type GuardedEntrance,
  type Wishes,
} from '../../../../../test/support/guarded-entrance.ts';
import type { ProtectOptions } from './options.ts';
import { protect } from './protect.ts';
import { tampered } from '../../../../../test/support/tampered.ts';

const entry = entries['createHttpHandler'] ?? assert.fail();
const who = (token: string): ReturnType<typeof call> => call('tools/call', { name: 'who' }, bearer(token));

async function openWith(t: TestContext, wishes: Wishes = {}): Promise<GuardedEntrance & ReturnType<typeof clock>> {
  const time = clock();
  const { now } = time;
  const opened = await open(t, entry, {
    ...wishes,
    issuer: { now, ...wishes.issuer },
    protect: { now, ...wishes.protect },
  });
  return { ...opened, ...time };
}

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

const refused: readonly (readonly [what: string, token: TestToken | (() => TestToken), reason: RegExp])[] = [
  ['that has expired [auth-124]', { expiresIn: -31 }, /expired/],
  ['without an end', { claims: { exp: undefined } }, /cannot be read/],
  ['whose end is no number', { claims: { exp: '9999999999' } }, /cannot be read/],
  ['that is not valid yet', () => ({ claims: { nbf: inSeconds(120) } }), /not valid yet/],
  [
    'for another resource [auth-122] [auth-123] [security-008]',
    { audience: 'https://other.example/mcp' },
    /not issued for this resource/,
  ],
  ['for a path beside this one', { audience: `${resource}/other` }, /not issued for this resource/],
  ['for the origin alone', { audience: new URL(resource).origin }, /not issued for this resource/],
  ['for nobody', { claims: { aud: undefined } }, /not issued for this resource/],
  ['whose audience is an object', { claims: { aud: { 0: resource } } }, /not issued for this resource/],
  [
    'of another issuer [auth-126]',
    { claims: { iss: 'https://evil.example' } },
    /not issued by an authorization server/,
  ],
  [
    'of an issuer with a slash too many',
    { claims: { iss: 'https://issuer.test//' } },
    /not issued by an authorization server/,
  ],
  ['without an issuer', { claims: { iss: undefined } }, /not issued by an authorization server/],
  ['whose issuer is no text', { claims: { iss: { toString: 1 } } }, /not issued by an authorization server/],
  ['whose issuer is a list', { claims: { iss: ['https://issuer.test'] } }, /not issued by an authorization server/],
  ['that is a proof', { header: { typ: 'dpop+jwt' } }, /not an access token/],
  ['that is an identity assertion', { header: { typ: 'oauth-id-jag+jwt' } }, /not an access token/],
  ['that ends a session', { header: { typ: 'logout+jwt' } }, /not an access token/],
  ['whose type is no text', { header: { typ: 1 } }, /not an access token/],
  ['that is an ID token by its hash', { header: { typ: 'JWT' }, claims: { at_hash: 'x' } }, /not an access token/],
  [
    'that is an ID token by its nonce',
    { header: { typ: 'JWT' }, claims: { nonce: 'x', scope: undefined } },
    /not an access token/,
  ],
  ['that Keycloak calls an ID token', { header: { typ: 'JWT' }, claims: { typ: 'ID' } }, /not an access token/],
  [
    'that Keycloak calls a refresh token',
    { header: { typ: 'JWT' }, claims: { typ: 'Refresh' } },
    /not an access token/,
  ],
  [
    'that Cognito calls an ID token',
    { header: { typ: undefined }, claims: { token_use: 'id' } },
    /not an access token/,
  ],
  ['about a number', { claims: { sub: 7 } }, /names no subject/],
  ['about an empty name', { claims: { sub: '' } }, /names no subject/],
  ['about nobody', { claims: { sub: undefined, client_id: undefined } }, /names no subject/],
  ['with an extension that nobody knows', { header: { crit: ['x'], x: 1 } }, /cannot be read/],
  ['whose payload is not encoded', { header: { crit: ['b64'], b64: false } }, /cannot be read/],
  ['that is bound to a key', { claims: { cnf: { jkt: 'x' } } }, /bound to a key/],
  ['that is bound to a certificate', { claims: { cnf: { 'x5t#S256': 'x' } } }, /bound to a key/],
];

for (const [what, token, reason] of refused)
  test(`a token ${what} is refused`, async (t) => {
    const { send, issuer } = await open(t, entry);
    const answer = await send(who(await issuer.issue(typeof token === 'function' ? token() : token)));
    assert.equal(answer.status, 401);
    assert.match(reasonOf(answer) ?? '', reason);
  });

const accepted: readonly (readonly [what: string, token: TestToken])[] = [
  ['of type JWT', { header: { typ: 'JWT' } }],
  ['of the type with its prefix', { header: { typ: 'application/at+jwt' } }],
  ['without a type', { header: { typ: undefined } }],
  ['that expired a moment ago, since clocks differ', { expiresIn: -20 }],
  ['with several audiences', { audience: ['https://other.example', resource] }],
  ['whose audience has a slash at its end [auth-096]', { audience: `${resource}/` }],
  ['whose audience is in capitals [auth-095]', { audience: 'HTTPS://MCP.Example.com/mcp' }],
  ['whose issuer has the slash of an empty path', { claims: { iss: 'https://issuer.test/' } }],
  ['whose scopes are a list', { claims: { scope: undefined, scp: ['a', 'b'] } }],
];

for (const [what, token] of accepted)
  test(`a token ${what} is taken`, async (t) => {
    const { send, issuer } = await open(t, entry);
    assert.equal((await send(who(await issuer.issue(token)))).status, 200);
  });

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

async function publicKeyOf({ fetch }: TestIssuer): Promise<Record<string, unknown>> {
  const init = {
    method: 'GET',
    headers: {},
    redirect: 'manual',
    credentials: 'omit',
    signal: AbortSignal.timeout(1000),
  } as const;
  const reader = (await fetch('https://issuer.test/jwks', init)).body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  return (JSON.parse(new TextDecoder().decode(value)) as { keys: Record<string, unknown>[] }).keys[0] ?? {};
}

test('no trick with the header of a token passes for a signature [auth-121]', async (t) => {
  const { send, issuer } = await open(t, entry);
  const good = await issuer.issue();
  const [, claims = ''] = good.split('.');
  const jwk = await publicKeyOf(issuer);
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ownJwk = own.publicKey.export({ format: 'jwk' });
  const signedBy = (header: object): string => {
    const text = `${base64url(header)}.${claims}`;
    return `${text}.${sign('sha256', Buffer.from(text), { key: own.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  };
  const hmac = (header: object, key: string): string => {
    const text = `${base64url(header)}.${claims}`;
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  };
  const tricks = [
    `${base64url({ alg: 'none' })}.${claims}.`,
    `${base64url({ alg: 'none', typ: 'at+jwt' })}.${claims}.AA`,
    `${base64url({ alg: 'None', kid: 'test-1' })}.${claims}.AA`,
    hmac({ alg: 'HS256', kid: 'test-1' }, JSON.stringify(jwk)),
    hmac({ alg: 'HS256', kid: 'test-1' }, String(jwk['x'])),
    signedBy({ alg: 'ES256', kid: 'test-1' }),
    signedBy({ alg: 'ES256', jwk: ownJwk }),
    signedBy({ alg: 'ES256', kid: 'test-1', jwk: ownJwk }),
    signedBy({ alg: 'ES256', kid: 'https://evil.example/jwks', jku: 'https://evil.example/jwks' }),
    signedBy({ alg: 'ES256', kid: '../../dev/null', x5u: 'https://evil.example/cert' }),
    `${good.split('.').slice(0, 2).join('.')}.AA`,
    `${good}.x`,
    good.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')).replace('.', '.e'),
    'a.b.c',
    'opaque',
  ];
  for (const token of tricks) {
    const answer = await send(who(token));
    assert.equal(answer.status, 401, token);
    assert.match(reasonOf(answer) ?? '', /signature|cannot be read|not issued by/);
  }
  assert.equal((await send(who(good))).status, 200);
});

test('a key that is unknown is looked for once in half a minute, and old keys end with their publication', async (t) => {
  const { send, issuer, pass } = await openWith(t);
  const first = await issuer.issue();
  assert.equal((await send(who(first))).status, 200);
  issuer.rotate();
  const second = await issuer.issue();
  // The keys were fetched a moment ago.
  assert.equal((await send(who(second))).status, 401);
  pass(30_000);
  assert.equal((await send(who(second))).status, 200);
  assert.equal(issuer.asked.get('/jwks'), 2);
  for (let turn = 0; turn < 5; turn++) await send(who(await issuer.issue({ header: { kid: `made-up-${turn}` } })));
  assert.equal(issuer.asked.get('/jwks'), 2);
  pass(5 * 60_000);
  assert.equal((await send(who(first))).status, 401);
});

test('keys are used for a day while their issuer is out of reach, and a server begins when it is back', async (t) => {
  const { send, issuer, pass } = await openWith(t);
  issuer.outage(true);
  assert.equal((await send(who(await issuer.issue()))).status, 503);
  issuer.outage(false);
  pass(5000);
  assert.equal((await send(who(await issuer.issue()))).status, 200);
  issuer.outage(true);
  for (const hours of [1, 22]) {
    pass(hours * 3_600_000);
    assert.equal((await send(who(await issuer.issue()))).status, 200);
  }
  pass(2 * 3_600_000);
  assert.equal((await send(who(await issuer.issue()))).status, 503);
});

test('many requests with one new token verify it once, and fetch keys once', async (t) => {
  const { send, issuer } = await openWith(t);
  const token = await issuer.issue();
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(who(token))));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(issuer.asked.get('/jwks'), 1);
});

test('a token is not kept beyond its end', async (t) => {
  const { send, issuer, pass } = await openWith(t);
  const token = await issuer.issue({ expiresIn: 60 });
  assert.equal((await send(who(token))).status, 200);
  pass(61_000);
  assert.equal((await send(who(token))).status, 200);
  pass(30_000);
  assert.match(reasonOf(await send(who(token))) ?? '', /expired/);
});

const introspection = { clientId: 'mcp', clientSecret: 'a secret: with signs' };
const asking = (issuer = 'https://issuer.test'): Partial<ProtectOptions> => ({ issuers: [{ issuer, introspection }] });

test('a token is asked about once a minute, so that a revoked one ends', async (t) => {
  const { send, issuer, pass } = await openWith(t, { protect: asking() });
  const token = await issuer.issue({ scopes: ['a'] });
  for (let turn = 0; turn < 3; turn++) assert.equal(said(await send(who(token))), '["test-user",["a"]]');
  assert.equal(issuer.asked.get('/introspect'), 1);
  assert.equal(issuer.asked.get('/jwks'), undefined);
  issuer.revoke(token);
  assert.equal((await send(who(token))).status, 200);
  pass(60_000);
  assert.match(reasonOf(await send(who(token))) ?? '', /not active/);
});

test('who is told of a revocation forgets its tokens at once', async (t) => {
  const { send, issuer, guarded } = await openWith(t, { protect: asking() });
  const tokens = [await issuer.issue({ subject: 'anna' }), await issuer.issue({ claims: { jti: 'the-one' } })];
  for (const token of tokens) assert.equal((await send(who(token))).status, 200);
  for (const token of tokens) issuer.revoke(token);
  guarded.revoke({ principal: JSON.stringify(['https://issuer.test', 'anna']) });
  guarded.revoke({ jti: 'the-one' });
  for (const token of tokens) assert.equal((await send(who(token))).status, 401);
});

test('introspection sends the credentials of the server as RFC 6749 says, and looks at what it gets', async (t) => {
  const issuer = testIssuer({ audience: resource });
  const answers = new Map<string, unknown>([
    ['good', { active: true, aud: resource, sub: 'anna', scope: 'a' }],
    ['foreign', { active: true, aud: 'https://other.example', sub: 'anna' }],
    ['unnamed', { active: true, sub: 'anna' }],
    ['expired', { active: true, aud: resource, sub: 'anna', exp: 1 }],
    ['other', { active: true, aud: resource, sub: 'anna', iss: 'https://evil.example' }],
    ['truthy', { active: 'true', aud: resource, sub: 'anna' }],
    ['broken', []],
  ]);
  const seen: (string | undefined)[] = [];
  const fetch: Fetch = async (url, request) => {
    if (!url.endsWith('/introspect')) return issuer.fetch(url, request);
    seen.push(request.headers['authorization']);
    const token = new URLSearchParams(request.body).get('token') ?? '';
    return new Response(JSON.stringify(answers.get(token) ?? { active: false }), {
      status: token === 'denied' ? 401 : 200,
    });
  };
  const { send } = await openWith(t, { protect: { ...asking(), fetch } });
  assert.equal(said(await send(who('good'))), '["anna",["a"]]');
  assert.deepEqual(seen, [`Basic ${btoa('mcp:a+secret%3A+with+signs')}`]);
  for (const token of ['foreign', 'unnamed', 'expired', 'other', 'truthy', 'unknown'])
    assert.equal((await send(who(token))).status, 401, token);
  for (const token of ['broken', 'denied']) assert.equal((await send(who(token))).status, 503, token);
});

test('an own function that finds no token and says so by null refuses it, as one that says undefined', async (t) => {
  const told: unknown[] = [];
  const wish = {
    authorizationServers: ['https://login.example.com'],
    issuers: undefined as never,
    onError: (error: unknown): void => void told.push(error),
  };
  for (const nothing of [undefined, null]) {
    const { send } = await openWith(t, { protect: { ...wish, verify: () => nothing as undefined } });
    const { status, headers } = await send(call('tools/call', { name: 'who' }, bearer('unknown')));
    assert.equal(status, 401);
    assert.match(String(headers['www-authenticate']), /invalid_token/);
  }
  assert.deepEqual(told, []);
});

test('own functions verify tokens, whose audience is looked at all the same', async (t) => {
  const issuers = { issuers: undefined as never, authorizationServers: ['https://login.example.com'] };
  const verify: NonNullable<ProtectOptions['verify']> = (token, { scheme }) => {
    if (token === 'broken') throw new Error('the database is down');
    return token === 'bad' ? undefined : { sub: token, aud: token === 'other' ? 'x' : resource, scope: scheme };
  };
  const { issuers: _, ...wish } = issuers;
  const { send } = await openWith(t, { protect: { ...wish, verify, issuers: undefined as never } });
  assert.equal(said(await send(who('anna'))), '["anna",["Bearer"]]');
  assert.equal((await send(who('bad'))).status, 401);
  assert.match(reasonOf(await send(who('other'))) ?? '', /not issued for this resource/);
  assert.equal((await send(who('broken'))).status, 503);
});

test('an audience that is no aud is found in the claim that is named', async (t) => {
  const { send, issuer } = await openWith(t, { protect: { audienceClaim: 'client_id', audience: ['app'] } });
  assert.equal((await send(who(await issuer.issue({ clientId: 'app' })))).status, 200);
  assert.equal((await send(who(await issuer.issue({ clientId: 'other' })))).status, 401);
});

test('the audience of an issuer is found in that claim too', async (t) => {
  const issuers = [{ issuer: 'https://issuer.test', audience: 'app' }];
  const { send, issuer } = await openWith(t, { protect: { issuers, audienceClaim: 'client_id' } });
  assert.equal((await send(who(await issuer.issue({ clientId: 'app' })))).status, 200);
  assert.equal((await send(who(await issuer.issue({ clientId: 'other', audience: 'app' })))).status, 401);
});

test('persons of one client are told apart by their names where their tokens have no subject [security-022]', async (t) => {
  const principals = new Set<string>();
  const { send, issuer } = await openWith(t, {
    define: (server) => void server.tool('note', {}, (_, { auth }) => void principals.add(auth?.principal ?? '')),
  });
  for (const username of ['anna', 'eve', undefined, 'test-client']) {
    const token = await issuer.issue({ claims: { sub: undefined, username } });
    assert.equal((await send(call('tools/call', { name: 'note' }, bearer(token)))).status, 200);
  }
  assert.equal(principals.size, 4);
});

test('scopes that another one contains count as granted [auth-057]', async (t) => {
  const { send, issuer } = await openWith(t, {
    protect: { implies: { 'files:write': ['files:read'], admin: ['files:write'] } },
    define: (server) => void server.tool('read', { scopes: ['files:read'] }, () => 'read'),
  });
  const read = async (scopes: readonly string[]): Promise<number> =>
    (await send(call('tools/call', { name: 'read' }, bearer(await issuer.issue({ scopes }))))).status;
  assert.deepEqual([await read(['files:write']), await read(['admin']), await read(['files:list'])], [200, 200, 403]);
});

test('a caller whom the server does not want is refused without a challenge', async (t) => {
  const principal = ({ sub }: Readonly<Record<string, unknown>>): string | undefined =>
    sub === 'anna' ? 'anna' : undefined;
  const { send, issuer } = await openWith(t, { protect: { principal } });
  assert.equal((await send(who(await issuer.issue({ subject: 'anna' })))).status, 200);
  const answer = await send(who(await issuer.issue({ subject: 'eve' })));
  assert.equal(answer.status, 403);
  assert.equal(answer.headers['www-authenticate'], undefined);
});

test('an address whose tokens were refused too often waits, and what is verified already still passes', async (t) => {
  const { now, pass } = clock();
  const issuer = testIssuer({ audience: resource, now });
  const server = createServer({ name: 's', version: '1' });
  server.tool('who', {}, () => 'you');
  const guarded = protect(server, { resource, ...issuer.options, now, failures: { perSecond: 1, burst: 3 } });
  const entrance = await (entries['listen'] ?? assert.fail())(guarded);
  t.after(() => entrance.close());
  const good = await issuer.issue();
  assert.equal((await entrance.send(who(good))).status, 200);
  for (let turn = 0; turn < 3; turn++) assert.equal((await entrance.send(who(`bad-${turn}`))).status, 401);
  const waits = await entrance.send(who('bad-4'));
  assert.equal(waits.status, 429);
  assert.equal(waits.headers['retry-after'], '1');
  assert.equal((await entrance.send(who(good))).status, 200);
  pass(1000);
  assert.equal((await entrance.send(who('bad-5'))).status, 401);
});

test('nothing of a token, and nothing secret, is said in an answer or in what handlers see', async (t) => {
  const { send, issuer } = await openWith(t, {
    define: (server) => void server.tool('all', {}, (_, { auth }) => JSON.stringify(auth)),
  });
  const token = await issuer.issue();
  const answers = [
    await send(call('tools/call', { name: 'all' }, bearer(token))),
    await send(who(tampered(token))),
    await send(who(await issuer.issue({ expiresIn: -100 }))),
  ];
  for (const answer of answers) assert.doesNotMatch(JSON.stringify(answer), new RegExp(token.slice(0, 20)));
});
