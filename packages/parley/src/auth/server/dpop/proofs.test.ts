import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose';
import { parseChallenges } from '../../common/challenge.ts';
import { entries, type Received, type Wire } from '../../../../../../test/support/http-entries.ts';
import type { ReplayStore } from './options.ts';
import {
  call,
  open,
  resource,
  type GuardedEntrance,
  type Wishes,
} from '../../../../../../test/support/guarded-entrance.ts';
import { memoryReplay } from './replay.ts';

const entry = entries['createHttpHandler'] ?? assert.fail();

/** A client with a key of its own. */
interface Prover {
  readonly thumbprint: string;
  prove(wish?: { claims?: Record<string, unknown>; header?: Record<string, unknown> }): Promise<string>;
}

async function prover(token: () => string, now: () => number, alg = 'ES256'): Promise<Prover> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  return {
    thumbprint: await calculateJwkThumbprint(jwk),
    prove: async ({ claims = {}, header = {} } = {}) => {
      const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token()));
      const all = {
        jti: crypto.randomUUID(),
        htm: 'POST',
        htu: resource,
        iat: Math.floor(now() / 1000),
        ath: Buffer.from(hash).toString('base64url'),
        ...claims,
      };
      return new SignJWT(all).setProtectedHeader({ alg, typ: 'dpop+jwt', jwk, ...header } as never).sign(privateKey);
    },
  };
}

interface Bound extends GuardedEntrance, Prover {
  readonly token: string;
  pass(ms: number): void;
  /** A call with the token and a proof. */
  ask(proof: string | undefined, scheme?: string): Wire;
}

async function bound(
  t: TestContext,
  dpop: NonNullable<Wishes['protect']>['dpop'] = true,
  wishes: Wishes = {},
): Promise<Bound> {
  let time = Date.now();
  const now = (): number => time;
  const opened = await open(t, entry, { ...wishes, issuer: { now }, protect: { dpop, now, ...wishes.protect } });
  let token = '';
  const own = await prover(() => token, now);
  token = await opened.issuer.issue({ claims: { cnf: { jkt: own.thumbprint } }, expiresIn: 100_000 });
  return {
    ...opened,
    ...own,
    token,
    pass: (ms) => void (time += ms),
    ask: (proof, scheme = 'DPoP') =>
      call('tools/call', { name: 'who' }, { authorization: `${scheme} ${token}`, dpop: proof }),
  };
}

function challengeOf({ headers }: Received, scheme = 'dpop'): Readonly<Record<string, string>> {
  return parseChallenges(headers['www-authenticate']).find((one) => one.scheme === scheme)?.parameters ?? {};
}

test('a bound token passes with a proof of its key [auth-145] [sep-1932-server-validate-proof]', async (t) => {
  const { send, ask, prove } = await bound(t);
  assert.equal((await send(ask(await prove()))).status, 200);
});

test('who sent nothing is told of both schemes, and of one where proofs are required [auth-147] [sep-1932-server-reject-401]', async (t) => {
  const { send } = await bound(t, { algorithms: ['ES256', 'EdDSA'] });
  const answer = await send(call('tools/list'));
  assert.deepEqual(
    parseChallenges(answer.headers['www-authenticate']).map(({ scheme }) => scheme),
    ['bearer', 'dpop'],
  );
  assert.equal(challengeOf(answer)['algs'], 'ES256 EdDSA');
  const strict = await bound(t, { required: true });
  assert.deepEqual(
    parseChallenges((await strict.send(call('tools/list'))).headers['www-authenticate']).map(({ scheme }) => scheme),
    ['dpop'],
  );
});

test('metadata says which proofs are taken, and whether tokens must be bound', async (t) => {
  const { send } = await bound(t, { required: true, algorithms: ['ES256'] });
  const { text } = await send({ method: 'GET', path: '/.well-known/oauth-protected-resource/mcp' });
  const { dpop_signing_alg_values_supported: algorithms, dpop_bound_access_tokens_required: required } = JSON.parse(
    text,
  ) as Record<string, unknown>;
  assert.deepEqual([algorithms, required], [['ES256'], true]);
});

test('a bound token is worth nothing as a bearer token [sep-1932-server-validate-proof]', async (t) => {
  const { send, ask, prove } = await bound(t);
  for (const proof of [undefined, await prove()]) {
    const answer = await send(ask(proof, 'Bearer'));
    assert.equal(answer.status, 401);
    assert.equal(challengeOf(answer)['error'], 'invalid_token');
  }
});

test('a token that is not bound needs no proof, but where one is required', async (t) => {
  const plain = await bound(t);
  const token = await plain.issuer.issue();
  const asBearer = call('tools/call', { name: 'who' }, { authorization: `Bearer ${token}` });
  assert.equal((await plain.send(asBearer)).status, 200);
  const asDpop = call('tools/call', { name: 'who' }, { authorization: `DPoP ${token}`, dpop: await plain.prove() });
  assert.equal(challengeOf(await plain.send(asDpop))['error'], 'invalid_token');
  const strict = await bound(t, { required: true });
  const own = await strict.issuer.issue();
  assert.equal((await strict.send(call('tools/list', {}, { authorization: `Bearer ${own}` }))).status, 401);
});

type Wish = Parameters<Prover['prove']>[0];

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

const wrong: readonly (readonly [what: string, wish: Wish | (() => Wish)])[] = [
  ['for another method', { claims: { htm: 'GET' } }],
  ['for a method in other letters', { claims: { htm: 'post' } }],
  ['for another host', { claims: { htu: 'https://other.example/mcp' } }],
  ['for the name in the Host header', { claims: { htu: 'http://localhost/mcp' } }],
  ['for another path', { claims: { htu: 'https://mcp.example.com/other' } }],
  ['for no URL', { claims: { htu: 'mcp' } }],
  ['for another token', { claims: { ath: 'x' } }],
  ['for no token', { claims: { ath: undefined } }],
  ['that was made too long ago [sep-1932-server-iat-window]', () => ({ claims: { iat: inSeconds(-310) } })],
  ['that is made later [sep-1932-server-iat-window]', () => ({ claims: { iat: inSeconds(320) } })],
  ['without a time [auth-146] [sep-1932-server-iat-window]', { claims: { iat: undefined } }],
  ['without an id', { claims: { jti: undefined } }],
  ['whose id is endless', { claims: { jti: 'x'.repeat(513) } }],
  ['of another type', { header: { typ: 'JWT' } }],
  ['without a type', { header: { typ: undefined } }],
  ['without its key', { header: { jwk: undefined } }],
];

for (const [what, wish] of wrong)
  test(`a proof ${what} is refused`, async (t) => {
    const { send, ask, prove } = await bound(t);
    const answer = await send(ask(await prove(typeof wish === 'function' ? wish() : wish)));
    assert.equal(answer.status, 401);
    assert.equal(challengeOf(answer)['error'], 'invalid_dpop_proof');
  });

test('a proof in a text that is none, or in two headers, is refused', async (t) => {
  const { send, ask, prove } = await bound(t);
  const good = await prove();
  for (const proof of [undefined, '', 'x', `${good}, ${await prove()}`, `${good}.x`, 'a'.repeat(9000)]) {
    const answer = await send(ask(proof));
    assert.equal(answer.status, 401);
    assert.equal(challengeOf(answer)['error'], 'invalid_dpop_proof');
  }
});

test('only asymmetric signatures prove a key [auth-144] [sep-1932-asymmetric-alg-only]', async (t) => {
  const { send, ask } = await bound(t);
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  for (const alg of ['none', 'HS256']) {
    const jwk: JWK = { kty: 'oct', k: 'c2VjcmV0' };
    const proof = `${part({ alg, typ: 'dpop+jwt', jwk })}.${part({ jti: 'x', htm: 'POST', htu: resource, iat: 1, ath: 'x' })}.AA`;
    assert.equal(challengeOf(await send(ask(proof)))['error'], 'invalid_dpop_proof');
  }
});

test('a proof with the private key in it is refused', async (t) => {
  const { send, ask, prove } = await bound(t);
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const answer = await send(ask(await prove({ header: { jwk: await exportJWK(privateKey) } })));
  assert.equal(challengeOf(answer)['error'], 'invalid_dpop_proof');
});

test('a key that is none is no failure of the server', async (t) => {
  const told: unknown[] = [];
  const { send, ask, prove } = await bound(t, true, { http: { onError: (error) => void told.push(error) } });
  const [head = '', claims, signature] = (await prove()).split('.');
  const { jwk } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { readonly jwk: Record<string, string> };
  for (const key of [
    { kty: 'EC' },
    { ...jwk, y: jwk.x },
    { ...jwk, y: 'AAAA' },
    { ...jwk, crv: 'P-384' },
    { ...jwk, key_ops: ['sign'] },
    { kty: 'RSA', n: '', e: '' },
  ]) {
    const alg = key.kty === 'RSA' ? 'RS256' : 'ES256';
    const header = Buffer.from(JSON.stringify({ alg, typ: 'dpop+jwt', jwk: key })).toString('base64url');
    const answer = await send(ask([header, claims, signature].join('.')));
    assert.equal(answer.status, 401);
    assert.equal(challengeOf(answer)['error'], 'invalid_dpop_proof');
  }
  assert.deepEqual(told, []);
});

test('a key that is dear to check is refused before it is', async (t) => {
  const { send, ask, prove } = await bound(t);
  const [, claims, signature] = (await prove()).split('.');
  const modulus = Buffer.alloc(384, 0xc1).toString('base64url');
  for (const jwk of [
    { kty: 'RSA', n: modulus, e: modulus },
    { kty: 'RSA', n: modulus.repeat(3), e: 'AQAB' },
    { kty: 'RSA', n: null, e: modulus },
  ]) {
    const header = Buffer.from(JSON.stringify({ alg: 'RS256', typ: 'dpop+jwt', jwk })).toString('base64url');
    const answer = await send(ask([header, claims, signature].join('.')));
    assert.equal(answer.status, 401);
    assert.equal(challengeOf(answer)['error_description'], 'the key of the proof is larger than is taken');
  }
});

test('a proof by another key than that of the token is refused', async (t) => {
  const { send, ask, token } = await bound(t);
  const other = await prover(() => token, Date.now);
  const answer = await send(ask(await other.prove()));
  assert.equal(answer.status, 401);
  assert.equal(challengeOf(answer)['error'], 'invalid_token');
});

test('the audience of a bound token is looked at as ever [auth-148] [sep-1932-server-audience-validation]', async (t) => {
  const { send, issuer, thumbprint } = await bound(t);
  let token = '';
  const own = await prover(() => token, Date.now);
  token = await issuer.issue({ audience: 'https://other.example', claims: { cnf: { jkt: own.thumbprint } } });
  assert.notEqual(own.thumbprint, thumbprint);
  const answer = await send(call('tools/list', {}, { authorization: `DPoP ${token}`, dpop: await own.prove() }));
  assert.equal(answer.status, 401);
  assert.match(challengeOf(answer)['error_description'] ?? '', /not issued for this resource/);
});

test('a proof passes once, here and on every node that shares the store [auth-149]', async (t) => {
  const { send, ask, prove } = await bound(t);
  const proof = await prove();
  assert.equal((await send(ask(proof))).status, 200);
  assert.equal(challengeOf(await send(ask(proof)))['error'], 'invalid_dpop_proof');
  const replay = memoryReplay();
  const [one, other] = [await bound(t, { replay }), await bound(t, { replay })];
  const jti = 'the-same';
  const shared = await one.prove({ claims: { jti } });
  const answers = await Promise.all([one.send(one.ask(shared)), one.send(one.ask(shared))]);
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 401],
  );
  // The same id of another key is another proof.
  assert.equal((await other.send(other.ask(await other.prove({ claims: { jti } })))).status, 200);
});

test('a proof is remembered in the last moment in which it passes, also by a node whose clock is behind [auth-149]', async (t) => {
  let [time, ahead] = [Date.now(), 0];
  const now = (): number => time;
  for (const replay of [undefined, memoryReplay(() => time + ahead)]) {
    const { send, ask, prove } = await bound(t, replay === undefined ? true : { replay }, { protect: { now } });
    const iat = Math.floor(time / 1000);
    const proof = await prove({ claims: { iat } });
    assert.equal((await send(ask(proof))).status, 200);
    ahead = 20_000;
    time = iat * 1000 + 300_000;
    assert.equal(challengeOf(await send(ask(proof)))['error_description'], 'the proof was used before');
    time++;
    assert.match(challengeOf(await send(ask(proof)))['error_description'] ?? '', /within five minutes/);
  }
});

test('where nonces are demanded a proof needs one of the last minute [auth-149] [sep-1932-server-nonce]', async (t) => {
  const { send, ask, prove, pass } = await bound(t, { nonce: true });
  const refused = await send(ask(await prove()));
  assert.equal(refused.status, 401);
  assert.equal(challengeOf(refused)['error'], 'use_dpop_nonce');
  const nonce = refused.headers['dpop-nonce'] ?? '';
  assert.notEqual(nonce, '');
  const first = await send(ask(await prove({ claims: { nonce } })));
  assert.equal(first.status, 200);
  assert.equal(first.headers['dpop-nonce'], undefined);
  pass(31_000);
  const second = await send(ask(await prove({ claims: { nonce } })));
  assert.equal(second.status, 200);
  // The next one comes with an answer, before the old one is refused.
  const next = second.headers['dpop-nonce'] ?? '';
  pass(30_000);
  assert.equal(challengeOf(await send(ask(await prove({ claims: { nonce } }))))['error'], 'use_dpop_nonce');
  assert.equal((await send(ask(await prove({ claims: { nonce: next } })))).status, 200);
  for (const forged of ['x', `${nonce}x`, nonce.replace(/^./, '9'), `zzzzzz.${nonce.split('.')[1]}`, 7])
    assert.equal(challengeOf(await send(ask(await prove({ claims: { nonce: forged } }))))['error'], 'use_dpop_nonce');
});

test('nonces hold on every node that has the key', async (t) => {
  const nonceKey = new Uint8Array(32).fill(7);
  const [one, other] = [await bound(t, { nonce: true, nonceKey }), await bound(t, { nonce: true, nonceKey })];
  const nonce = (await one.send(one.ask(await one.prove()))).headers['dpop-nonce'];
  assert.equal((await other.send(other.ask(await other.prove({ claims: { nonce } })))).status, 200);
});

test('where no further proof can be remembered a nonce is demanded, and nothing is forgotten', async (t) => {
  const small = memoryReplay(Date.now, 2);
  const { send, ask, prove } = await bound(t, { replay: small });
  const proofs = [await prove(), await prove()];
  for (const proof of proofs) assert.equal((await send(ask(proof))).status, 200);
  const third = await send(ask(await prove()));
  assert.equal(challengeOf(third)['error'], 'use_dpop_nonce');
  assert.ok(third.headers['dpop-nonce']);
  for (const proof of proofs) assert.equal(challengeOf(await send(ask(proof)))['error'], 'invalid_dpop_proof');
});

test('a store of proofs that fails lets nobody pass, and blames no token', async (t) => {
  const replay: ReplayStore = { add: () => Promise.reject(new Error('no connection')) };
  const { send, ask, prove } = await bound(t, { replay });
  const answer = await send(ask(await prove()));
  assert.equal(answer.status, 503);
  assert.equal(answer.headers['www-authenticate'], undefined);
});

test('proofs are remembered until they expire, and no longer', () => {
  let time = 0;
  const replay = memoryReplay(() => time, 3);
  assert.deepEqual(
    [replay.add('a', 10), replay.add('b', 20), replay.add('c', 5), replay.add('a', 10)],
    [true, true, true, false],
  );
  assert.equal(replay.add('d', 30), 'full');
  time = 1006;
  assert.deepEqual([replay.add('d', 2000), replay.add('a', 2000)], [true, true]);
});

for (const alg of ['ES384', 'RS256', 'PS256', 'EdDSA'])
  test(`a key of ${alg} can be proven`, async (t) => {
    const { send, issuer } = await bound(t);
    let token = '';
    const own = await prover(() => token, Date.now, alg);
    token = await issuer.issue({ claims: { cnf: { jkt: own.thumbprint } } });
    assert.equal(
      (await send(call('tools/list', {}, { authorization: `DPoP ${token}`, dpop: await own.prove() }))).status,
      200,
    );
  });
