import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addressBytes, innerRange, networkOf } from './address.ts';

/** The range of an address as a URL parser spells the host. */
function rangeOf(host: string): string | undefined {
  const bytes = addressBytes(new URL(`https://${host}/`).hostname);
  assert.ok(bytes, `${host} is no address`);
  return innerRange(bytes);
}

const inner: readonly (readonly [string, RegExp])[] = [
  ['127.0.0.1', /loopback/],
  ['127.255.255.254', /loopback/],
  ['127.1', /loopback/],
  ['2130706433', /loopback/],
  ['0x7f.0.0.1', /loopback/],
  ['0177.0.0.1', /loopback/],
  ['0x7f000001', /loopback/],
  ['017700000001', /loopback/],
  ['127.0.0.1.', /loopback/],
  ['0', /unspecified/],
  ['0.0.0.0', /unspecified/],
  ['10.1.2.3', /private/],
  ['172.16.0.1', /private/],
  ['172.31.255.255', /private/],
  ['192.168.1.1', /private/],
  ['100.64.0.1', /shared/],
  ['169.254.169.254', /link-local/],
  ['0xa9fea9fe', /link-local/],
  ['192.0.0.8', /reserved/],
  ['198.18.0.1', /reserved/],
  ['224.0.0.1', /multicast/],
  ['255.255.255.255', /reserved/],
  ['[::1]', /loopback/],
  ['[::]', /unspecified/],
  ['[0:0:0:0:0:0:0:1]', /loopback/],
  ['[::ffff:127.0.0.1]', /loopback/],
  ['[::ffff:a9fe:a9fe]', /link-local/],
  ['[::ffff:10.0.0.1]', /private/],
  ['[::127.0.0.1]', /loopback/],
  ['[64:ff9b::127.0.0.1]', /loopback/],
  ['[64:ff9b:1::10.0.0.1]', /private|reserved/],
  ['[2002:7f00:1::]', /loopback/],
  ['[2002:a9fe:a9fe::1]', /link-local/],
  ['[2001:0:4136:e378:8000:63bf:80ff:fffe]', /loopback/],
  ['[fc00::1]', /private/],
  ['[fd12:3456::1]', /private/],
  ['[fe80::1]', /link-local/],
  ['[febf::1]', /link-local/],
  ['[fec0::1]', /private/],
  ['[ff02::1]', /multicast/],
  ['[2001:db8::1]', /reserved/],
];

for (const [host, range] of inner)
  test(`${host} lies in an inner range [security-011]`, () => assert.match(rangeOf(host) ?? 'none', range));

for (const host of [
  '8.8.8.8',
  '172.15.0.1',
  '172.32.0.1',
  '100.63.255.255',
  '169.253.0.1',
  '192.169.0.1',
  '128.0.0.1',
  '11.0.0.1',
  '[2606:4700::1111]',
  '[::ffff:8.8.8.8]',
  '[2002:808:808::1]',
])
  test(`${host} lies in the open Internet`, () => assert.equal(rangeOf(host), undefined));

test('a zone does not hide an address', () => {
  assert.match(innerRange(addressBytes('fe80::1%eth0') ?? []) ?? '', /link-local/);
});

test('names are no addresses, nor is what only looks like one', () => {
  for (const text of [
    'example.com',
    '',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    ':::',
    '1::2::3',
    '12345::',
    '::1:2:3:4:5:6:7:8:9',
    'g::1',
    '[',
    '[]',
    '::ffff:1.2.3',
  ])
    assert.equal(addressBytes(text), undefined, text);
});

test('every IPv4 address has the range that it has mapped into IPv6', () => {
  fc.assert(
    fc.property(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)), (bytes) => {
      const plain = innerRange(bytes);
      const host = new URL(`https://[::ffff:${bytes.join('.')}]/`).hostname;
      assert.equal(innerRange(addressBytes(host) ?? []), plain);
    }),
  );
});

test('every IPv6 address is read as the URL parser spells it', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      const groups = Array.from({ length: 8 }, (_, at) =>
        (((bytes[at * 2] ?? 0) << 8) | (bytes[at * 2 + 1] ?? 0)).toString(16),
      );
      assert.deepEqual(addressBytes(new URL(`https://[${groups.join(':')}]/`).hostname), [...bytes]);
    }),
  );
});

test('addresses of IPv6 are one network by their first half, and those that hold one of IPv4 by that', () => {
  assert.equal(networkOf('2001:db8::1'), networkOf('2001:db8::ffff:2'));
  assert.equal(networkOf('fe80::1%eth0'), networkOf('fe80::2'));
  assert.equal(networkOf('2002:c000:201:1::1'), networkOf('2002:c000:201:2::2'));
  for (const same of ['::ffff:192.0.2.1', '64:ff9b::192.0.2.1', '64:ff9b::c000:201'])
    assert.equal(networkOf(same), '192.0.2.1');
  const others = ['2001:db8::1', '2001:db8:0:1::1', '::1', '64:ff9b::192.0.2.2', '192.0.2.1', 'no address', ':'];
  assert.equal(new Set(others.map((address) => networkOf(address))).size, others.length);
});
