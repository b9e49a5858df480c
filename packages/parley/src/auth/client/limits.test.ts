/** Limits of authorization, each at its value and one above. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuthorizationError } from '../common/errors.ts';
import type { CredentialStore } from '../../storage/credentials.ts';
import { memoryCredentialStore } from '../../storage/memory-credentials.ts';
import { DpopProver, keysIn } from './dpop.ts';
import type { Grant } from './grant.ts';
import { isForNonce, mustBeBound, once, readRefusal, requireKind, requireOAuth, scopesFor } from './refusal.ts';
import { StepUps } from './step-up.ts';
import { fieldsOf, isRefusal, readTokenAnswer } from './token-response.ts';

const issuer = 'https://as.example';

test('the nonces of 100 origins are remembered, each with its newest one', () => {
  const prover = new DpopProver(
    () => Promise.reject(new Error('no key')),
    () => 0,
  );
  const url = (index: number): URL => new URL(`https://s${index}.example/`);
  for (let index = 0; index < 100; index += 1) assert.equal(prover.answered(url(index), 'n'), true);
  assert.equal(prover.answered(url(0), 'n'), false);
  assert.equal(prover.answered(url(0), 'm'), true);
  prover.answered(url(100), 'n');
  assert.equal(prover.answered(url(2), 'n'), false);
  assert.equal(prover.answered(url(1), 'n'), true);
  for (const wrong of [undefined, '', 'a b', '"', 'x'.repeat(1_025)])
    assert.equal(prover.answered(url(5), wrong), false);
  assert.equal(prover.answered(url(5), 'x'.repeat(1_024)), true);
});

test('a key that could not be made is made again for the next proof', async () => {
  let tries = 0;
  const prover = new DpopProver(
    async () => {
      tries += 1;
      if (tries === 1) throw new Error('no key');
      const { privateKey, publicKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, [
        'sign',
      ]);
      return { privateKey, jwk: (await crypto.subtle.exportKey('jwk', publicKey)) as Record<string, string> };
    },
    () => 5_999,
  );
  const asked = { method: 'GET', url: new URL('https://s.example/p?q#f') };
  await assert.rejects(prover.proof(asked), /no key/);
  const claims = async (token?: string) =>
    JSON.parse(
      Buffer.from((await prover.proof({ ...asked, token })).split('.')[1] ?? '', 'base64url').toString(),
    ) as Record<string, unknown>;
  const first = await claims();
  assert.deepEqual(
    [first['htm'], first['htu'], first['iat'], 'ath' in first, 'nonce' in first],
    ['GET', 'https://s.example/p', 5, false, false],
  );
  prover.answered(asked.url, 'n');
  const second = await claims('t');
  assert.deepEqual([second['nonce'], typeof second['ath'], tries], ['n', 'string', 2]);
  assert.notEqual(first['jti'], second['jti']);
});

test('the private key of proofs cannot be read out, wherever it is stored', async () => {
  const key = { kind: 'dpop-key', issuer } as const;
  const plain = (): CredentialStore => {
    const { keyPair: _, ...others } = memoryCredentialStore();
    return others;
  };
  for (const store of [memoryCredentialStore(), plain()]) {
    const made = await keysIn(store, key);
    assert.equal((made.privateKey as CryptoKey).extractable, false);
    const again = await keysIn(store, key);
    assert.deepEqual(again.jwk, made.jwk);
    assert.deepEqual(Object.keys(made.jwk).toSorted(), ['crv', 'kty', 'x', 'y']);
  }
  const damaged = plain();
  await damaged.write(key, '{"d":"secret"}', { ifGeneration: null });
  await assert.rejects(
    keysIn(damaged, key),
    (error: Error) => /is damaged/.test(error.message) && !/secret/.test(error.message),
  );
});

test('more scopes are asked for twice in ten minutes for one request', () => {
  let now = 0;
  const steps = new StepUps(() => now);
  const grant = { resource: 'r', endpoints: { issuer }, scopes: ['a'], requested: ['a'] } as never as Grant;
  const about = { method: 'tools/call', name: 't' };
  const wanted = (challenged = ['b'], from = grant, what: object = about) => steps.wanted(from, challenged, what);
  assert.deepEqual(wanted(), ['a', 'b']);
  assert.throws(() => wanted([]), /does not name/);
  assert.throws(() => wanted(['a']), /tools\/call of t was refused because it lacks the scopes a, which were granted/);
  assert.throws(() => wanted(['a'], grant, {}), /^AuthorizationError: the request was refused/);
  steps.note(grant, about);
  assert.deepEqual(wanted(), ['a', 'b']);
  assert.throws(() => wanted(['b'], { ...grant, requested: ['a', 'b'] }), /were asked for and not granted/);
  assert.deepEqual(wanted(['b'], { ...grant, requested: ['a', 'b'] }, { name: 'other' }), ['a', 'b']);
  now = 1;
  steps.note(grant, about);
  assert.throws(() => wanted(), /try again in 10 minutes/);
  now = 599_999;
  assert.throws(() => wanted(), /try again in 10 minutes/);
  now = 600_000;
  assert.deepEqual(wanted(), ['a', 'b']);
  now = -600_000;
  assert.deepEqual(wanted(), ['a', 'b']);
});

test('what was asked for is remembered for 1,000 requests', () => {
  const steps = new StepUps(() => 0);
  const grant = { resource: 'r', endpoints: { issuer }, scopes: [], requested: [] } as never as Grant;
  const twice = (name: string) => [1, 2].forEach(() => steps.note(grant, { name }));
  const isRemembered = (name: string): boolean => {
    try {
      return steps.wanted(grant, ['b'], { name }).length < 0;
    } catch {
      return true;
    }
  };
  for (let index = 0; index < 1_000; index += 1) twice(`t${index}`);
  assert.equal(isRemembered('t0'), true);
  steps.note(grant, { name: 't0' });
  twice('t1000');
  assert.deepEqual(['t0', 't1', 't2', 't1000'].map(isRemembered), [true, false, true, true]);
});

test('a refusal is read from the challenges that are of OAuth', () => {
  const read = (header: string | undefined) => readRefusal({ status: 401, header: () => header });
  assert.deepEqual(read(undefined), {
    status: 401,
    challenge: undefined,
    asksForKey: false,
    takesBearer: false,
    resourceMetadata: undefined,
    scopes: undefined,
    error: undefined,
  });
  const bearer = read('Bearer error="insufficient_scope", scope="a b", resource_metadata="https://m.example"');
  assert.deepEqual(
    [bearer.asksForKey, bearer.takesBearer, bearer.scopes, bearer.resourceMetadata, bearer.error],
    [false, true, ['a', 'b'], 'https://m.example', 'insufficient_scope'],
  );
  const both = read('Basic realm="x", Bearer scope="a", DPoP error="use_dpop_nonce", scope="b"');
  assert.deepEqual(
    [both.asksForKey, both.takesBearer, both.scopes, both.challenge?.scheme],
    [true, true, ['a'], 'dpop'],
  );
  assert.deepEqual(
    [isForNonce(both, { dpop: 'p' } as never), isForNonce(both, {}), isForNonce(bearer, { dpop: 'p' } as never)],
    [true, false, false],
  );
  const site = (dpop?: string) => ({ options: { dpop }, server: new URL('https://s.example') }) as never;
  assert.throws(() => requireOAuth(read('Basic realm="x"'), site()), /Basic|basic/);
  for (const right of [undefined, 'Bearer', 'DPoP', 'Basic realm="x", Bearer']) requireOAuth(read(right), site());
  assert.throws(() => requireKind(read('DPoP'), site()), /set dpop to 'auto'/);
  for (const [header, dpop] of [
    ['DPoP', 'auto'],
    ['DPoP, Bearer', undefined],
    ['Bearer', undefined],
  ] as const)
    requireKind(read(header), site(dpop));
  const bound = (header: string, dpop: string | undefined, dpopRequired = false) =>
    mustBeBound(site(dpop), read(header), { dpopRequired } as never);
  assert.deepEqual(
    [
      bound('DPoP', 'auto'),
      bound('DPoP, Bearer', 'auto'),
      bound('Bearer', 'always'),
      bound('Bearer', 'auto', true),
      bound('DPoP', undefined),
      bound('Bearer', 'auto'),
    ],
    [true, false, true, true, false, false],
  );
  const tried = new Set<string>();
  assert.deepEqual([once(tried, 'a'), once(tried, 'a'), once(tried, 'b')], [true, false, true]);
});

test('the scopes of a login are those wanted, those asked for before, and offline access', () => {
  const discovered = (supported: readonly string[] | undefined, offline = true) =>
    ({
      scopesSupported: supported,
      server: { issuer, scopesSupported: offline ? ['offline_access'] : ['x'] },
    }) as never;
  const before = (from: string) => ({ endpoints: { issuer: from }, requested: ['old'] }) as never;
  const given = { wanted: undefined, before: undefined, always: undefined, lasting: false };
  assert.deepEqual(scopesFor(discovered(['a']), given), ['a']);
  assert.deepEqual(scopesFor(discovered(['a']), { ...given, wanted: ['b'], always: ['c'] }), ['b', 'c']);
  assert.deepEqual(scopesFor(discovered(['a']), { ...given, before: before(issuer) }), ['old', 'a']);
  assert.deepEqual(scopesFor(discovered(['a']), { ...given, before: before('https://other.example') }), ['a']);
  assert.deepEqual(scopesFor(discovered(['a', 'offline_access']), given), ['a']);
  assert.deepEqual(scopesFor(discovered(['a']), { ...given, lasting: true }), ['a', 'offline_access']);
  assert.deepEqual(scopesFor(discovered(['a'], false), { ...given, lasting: true }), ['a']);
  assert.deepEqual(scopesFor(discovered(undefined), { ...given, lasting: true }), []);
});

test('each answer of a token endpoint means what its status and its code say', () => {
  const answer = (status: number, text: string) => ({ status, text, url: undefined, header: () => undefined });
  const error = (status: number, text: string): AuthorizationError => {
    try {
      fieldsOf(answer(status, text), issuer, 'the token request');
    } catch (cause) {
      return cause as AuthorizationError;
    }
    return assert.fail('it was taken');
  };
  for (const status of [200, 299]) assert.deepEqual(fieldsOf(answer(status, '{"a":1}'), issuer, 'x'), { a: 1 });
  for (const status of [199, 300, 400, 499]) assert.equal(error(status, '{}').reason, 'invalid-response');
  assert.equal(error(200, '[]').reason, 'invalid-response');
  for (const status of [408, 429, 500, 503]) assert.equal(error(status, '{}').reason, 'server-error');
  for (const [code, reason, refuses] of [
    ['invalid_grant', 'grant-lost', true],
    ['invalid_client', 'invalid-client', true],
    ['invalid_scope', 'insufficient-scope', true],
    ['access_denied', 'denied', true],
    ['server_error', 'server-error', false],
    ['temporarily_unavailable', 'server-error', false],
    ['toString', 'server-error', true],
  ] as const) {
    const found = error(400, JSON.stringify({ error: code, error_description: 'why' }));
    assert.deepEqual([found.reason, found.code, isRefusal(found)], [reason, code, refuses], code);
    assert.match(found.message, /\(why\)/);
    assert.equal(error(503, JSON.stringify({ error: code })).reason, 'server-error');
  }
  const token = (fields: object) =>
    readTokenAnswer(answer(200, JSON.stringify({ access_token: 'a', token_type: 'DPoP', ...fields })), issuer);
  assert.deepEqual(token({ scope: 'a b', refresh_token: 'r', id_token: 'i', expires_in: 0 }), {
    accessToken: 'a',
    tokenType: 'dpop',
    expiresIn: 0,
    refreshToken: 'r',
    scopes: ['a', 'b'],
    idToken: 'i',
  });
  assert.deepEqual(
    [token({ scope: ['a'] }).scopes, token({ scope: true }).scopes, token({}).scopes],
    [['a'], undefined, undefined],
  );
  assert.deepEqual(
    [token({ expires_in: 3_155_760_000 }).expiresIn, token({ expires_in: 3_155_760_001 }).expiresIn],
    [3_155_760_000, 3_155_760_000],
  );
  assert.throws(() => token({ access_token: undefined }), /no access_token/);
  assert.throws(() => token({ token_type: undefined }), /no token_type/);
  assert.throws(() => token({ access_token: 'a b' }), /no header may have/);
});
