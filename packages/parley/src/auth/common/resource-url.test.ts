import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalResource, sameResource, speaksFor } from './resource-url.ts';
import { resourceMetadataPath, resourceMetadataUrls, serverMetadataUrls } from './well-known.ts';

const cases: readonly (readonly [string, string, boolean])[] = [
  ['https://h.example/mcp', 'https://h.example/mcp', true],
  ['https://h.example', 'https://h.example/mcp', true],
  ['https://h.example/', 'https://h.example/mcp', true],
  ['https://H.EXAMPLE:443/mcp', 'https://h.example/mcp', true],
  ['https://h.example/mcp/', 'https://h.example/mcp', true],
  ['https://h.example/a', 'https://h.example/a/b', true],
  ['https://h.example/mcp', 'https://h.example/mcp2', false],
  ['https://h.example/mcp/deeper', 'https://h.example/mcp', false],
  ['https://h.example/other', 'https://h.example/mcp', false],
  ['https://evil.example/mcp', 'https://h.example/mcp', false],
  ['https://h.example.evil.example/mcp', 'https://h.example/mcp', false],
  ['http://h.example/mcp', 'https://h.example/mcp', false],
  ['https://h.example:8443/mcp', 'https://h.example/mcp', false],
  ['https://h.example/mcp#x', 'https://h.example/mcp', false],
  ['https://h.example/mcp#', 'https://h.example/mcp', false],
  ['https://u@h.example/mcp', 'https://h.example/mcp', false],
  ['https://h.example/mcp?t=1', 'https://h.example/mcp?t=1', true],
  ['https://h.example/mcp?t=1', 'https://h.example/mcp?t=2', false],
  ['urn:example:mcp', 'https://h.example/mcp', false],
  ['mcp', 'https://h.example/mcp', false],
];

for (const [resource, server, fits] of cases)
  test(`metadata of ${resource} ${fits ? 'speak' : 'do not speak'} for ${server} [auth-041]`, () => {
    assert.equal(speaksFor(resource, new URL(server)), fits);
  });

test('a server is named without fragment, credentials, and a slash that is its whole path [auth-093] [auth-094] [auth-096]', () => {
  assert.equal(canonicalResource(new URL('HTTPS://U:P@H.example:443/#x')), 'https://h.example');
  assert.equal(canonicalResource(new URL('https://h.example/mcp?a=1')), 'https://h.example/mcp?a=1');
});

test('a server speaks for itself, and no server for one of another origin', () => {
  const url = fc.webUrl({ withQueryParameters: true }).map((text) => new URL(text));
  fc.assert(
    fc.property(url, url, (one, other) => {
      assert.equal(speaksFor(canonicalResource(one), one), true);
      if (one.origin !== other.origin) assert.equal(speaksFor(canonicalResource(one), other), false);
    }),
  );
});

test('resources are the same but for a slash at the end', () => {
  assert.equal(sameResource('https://h.example/mcp', 'https://h.example/mcp/'), true);
  assert.equal(sameResource('https://h.example/mcp', 'https://h.example/mcp2'), false);
});

test('resource metadata lie below the well-known path, that of the path first [auth-030]', () => {
  assert.deepEqual(resourceMetadataUrls(new URL('https://h.example/a/mcp')), [
    'https://h.example/.well-known/oauth-protected-resource/a/mcp',
    'https://h.example/.well-known/oauth-protected-resource',
  ]);
  assert.deepEqual(resourceMetadataUrls(new URL('https://h.example/')), [
    'https://h.example/.well-known/oauth-protected-resource',
  ]);
  assert.equal(resourceMetadataPath('/mcp/'), '/.well-known/oauth-protected-resource/mcp');
});

test('metadata of an issuer without path are looked for at two places [auth-036]', () => {
  const places = [
    'https://as.example/.well-known/oauth-authorization-server',
    'https://as.example/.well-known/openid-configuration',
  ];
  assert.deepEqual(serverMetadataUrls('https://as.example'), places);
  assert.deepEqual(serverMetadataUrls('https://as.example/'), places);
});

test('metadata of an issuer with a path are looked for at three places, and never at the root [auth-035]', () => {
  assert.deepEqual(serverMetadataUrls('https://as.example/t/1'), [
    'https://as.example/.well-known/oauth-authorization-server/t/1',
    'https://as.example/.well-known/openid-configuration/t/1',
    'https://as.example/t/1/.well-known/openid-configuration',
  ]);
  fc.assert(
    fc.property(fc.webUrl(), (issuer) => {
      const { origin, pathname } = new URL(issuer);
      for (const url of serverMetadataUrls(issuer)) {
        assert.equal(new URL(url).origin, origin);
        if (pathname !== '/') assert.ok(new URL(url).pathname.includes(pathname.replace(/\/$/, '')));
      }
    }),
  );
});
