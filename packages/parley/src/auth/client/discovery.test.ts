/** Discovery at a server that publishes no resource metadata, with endpoints that the option `servers` names. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AuthorizationError } from '../common/errors.ts';
import { discoverServer, type Discovered } from './discovery.ts';
import { siteOf } from './site.ts';

/** Discovers the authorization server of a host where every document is missing, or is the given metadata. */
async function discovered(servers: Record<string, Record<string, unknown>>, metadata?: object): Promise<Discovered> {
  const bound = {
    url: new URL('https://h.example/mcp'),
    atRoot: {},
    fetch: async (url: string) =>
      metadata !== undefined && url.includes('oauth-authorization-server')
        ? Response.json(metadata)
        : new Response('', { status: 404 }),
  };
  const signal = new AbortController().signal;
  return await discoverServer(siteOf(bound, { servers }), { resourceMetadata: undefined }, signal);
}

async function reasonOf(...given: Parameters<typeof discovered>): Promise<string> {
  try {
    const { server } = await discovered(...given);
    return `found ${server.tokenEndpoint}`;
  } catch (error) {
    assert.ok(error instanceof AuthorizationError, String(error));
    return error.reason;
  }
}

const origin = 'https://h.example';
const endpoints = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
  'device_authorization_endpoint',
];

test('without metadata the endpoints are those of 2025-03-26, or those that the options name', async () => {
  assert.equal(await reasonOf({}), 'found https://h.example/token');
  const own = { [origin]: { token_endpoint: 'https://login.example/token' } };
  assert.equal(await reasonOf(own), 'found https://login.example/token');
});

for (const endpoint of endpoints)
  test(`${endpoint} must not be http: or in an inner network, whoever names it`, async () => {
    for (const [url, reason] of [
      ['http://login.example/x', 'insecure-url'],
      ['https://10.0.0.5/x', 'address-refused'],
    ] as const) {
      assert.equal(await reasonOf({ [origin]: { [endpoint]: url } }), reason);
      assert.equal(await reasonOf({}, { issuer: origin, token_endpoint: `${origin}/t`, [endpoint]: url }), reason);
    }
  });

test('metadata of another issuer are refused, whoever names it', async () => {
  assert.equal(await reasonOf({ [origin]: { issuer: 'https://login.example' } }), 'issuer-mismatch');
  assert.equal(await reasonOf({}, { issuer: 'https://login.example' }), 'issuer-mismatch');
});
