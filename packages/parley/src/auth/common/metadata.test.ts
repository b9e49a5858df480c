import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AuthorizationError } from './errors.ts';
import { readResourceMetadata, readServerMetadata } from './metadata.ts';

const where = 'https://h.example/metadata';

test('metadata of a resource are read byte for byte, and what is of another type is absent', () => {
  const read = readResourceMetadata(
    {
      resource: 'https://H.example',
      authorization_servers: ['https://as.example', 7, 'no url'],
      scopes_supported: ['a', 'b b', null],
      resource_name: null,
      dpop_bound_access_tokens_required: true,
    },
    where,
  );
  assert.equal(read.resource, 'https://H.example');
  assert.deepEqual(read.authorizationServers, ['https://as.example']);
  assert.deepEqual(read.scopesSupported, ['a', 'b']);
  assert.equal(read.name, undefined);
  assert.equal(read.dpopBoundAccessTokensRequired, true);
});

test('metadata of a server are read, and null is as absent', () => {
  const read = readServerMetadata(
    { issuer: 'https://as.example', token_endpoint: null, scopes_supported: 'a', grant_types_supported: ['x'] },
    where,
  );
  assert.equal(read.issuer, 'https://as.example');
  assert.equal(read.tokenEndpoint, undefined);
  assert.equal(read.scopesSupported, undefined);
  assert.deepEqual(read.grantTypesSupported, ['x']);
  assert.equal(read.isOpenIdProvider, false);
});

for (const value of [
  null,
  7,
  'x',
  [],
  {},
  { resource: 7, authorization_servers: ['https://as.example'] },
  { resource: 'https://h.example' },
  { resource: 'https://h.example', authorization_servers: [] },
  { resource: 'https://h.example', authorization_servers: 'https://as.example' },
])
  test(`${JSON.stringify(value)} are no metadata of a resource`, () => {
    assert.throws(
      () => readResourceMetadata(value, where),
      (error) => error instanceof AuthorizationError && error.reason === 'discovery',
    );
  });

test('whatever JSON comes, reading it gives metadata or one kind of error', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (value, field) => {
      for (const read of [readResourceMetadata, readServerMetadata])
        for (const given of [
          value,
          { issuer: field, resource: field, authorization_servers: field, scopes_supported: field },
        ])
          try {
            read(given, where);
          } catch (error) {
            assert.ok(error instanceof AuthorizationError);
          }
    }),
  );
});
