import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from '../../server/server.ts';
import { createHttpHandler } from '../../transports/http/server/handler.ts';
import { resource } from '../../../../../test/support/guarded-entrance.ts';
import type { ProtectOptions } from './options.ts';
import { protect, type Guarded } from './protect.ts';

const issuers = ['https://login.example.com'];

function guard(options: object): Guarded {
  // What no compiler would take.
  return protect(createServer({ name: 's', version: '1' }), options as ProtectOptions);
}

const mistakes: readonly (readonly [what: string, options: object, says: RegExp])[] = [
  ['no resource', { issuers }, /resource must be the https: URL/],
  ['a resource of plain http', { resource: 'http://mcp.example.com/mcp', issuers }, /resource must be the https: URL/],
  ['a resource with a fragment', { resource: `${resource}#a`, issuers }, /resource must be/],
  ['a resource with a query', { resource: `${resource}?a`, issuers }, /resource must be/],
  ['a resource with a password', { resource: 'https://a:b@mcp.example.com/mcp', issuers }, /resource must be/],
  ['nobody who issues', { resource }, /protect needs issuers, or verify/],
  ['issuers beside verify', { resource, issuers, verify: () => undefined }, /protect needs issuers, or verify/],
  ['no issuers at all', { resource, issuers: [] }, /authorizationServers must name/],
  ['an issuer that is not a URL', { resource, issuers: ['login'] }, /an issuer is a URL/],
  ['an issuer by plain http', { resource, issuers: ['http://login.example.com'] }, /an issuer is an https: URL/],
  ['an issuer of another kind', { resource, issuers: ['ftp://127.0.0.1'] }, /an issuer is an https: URL/],
  ['an issuer with a query', { resource, issuers: ['https://login.example.com/?a'] }, /an issuer is a URL/],
  ['verify without a place to sign in', { resource, verify: () => undefined }, /authorizationServers must name/],
  ['no audience', { resource, issuers, audience: [] }, /audience must name the audience of tokens/],
  ['an empty audience', { resource, issuers, audience: '' }, /audience must name/],
  [
    'an issuer without an audience',
    { resource, issuers: [{ issuer: issuers[0], audience: [] }] },
    /audience must name/,
  ],
  ['a claim without a name', { resource, issuers, audienceClaim: '' }, /audienceClaim must be/],
  [
    'a symmetric algorithm',
    { resource, issuers: [{ issuer: issuers[0], algorithms: ['HS256'] }] },
    /algorithms may hold/,
  ],
  ['no algorithm', { resource, issuers: [{ issuer: issuers[0], algorithms: ['none'] }] }, /algorithms may hold/],
  [
    'introspection without a secret',
    { resource, issuers: [{ issuer: issuers[0], introspection: { clientId: 'a' } }] },
    /introspection needs/,
  ],
  ['scopes with spaces', { resource, issuers, scopes: ['a b'] }, /scopes must be a list/],
  ['an unknown option', { resource, issuer: issuers }, /the nearest is issuers/],
  ['an unknown option of an issuer', { resource, issuers: [{ issuer: issuers[0], jwksUrl: 'x' }] }, /jwksUri/],
  ['a short key for nonces', { resource, issuers, dpop: { nonceKey: new Uint8Array(8) } }, /at least 32 bytes/],
  ['a symmetric proof', { resource, issuers, dpop: { algorithms: ['HS256'] } }, /dpop.algorithms may hold/],
  ['an unknown limit of failures', { resource, issuers, failures: { persecond: 1 } }, /the nearest is perSecond/],
  ['a limit that is no number', { resource, issuers, failures: { burst: Number.NaN } }, /failures.burst must be/],
  ['a limit below nothing', { resource, issuers, failures: { perSecond: -1 } }, /failures.perSecond must be/],
  ['unknown rules of the network', { resource, issuers, network: { allowed: [] } }, /the nearest is allow/],
  ['metadata that are none', { resource, issuers, metadata: 'x' }, /metadata needs an object/],
  ['one method in place of a list', { resource, issuers, anonymous: 'tools/list' }, /anonymous must be a list/],
  ['scopes that imply no list', { resource, issuers, implies: { a: 'b' } }, /implies\["a"\] must be a list of scopes/],
  ['keys that are nowhere', { resource, issuers: [{ issuer: issuers[0], jwksUri: 'jwks' }] }, /jwksUri must be/],
  [
    'one alias in place of a list',
    { resource, issuers: [{ issuer: issuers[0], issuerAliases: 'a' }] },
    /issuerAliases must be a list/,
  ],
  ['a resource with an empty fragment', { resource: `${resource}#`, issuers }, /resource must be/],
  ['a principal that is no function', { resource, issuers, principal: 'sub' }, /principal/],
];

for (const [what, options, says] of mistakes)
  test(`protect refuses ${what}`, () => {
    assert.throws(() => guard(options), says);
    assert.throws(() => guard(options), TypeError);
  });

test('protect takes a server on this machine by plain http', () => {
  for (const own of ['http://127.0.0.1:3000/mcp', 'http://localhost/mcp', 'http://[::1]:3000'])
    assert.ok(guard({ resource: own, issuers }));
});

test('what is protected is not protected again, and takes no authenticate', () => {
  const guarded = guard({ resource, issuers });
  assert.throws(() => protect(guarded, { resource, issuers }), /protected already/);
  assert.throws(() => createHttpHandler(guarded, { authenticate: () => ({ principal: 'x' }) }), /not both/);
});

test('audiences: who takes tokens of others is told so [auth-122]', () => {
  assert.throws(
    () => guard({ resource, issuers, audience: [] }),
    /a server that accepts tokens for others accepts any token/,
  );
});
