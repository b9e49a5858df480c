/** Tokens that are got in exchange for a caller's, for requests that need other ones at the same time. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../../../test/support/raw.ts';
import type { AuthorizedAnswer, AuthorizedRequest, Authorizer } from '../../auth/common/authorizer.ts';
import { AuthorizationError } from '../../auth/common/errors.ts';
import type { AuthInfo, ExchangedToken, TokenExchangeRequest } from '../../server/runtime/request-handler.ts';
import type { ExchangeUpstream } from './exchange-options.ts';
import { exchanged } from './exchanged.ts';

/** One exchange that was begun, and its end. */
interface Begun {
  readonly scopes: readonly string[];
  /** What it asks for beside the scopes. */
  readonly wanted: TokenExchangeRequest;
  end(outcome: 'given' | 'refused'): void;
}

interface Exchanging {
  readonly authorizer: Authorizer;
  readonly begun: Begun[];
  readonly request: () => AuthorizedRequest;
}

function exchanging({
  expiresAt = 1e9,
  now = () => 0,
  options = {},
}: { expiresAt?: number | null; now?: () => number; options?: Partial<ExchangeUpstream> } = {}): Exchanging {
  const begun: Begun[] = [];
  const exchange = ({ scopes = [], ...wanted }: TokenExchangeRequest): Promise<ExchangedToken> =>
    new Promise((resolve, reject) => {
      const token = {
        token: `${begun.length} ${scopes.join(' ')}`,
        type: 'Bearer',
        scopes,
        expiresAt: expiresAt ?? undefined,
      } as const;
      const refused = new AuthorizationError('insufficient-scope', 'not for this caller');
      begun.push({ scopes, wanted, end: (outcome) => (outcome === 'given' ? resolve(token) : reject(refused)) });
    });
  const caller: AuthInfo = { principal: 'ann', exchange };
  const url = new URL('https://mcp.example.com/mcp');
  const authorizer = exchanged({ as: 'exchange', ...options }, { latest: caller }, now).bind({ url, fetch });
  const request = (): AuthorizedRequest => ({
    url,
    method: 'POST',
    about: {},
    caller,
    mayAsk: true,
    tried: new Set(),
    signal: new AbortController().signal,
    waiting: () => undefined,
  });
  return { authorizer, begun, request };
}

function wants(scope: string): AuthorizedAnswer {
  const header = `Bearer error="insufficient_scope", scope="${scope}"`;
  return { status: 403, header: (name) => (name === 'www-authenticate' ? header : undefined) };
}

test('a token whose end is not known is used until it is refused, and for a minute at most', async () => {
  let now = 1_000_000;
  const { authorizer, begun, request } = exchanging({ expiresAt: null, now: () => now });
  const both = [1, 2].map(async () => await authorizer.headers(request()));
  begun[0]?.end('given');
  const [sent, other] = await Promise.all(both);
  assert.deepEqual(sent, other);
  now += 59_999;
  assert.deepEqual(await authorizer.headers(request()), sent);
  assert.equal(begun.length, 1);
  const again = authorizer.refused(request(), { status: 401, header: () => undefined }, sent ?? {});
  begun[1]?.end('given');
  assert.equal(await again, true);
  now += 59_999;
  assert.deepEqual(await authorizer.headers(request()), { authorization: 'Bearer 1 ' });
  now += 1;
  const renewed = authorizer.headers(request());
  begun[2]?.end('given');
  assert.deepEqual(await renewed, { authorization: 'Bearer 2 ' });
  assert.equal(begun.length, 3);
});

test('requests that want other scopes at once each get them', async () => {
  const { authorizer, begun, request } = exchanging();
  const first = authorizer.headers(request());
  begun[0]?.end('given');
  const sent = await first;
  const [one, other] = ['a', 'b'].map((scope) => authorizer.refused(request(), wants(scope), sent));
  begun[1]?.end('given');
  assert.equal(await one, true);
  await settle();
  begun[2]?.end('given');
  assert.equal(await other, true);
  assert.deepEqual(
    begun.map(({ scopes }) => scopes),
    [[], ['a'], ['a', 'b']],
  );
  assert.deepEqual(await authorizer.headers(request()), { authorization: 'Bearer 2 a b' });
});

test('scopes that a caller does not get are in the way of none of its other requests', async () => {
  const { authorizer, begun, request } = exchanging();
  const first = authorizer.headers(request());
  begun[0]?.end('given');
  const sent = await first;
  const step = authorizer.refused(request(), wants('a'), sent);
  const unauthorized: AuthorizedAnswer = { status: 401, header: () => undefined };
  const again = authorizer.refused(request(), unauthorized, sent);
  const refused = assert.rejects(step, /not for this caller/);
  begun[1]?.end('refused');
  await refused;
  await settle();
  begun[2]?.end('given');
  assert.equal(await again, true);
  assert.deepEqual(begun[2]?.scopes, []);
});

/** A caller with a token, and what the upstream says of it. */
async function refusing() {
  const scene = exchanging();
  const first = scene.authorizer.headers(scene.request());
  scene.begun[0]?.end('given');
  return { ...scene, sent: await first };
}

const unauthorized: AuthorizedAnswer = { status: 401, header: () => undefined };

test('a request whose token is refused is sent again once with a new one', async () => {
  const { authorizer, begun, request, sent } = await refusing();
  const one = request();
  const again = authorizer.refused(one, unauthorized, sent);
  begun[1]?.end('given');
  assert.equal(await again, true);
  assert.deepEqual(
    begun.map(({ wanted }) => wanted.fresh),
    [undefined, true],
  );
  // A request that was sent with the older token takes the newer one.
  const other = request();
  assert.equal(await authorizer.refused(other, unauthorized, sent), true);
  assert.equal(await authorizer.refused(other, unauthorized, sent), false);
  const newest = await authorizer.headers(request());
  await assert.rejects(authorizer.refused(one, unauthorized, newest), {
    name: 'AuthorizationError',
    reason: 'server-error',
    message: 'the upstream refuses a token that the authorization server has just given for it',
  });
  assert.equal(begun.length, 2);
});

test('a request that lacks scopes is sent again once with them', async () => {
  const { authorizer, begun, request, sent } = await refusing();
  const one = request();
  const more = authorizer.refused(one, wants('a b'), sent);
  begun[1]?.end('given');
  assert.equal(await more, true);
  const newest = await authorizer.headers(request());
  await assert.rejects(authorizer.refused(one, wants('c d'), newest), {
    reason: 'insufficient-scope',
    message: 'the upstream refuses a token with the scopes c d that the authorization server has just given for it',
  });
  await assert.rejects(authorizer.refused(request(), wants(''), newest), { reason: 'insufficient-scope' });
  // Another request of this caller has got the first two meanwhile, but not a third.
  assert.equal(await authorizer.refused(request(), wants('b'), sent), true);
  assert.equal(begun.length, 2);
  const third = authorizer.refused(request(), wants('c'), sent);
  begun[2]?.end('given');
  assert.equal(await third, true);
  assert.deepEqual(begun[2]?.scopes, ['a', 'b', 'c']);
});

test('another refusal is left to the caller', async () => {
  const { authorizer, begun, request, sent } = await refusing();
  for (const [status, header] of [
    [403, undefined],
    [403, 'Bearer error="invalid_token"'],
    [403, 'Basic error="insufficient_scope", scope="a"'],
    [400, 'Bearer error="insufficient_scope", scope="a"'],
  ] as const)
    assert.equal(await authorizer.refused(request(), { status, header: () => header }, sent), false);
  assert.equal(begun.length, 1);
});

test('a token is for the URL of the upstream, or for what the options name', async () => {
  const [url, audience, resource] = ['https://mcp.example.com/mcp', 'files', 'https://files.example/'];
  for (const [options, wanted] of [
    [{}, { resource: url }],
    [{ audience }, { audience }],
    [{ resource }, { resource }],
    [
      { audience, resource },
      { audience, resource },
    ],
  ] as const) {
    const { authorizer, begun, request } = exchanging({ options: { ...options, scopes: ['s'] } });
    void authorizer.headers(request());
    assert.deepEqual([begun[0]?.wanted, begun[0]?.scopes], [wanted, ['s']]);
  }
});
