/** Hostile callers, each by its name, at every place of every entry of a guarded server. */
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { parseChallenges } from '../common/challenge.ts';
import {
  entries,
  type Entrance,
  type Entry,
  type OpenStream,
  type Received,
  type Wire,
} from '../../../../../test/support/http-entries.ts';
import { createServer } from '../../server/server.ts';
import { testIssuer, type TestIssuer, type TestToken } from '../../testing/issuer.ts';
import { memoryReplay } from './dpop/replay.ts';
import { bearer, call, resource } from '../../../../../test/support/guarded-entrance.ts';
import { protect } from './protect.ts';

/** Where a request goes in. */
interface Place {
  readonly name: string;
  readonly wire: Wire;
}

/** What an adversary works with. */
interface Means {
  readonly issuer: TestIssuer;
  /** The place that it tries. */
  readonly method: string;
  readonly path: string;
  /** A token that is bound to its key, and proofs by that key, right in everything that is not said. */
  readonly bound: string;
  prove(wish?: ProofWish): Promise<string>;
  /** Sends something to the same place of this node, or of another one that shares the store of proofs. */
  use(headers: Readonly<Record<string, string>>, node: 'this' | 'another'): Promise<Received>;
}

interface ProofWish {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly byAnother?: boolean;
}

type Fields = Readonly<Record<string, string>>;

/** What somebody sends in place of good credentials, and how it is refused. */
interface Adversary {
  readonly who: string;
  readonly sends: (means: Means) => Fields | Promise<Fields>;
  readonly status: number;
  /** The status of an entry where the platform refuses it already. */
  readonly or?: number;
  readonly error?: string;
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = (): number => Math.floor(Date.now() / 1000);

/** A token with a header of its own, which is signed by whatever the adversary has. */
async function forged(
  issuer: TestIssuer,
  header: object,
  signature: (text: string) => string | Promise<string>,
): Promise<Fields> {
  const [, claims = ''] = (await issuer.issue()).split('.');
  const text = `${part(header)}.${claims}`;
  return bearer(`${text}.${await signature(text)}`);
}

const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const byOwnKey = (text: string): string =>
  sign('sha256', Buffer.from(text), { key: own.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url');
const ownJwk = own.publicKey.export({ format: 'jwk' });

async function publishedKey({ fetch }: TestIssuer): Promise<Readonly<Record<string, unknown>>> {
  const signal = AbortSignal.timeout(5000);
  const init = { method: 'GET', headers: {}, redirect: 'manual', credentials: 'omit', signal } as const;
  const { value } = (await (await fetch('https://issuer.test/jwks', init)).body?.getReader().read()) ?? {};
  return (JSON.parse(new TextDecoder().decode(value)) as { keys: Record<string, unknown>[] }).keys[0] ?? {};
}

function issued(who: string, token: TestToken | (() => TestToken)): Adversary {
  const sends = async ({ issuer }: Means): Promise<Fields> =>
    bearer(await issuer.issue(typeof token === 'function' ? token() : token));
  return { who, sends, status: 401, error: 'invalid_token' };
}

function forger(who: string, header: object, signature: (text: string) => string): Adversary {
  return { who, sends: ({ issuer }) => forged(issuer, header, signature), status: 401, error: 'invalid_token' };
}

function prover(who: string, wish: ProofWish | ((means: Means) => ProofWish), error = 'invalid_dpop_proof'): Adversary {
  const sends = async (means: Means): Promise<Fields> => {
    const dpop = await means.prove(typeof wish === 'function' ? wish(means) : wish);
    return { authorization: `DPoP ${means.bound}`, dpop };
  };
  return { who, sends, status: 401, error };
}

function replayer(who: string, node: 'this' | 'another'): Adversary {
  const sends = async (means: Means): Promise<Fields> => {
    const fields = { authorization: `DPoP ${means.bound}`, dpop: await means.prove() };
    assert.notEqual((await means.use(fields, node)).status, 401, 'the proof is good once');
    return fields;
  };
  return { who, sends, status: 401, error: 'invalid_dpop_proof' };
}

const callers: readonly Adversary[] = [
  { who: 'who has no token', sends: () => ({}), status: 401 },
  { who: 'who has a password', sends: () => ({ authorization: 'Basic YTpi' }), status: 401 },
  {
    who: 'who sends two tokens',
    sends: async ({ issuer }) => ({ authorization: `Bearer ${await issuer.issue()}, Bearer ${await issuer.issue()}` }),
    status: 400,
    error: 'invalid_request',
  },
  {
    who: 'whose token has other characters',
    sends: () => ({ authorization: 'Bearer {"a":1}' }),
    status: 400,
    error: 'invalid_request',
  },
  {
    who: 'whose token is endless',
    sends: () => bearer(`${'a'.repeat(8000)}.${'b'.repeat(8000)}.${'c'.repeat(2000)}`),
    status: 400,
    // Node reads no such header at all.
    or: 431,
  },
  {
    who: 'who signs by the algorithm none',
    sends: ({ issuer }) => forged(issuer, { alg: 'none', typ: 'at+jwt', kid: 'test-1' }, () => ''),
    status: 401,
  },
  {
    who: 'who signs by HS256 with the public key',
    sends: async ({ issuer }) => {
      const secret = JSON.stringify(await publishedKey(issuer));
      const signature = (text: string): string => createHmac('sha256', secret).update(text).digest('base64url');
      return forged(issuer, { alg: 'HS256', typ: 'at+jwt', kid: 'test-1' }, signature);
    },
    status: 401,
    error: 'invalid_token',
  },
  forger('who signs by a key of its own under a known kid', { alg: 'ES256', kid: 'test-1' }, byOwnKey),
  forger('who signs by a key of its own that the token has (jwk)', { alg: 'ES256', jwk: ownJwk }, byOwnKey),
  forger('whose kid is a path', { alg: 'ES256', kid: '../../dev/null' }, byOwnKey),
  forger('whose token says where its keys are (jku)', { alg: 'ES256', jku: 'https://evil.example/jwks' }, byOwnKey),
  forger('whose token says where its certificate is (x5u)', { alg: 'ES256', x5u: 'https://evil.example/c' }, byOwnKey),
  issued('whose token is for another resource', { audience: 'https://other.example/mcp' }),
  issued('whose token is for a sibling path', { audience: `${resource}2` }),
  issued('whose token is for nobody', { claims: { aud: undefined } }),
  issued('whose token is of another issuer', { claims: { iss: 'https://evil.example' } }),
  issued('whose token has expired', { expiresIn: -60 }),
  issued('whose token never ends', { claims: { exp: undefined } }),
  issued('whose token is not valid yet', () => ({ claims: { nbf: now() + 300 } })),
  issued('whose token is a proof', { header: { typ: 'dpop+jwt' } }),
  issued('whose token is an ID-JAG', { header: { typ: 'oauth-id-jag+jwt' } }),
  issued('whose token ends a session', { header: { typ: 'logout+jwt' } }),
  issued('whose token is an ID token', { header: { typ: 'JWT' }, claims: { nonce: 'x', scope: undefined } }),
  {
    who: 'who sends a bound token as Bearer',
    sends: ({ bound }) => bearer(bound),
    status: 401,
    error: 'invalid_token',
  },
  {
    who: 'who sends a bound token as Bearer, with its proof',
    sends: async ({ bound, prove }) => ({ ...bearer(bound), dpop: await prove() }),
    status: 401,
    error: 'invalid_token',
  },
  {
    who: 'who proves a key for a token that is not bound',
    sends: async ({ issuer, prove }) => ({ authorization: `DPoP ${await issuer.issue()}`, dpop: await prove() }),
    status: 401,
    error: 'invalid_token',
  },
  {
    who: 'who proves nothing',
    sends: ({ bound }) => ({ authorization: `DPoP ${bound}` }),
    status: 401,
    error: 'invalid_dpop_proof',
  },
  {
    who: 'who proves twice at once',
    sends: async ({ bound, prove }) => ({
      authorization: `DPoP ${bound}`,
      dpop: `${await prove()}, ${await prove()}`,
    }),
    status: 401,
    error: 'invalid_dpop_proof',
  },
  replayer('who uses a proof again here', 'this'),
  replayer('who uses a proof again that another node has seen', 'another'),
  prover('whose proof is for another method', ({ method }) => ({
    claims: { htm: method === 'POST' ? 'GET' : 'POST' },
  })),
  prover('whose proof is for another path', { claims: { htu: 'https://mcp.example.com/other' } }),
  prover('whose proof is for another host', { claims: { htu: 'https://evil.example/mcp' } }),
  prover('whose proof is for another token', { claims: { ath: 'x' } }),
  prover('whose proof is by another key', { byAnother: true }, 'invalid_token'),
  prover('whose proof is old', () => ({ claims: { iat: now() - 400 } })),
  prover('whose proof is of later', () => ({ claims: { iat: now() + 400 } })),
  prover('whose proof has no id', { claims: { jti: undefined } }),
  prover('whose proof is of another type', { header: { typ: 'at+jwt' } }),
  prover('whose proof has a nonce of its own making', { claims: { nonce: 'abc' } }, 'use_dpop_nonce'),
  {
    who: 'whose proof is not signed',
    sends: ({ bound, method }) => {
      const claims = { jti: crypto.randomUUID(), htm: method, htu: resource, iat: now(), ath: 'x' };
      return {
        authorization: `DPoP ${bound}`,
        dpop: `${part({ alg: 'none', typ: 'dpop+jwt', jwk: ownJwk })}.${part(claims)}.AA`,
      };
    },
    status: 401,
    error: 'invalid_dpop_proof',
  },
];

/** Two keys, and a token that is bound to the first. */
async function boundBy(issuer: TestIssuer): Promise<Keys> {
  const [mine, other] = [await generateKeyPair('ES256'), await generateKeyPair('ES256')];
  const [jwk, otherJwk] = [await exportJWK(mine.publicKey), await exportJWK(other.publicKey)];
  const token = await issuer.issue({ subject: 'anna', claims: { cnf: { jkt: await calculateJwkThumbprint(jwk) } } });
  const ath = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(token))).toString('base64url');
  return {
    token,
    prove: async ({ method, path }, { claims = {}, header = {}, byAnother = false } = {}) => {
      const htu = new URL(path, resource);
      const said = { jti: crypto.randomUUID(), htm: method, htu: `${htu.origin}${htu.pathname}`, iat: now(), ath };
      return new SignJWT({ ...said, ...claims })
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: byAnother ? otherJwk : jwk, ...header } as never)
        .sign(byAnother ? other.privateKey : mine.privateKey);
    },
  };
}

interface Keys {
  readonly token: string;
  prove(at: { readonly method: string; readonly path: string }, wish?: ProofWish): Promise<string>;
}

const rpc = (method: string, params: object = {}, id = 7): object => ({ jsonrpc: '2.0', id, method, params });
const initialize = (revision: string): string =>
  JSON.stringify(
    rpc('initialize', { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'c', version: '1' } }),
  );
const who = rpc('tools/call', { name: 'who' });

/** Every place of a server at which a session of somebody, and a pair of HTTP+SSE, are open. */
async function placesOf(entrance: Entrance, token: string): Promise<{ places: readonly Place[]; pair: OpenStream }> {
  const session = async (revision: string): Promise<Fields> => {
    const opened = await entrance.send({ headers: bearer(token), body: initialize(revision) });
    assert.equal(opened.status, 200, opened.text);
    return { 'mcp-session-id': opened.headers['mcp-session-id'] ?? '' };
  };
  const [newer, batching] = [await session('2025-11-25'), await session('2025-03-26')];
  const pair = await entrance.stream({ path: '/sse', headers: bearer(token) });
  const messages = /^data: (\S+)$/m.exec(pair.first)?.[1] ?? '';
  const places: readonly Place[] = [
    { name: 'a request of 2026-07-28', wire: call('tools/call', { name: 'who' }) },
    {
      name: 'a subscription of 2026-07-28',
      wire: call('subscriptions/listen', { notifications: { toolsListChanged: true } }),
    },
    { name: 'the beginning of a session', wire: { body: initialize('2025-11-25') } },
    { name: 'a request in a session', wire: { headers: newer, body: JSON.stringify(who) } },
    {
      name: 'a notification in a session',
      wire: { headers: newer, body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }) },
    },
    { name: 'a batch', wire: { headers: batching, body: JSON.stringify([who, rpc('tools/list', {}, 8)]) } },
    { name: 'the stream of a session', wire: { method: 'GET', headers: newer } },
    { name: 'a stream that is taken up', wire: { method: 'GET', headers: { ...newer, 'last-event-id': 'x' } } },
    { name: 'the end of a session', wire: { method: 'DELETE', headers: newer } },
    { name: 'the stream of HTTP+SSE', wire: { method: 'GET', path: '/sse' } },
    { name: 'a request over HTTP+SSE', wire: { path: messages, body: JSON.stringify(who) } },
  ];
  return { places, pair };
}

interface Opened {
  readonly entrance: Entrance;
  readonly another: Entrance;
  readonly issuer: TestIssuer;
  readonly places: readonly Place[];
  readonly keys: Keys;
  /** Whom the handlers saw. */
  readonly seen: unknown[];
  close(): Promise<void>;
}

async function openAll(entry: Entry): Promise<Opened> {
  const issuer = testIssuer({ audience: resource });
  const seen: unknown[] = [];
  const server = createServer({ name: 's', version: '1' }, { onError: () => undefined });
  server.tool('who', {}, (_, { auth }) => void seen.push(auth?.subject));
  const replay = memoryReplay();
  const failures = { perSecond: 1_000_000, burst: 1_000_000 };
  const node = (): Promise<Entrance> => {
    const guarded = protect(server, { resource, ...issuer.options, dpop: { replay }, failures });
    return entry(guarded, { ssePair: { sse: '/sse', messages: '/messages' }, keepAliveIntervalMs: 0 });
  };
  const [entrance, another] = [await node(), await node()];
  const token = await issuer.issue({ subject: 'anna' });
  const { places, pair } = await placesOf(entrance, token);
  const close = async (): Promise<void> => {
    pair.leave();
    await Promise.all([entrance.close(), another.close()]);
  };
  return { entrance, another, issuer, places, keys: await boundBy(issuer), seen, close };
}

/** The same place with credentials, in a request that begins and ends nothing: no session has that id, and nobody takes no stream. */
function harmless({ wire: { body, ...wire } }: Place, fields: Fields): Wire {
  const headers = { ...fields, 'mcp-session-id': 'unknown', accept: 'application/json' };
  return { ...wire, headers, ...(body === undefined ? {} : { body: '{}' }) };
}

for (const [name, entry] of Object.entries(entries))
  describe(`adversaries at ${name}`, () => {
    let opened: Opened;
    before(async () => {
      opened = await openAll(entry);
    });
    after(() => opened.close());

    for (const { who: caller, sends, status, or, error } of callers)
      test(`${caller} gets in nowhere`, async () => {
        const { entrance, another, issuer, places, keys, seen } = opened;
        const before = seen.length;
        for (const place of places) {
          const { wire } = place;
          const at = { method: wire.method ?? (wire.body === undefined ? 'GET' : 'POST'), path: wire.path ?? '/mcp' };
          const sent = await sends({
            issuer,
            ...at,
            bound: keys.token,
            prove: (wish) => keys.prove(at, wish),
            use: (fields, node) => (node === 'this' ? entrance : another).send(harmless(place, fields)),
          });
          const answer = await entrance.send({ ...wire, headers: { ...wire.headers, ...sent } });
          assert.equal(answer.status, answer.status === or ? or : status, `${place.name}: ${answer.text}`);
          const challenges = parseChallenges(answer.headers['www-authenticate']);
          const errors = challenges.flatMap(({ parameters }) => parameters['error'] ?? []);
          if (error !== undefined) assert.ok(errors.includes(error), `${place.name}: ${errors.join()}`);
          assert.ok(
            challenges.every(({ parameters }) => parameters['resource_metadata'] !== undefined),
            place.name,
          );
          for (const secret of Object.values(sent).flatMap((text) =>
            text.split(/[ ,]+/).filter((one) => one.length > 20),
          ))
            assert.ok(!JSON.stringify(answer).includes(secret.slice(0, 200)), `${place.name} tells what it got`);
        }
        assert.equal(seen.length, before, 'no handler may run');
      });

    test('who has a token of its own gets nothing of the session of somebody else', async () => {
      const { entrance, issuer, places, seen } = opened;
      const eve = bearer(await issuer.issue({ subject: 'eve' }));
      const before = seen.length;
      const ofSession = places.filter(({ name: place }) => /session|batch|taken up|request over/.test(place));
      for (const { name: place, wire } of ofSession.filter(
        ({ wire }) => wire.headers?.['mcp-session-id'] !== undefined || wire.path?.startsWith('/messages') === true,
      )) {
        const answer = await entrance.send({ ...wire, headers: { ...wire.headers, ...eve } });
        assert.equal(answer.status, 404, `${place}: ${answer.text}`);
      }
      assert.equal(seen.length, before);
    });

    test('whoever is in their own session gets through everywhere, with a token and with a bound one', async () => {
      const { entrance, issuer, places, keys, seen } = opened;
      const before = seen.length;
      const anna = bearer(await issuer.issue({ subject: 'anna' }));
      const usable = places.filter(
        ({ wire }) =>
          wire.method !== 'DELETE' && typeof wire.body === 'string' && !wire.body.includes('subscriptions/listen'),
      );
      for (const { name: place, wire } of usable) {
        const at = { method: 'POST', path: wire.path ?? '/mcp' };
        const bound = { authorization: `DPoP ${keys.token}`, dpop: await keys.prove(at) };
        for (const fields of [anna, bound]) {
          const { status, text } = await entrance.send({ ...wire, headers: { ...wire.headers, ...fields } });
          assert.ok(status === 200 || status === 202, `${place}: ${status} ${text}`);
        }
      }
      assert.deepEqual(new Set(seen.slice(before)), new Set(['anna']));
    });
  });
