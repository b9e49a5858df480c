import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AuthorizationError } from './errors.ts';
import { networkRules, type NetworkOptions } from './network.ts';

function reasonOf(server: string, url: string, options?: NetworkOptions): string | undefined {
  try {
    networkRules(new URL(server), options).check(url, 'the endpoint');
    return undefined;
  } catch (error) {
    assert.ok(error instanceof AuthorizationError);
    return error.reason;
  }
}

const open = 'https://mcp.example/mcp';

const cases: readonly (readonly [string, string, string, string | undefined, NetworkOptions?])[] = [
  ['another origin of the open Internet', open, 'https://login.example/token', undefined],
  ['plain http', open, 'http://login.example/token', 'insecure-url'],
  ['plain http of this machine for a server elsewhere', open, 'http://127.0.0.1/token', 'insecure-url'],
  ['a script', open, 'javascript:alert(1)', 'insecure-url'],
  ['a file', open, 'file:///etc/passwd', 'insecure-url'],
  ['data', open, 'data:application/json,{}', 'insecure-url'],
  ['no URL', open, '/token', 'insecure-url'],
  ['credentials in a URL', open, 'https://u:p@login.example/', 'insecure-url'],
  ['this machine for a server elsewhere', open, 'https://localhost/token', 'address-refused'],
  ['this machine by a name below localhost', open, 'https://a.localhost./token', 'address-refused'],
  ['the metadata of a cloud', open, 'https://169.254.169.254/latest', 'address-refused'],
  ['the same in one number', open, 'https://2852039166/latest', 'address-refused'],
  ['the same mapped into IPv6', open, 'https://[::ffff:169.254.169.254]/', 'address-refused'],
  ['a private address', open, 'https://10.0.0.1/', 'address-refused'],
  ['a host that is allowed', open, 'https://10.0.0.1/', undefined, { allow: ['10.0.0.1'] }],
  ['a name that is allowed, in other letters', open, 'https://LOCALHOST/', undefined, { allow: ['localhost'] }],
  ['the host of the server itself', 'https://10.0.0.1/mcp', 'https://10.0.0.1:8443/', undefined],
  ['another host in the range of the server', 'https://10.0.0.1/mcp', 'https://192.168.0.1/', undefined],
  ['another range than that of the server', 'https://10.0.0.1/mcp', 'https://169.254.169.254/', 'address-refused'],
  ['http of this machine for a server on it', 'http://localhost:3000/mcp', 'http://127.0.0.1:4000/token', undefined],
  [
    'http of this machine for a server on it by https',
    'https://localhost:3000/mcp',
    'http://127.0.0.1:4000/',
    'insecure-url',
  ],
  ['http elsewhere for a server on this machine', 'http://localhost:3000/mcp', 'http://login.example/', 'insecure-url'],
  [
    'a private address for a server on this machine',
    'http://localhost:3000/mcp',
    'https://10.0.0.1/',
    'address-refused',
  ],
];

for (const [what, server, url, reason, options] of cases)
  test(`${what} is ${reason === undefined ? 'reached' : 'refused'} [security-010] [security-011]`, () => {
    assert.equal(reasonOf(server, url, options), reason);
  });

test('a name may not resolve to an inner address, unless it is allowed [security-009]', () => {
  const rules = networkRules(new URL(open), { allow: ['inner.example'] });
  assert.equal(rules.mayConnect('login.example', '93.184.216.34'), true);
  for (const address of ['127.0.0.1', '10.0.0.1', '::1', '::ffff:10.0.0.1', 'fe80::1', 'no address'])
    assert.equal(rules.mayConnect('login.example', address), false, address);
  assert.equal(rules.mayConnect('inner.example', '10.0.0.1'), true);
});

test('an error names the host and not what is secret in the URL', () => {
  assert.throws(
    () => networkRules(new URL(open)).check('https://10.0.0.1/token?secret=hidden', 'the endpoint'),
    (error) => error instanceof Error && /10\.0\.0\.1/.test(error.message) && !/hidden/.test(error.message),
  );
});

test('an address of IPv6 is allowed with and without its brackets', () => {
  for (const allow of [['fd00::1'], ['[fd00::1]'], ['FD00:0::1']])
    networkRules(new URL('https://mcp.example/mcp'), { allow }).check('https://[fd00::1]/token', 'the token endpoint');
});

test('a name that is allowed is the one that URLs spell otherwise', () => {
  const rules = networkRules(new URL('https://mcp.example/mcp'), { allow: ['b\u00fccher.example'] });
  assert.equal(rules.mayConnect('xn--bcher-kva.example', '10.0.0.1'), true);
});
