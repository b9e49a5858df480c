/** Tokens that the authorization server of an upstream gives for assertions, which are got in exchange for a caller's token. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorld, issuer, mcp } from '../../../../../test/support/authorization-world.ts';
import type { AuthInfo, TokenExchangeRequest } from '../../server/runtime/request-handler.ts';
import { asserted } from './asserted.ts';
import type { ExchangeUpstream } from './exchange-options.ts';

/** A server whose tokens are given for assertions, and callers whose tokens are exchanged for those. */
function scene(options: Partial<ExchangeUpstream> = {}) {
  const world = createWorld();
  const forms: Readonly<Record<string, unknown>>[] = [];
  world.laws.answers = {
    '/token': ({ body }) => {
      forms.push(body);
      const token = `for-${String(body['assertion'])}`;
      world.tokens.set(token, ['read']);
      return Response.json({ access_token: token, token_type: 'Bearer', expires_in: 3600 });
    },
  };
  const wanted: TokenExchangeRequest[] = [];
  const callerOf = (principal: string, clientId: string): AuthInfo => ({
    principal,
    clientId,
    exchange: async (request) => {
      wanted.push(request);
      return { token: `${principal}-${clientId}-${wanted.length}`, type: 'N_A', scopes: [], expiresAt: undefined };
    },
  });
  const callers: { latest: AuthInfo | undefined } = { latest: undefined };
  const enterprise = { client: { id: 'bridge', secret: 's' }, fetch: world.fetch, now: () => world.time };
  const authorization = asserted(enterprise, { as: 'exchange', ...options }, callers);
  const authorizer = authorization.bind({ url: new URL(mcp), fetch: world.fetch });
  const request = (caller?: AuthInfo) => ({
    url: new URL(mcp),
    method: 'POST',
    about: {},
    caller,
    mayAsk: true,
    tried: new Set<string>(),
    signal: new AbortController().signal,
    waiting: () => undefined,
  });
  const refusal = {
    status: 401,
    header: (name: string) => (name === 'www-authenticate' ? world.laws.challenge : undefined),
  };
  return { world, forms, wanted, callers, callerOf, authorization, authorizer, request, refusal };
}

test('each client of a person has a token of the upstream, by an assertion for its authorization server', async () => {
  for (const scopes of [undefined, ['read']]) {
    const { forms, wanted, callerOf, authorizer, request, refusal } = scene({ ...(scopes && { scopes }) });
    const tokens = new Map<string, string | undefined>();
    for (const caller of [callerOf('ann', 'app'), callerOf('ann', 'other')]) {
      const attempt = request(caller);
      if (Object.keys(await authorizer.headers(attempt)).length === 0)
        assert.equal(await authorizer.refused(attempt, refusal, {}), true);
      const { authorization } = await authorizer.headers(request(caller));
      tokens.set(`${caller.principal} ${caller.clientId}`, authorization);
      authorizer.answered?.(attempt, { status: 200, header: () => undefined });
      assert.deepEqual(await authorizer.headers(request(caller)), { authorization });
    }
    assert.deepEqual(
      [...tokens],
      [
        ['ann app', 'Bearer for-ann-app-1'],
        ['ann other', 'Bearer for-ann-other-2'],
      ],
    );
    const about = { type: 'id-jag', audience: issuer, resource: mcp, fresh: true };
    assert.deepEqual(
      wanted,
      Array.from({ length: 2 }, () => (scopes === undefined ? about : { ...about, scopes })),
    );
    assert.deepEqual(
      forms.map(({ grant_type, client_id }) => [grant_type, client_id]),
      Array.from({ length: 2 }, () => ['urn:ietf:params:oauth:grant-type:jwt-bearer', 'bridge']),
    );
  }
});

test('a caller whose token cannot be exchanged is refused, whoever came before', async () => {
  const { callers, callerOf, authorization, authorizer, request, refusal } = scene();
  const { exchange: _, ...ann } = callerOf('ann', 'app');
  const attempt = request(ann);
  await assert.rejects(async () => {
    await authorizer.headers(attempt);
    await authorizer.refused(attempt, refusal, {});
  }, /the token of this caller cannot be exchanged: protect has exchange/);
  // Of a request of nobody, the latest caller is asked.
  callers.latest = callerOf('ann', 'other');
  const own = request();
  if (Object.keys(await authorizer.headers(own)).length === 0) await authorizer.refused(own, refusal, {});
  assert.match((await authorizer.headers(request()))['authorization'] ?? '', /^Bearer for-ann-other/);
  assert.equal(authorization.context(), 'asserted');
});
