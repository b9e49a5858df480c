import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { addressBehind, type TrustedProxies } from './trusted-proxies.ts';

const proxies: TrustedProxies = { addresses: ['10.0.0.0/8', '127.0.0.1', 'fd00::/8'], header: 'x-forwarded-for' };

/** Finds the client of a request that came from a peer with the lines of headers, by name. */
function clientOf(
  peer: string | undefined,
  lines: readonly (readonly [name: string, value: string])[],
  given: TrustedProxies = proxies,
): string | undefined {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: peer });
  const message = new IncomingMessage(socket);
  message.rawHeaders.push(...lines.flat());
  return addressBehind(given)?.(message);
}

describe('The client is the first that is not trusted, from the end', () => {
  for (const [what, peer, value, wanted] of [
    ['behind one proxy', '10.0.0.1', '192.0.2.1', '192.0.2.1'],
    ['behind two', '10.0.0.1', '192.0.2.1, 10.0.0.2', '192.0.2.1'],
    ['behind one that IPv6 maps', '::ffff:10.0.0.1', '192.0.2.1', '192.0.2.1'],
    ['behind one of IPv6', 'fd12::1', '2001:DB8::1', '2001:db8::1'],
    ['before what it claims', '10.0.0.1', '198.51.100.1, 127.0.0.1, 192.0.2.1', '192.0.2.1'],
    ['a trusted one that nobody spoke for', '10.0.0.1', '', '10.0.0.1'],
    ['inside, where all are trusted', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['the proxy, where it hides him', '10.0.0.1', '192.0.2.1, unknown', '10.0.0.1'],
    ['the outer proxy, where that hides him', '10.0.0.1', '192.0.2.1, garbage, 10.0.0.2', '10.0.0.2'],
    ['the peer, who is not trusted', '192.0.2.7', '198.51.100.1', '192.0.2.7'],
    ['a peer of IPv6 with a zone', 'fe80::1%eth0', '198.51.100.1', 'fe80::1'],
    ['on this machine, as a proxy of it says', '127.0.0.1', '127.0.0.1', '127.0.0.1'],
    ['no loopback of another machine', '10.0.0.1', '127.0.0.1', '10.0.0.1'],
    ['no mapped loopback of another machine', '10.0.0.1', '::ffff:127.0.0.9', '10.0.0.1'],
    ['not known, where the connection has no address', undefined, '192.0.2.1', undefined],
  ] as const)
    test(what, () => assert.equal(clientOf(peer, [['X-Forwarded-For', value]]), wanted));
});

test('only the header that was chosen is looked at, in all of its lines and spellings', () => {
  const lines = [
    ['x-forwarded-FOR', '192.0.2.1'],
    ['Forwarded', 'for=192.0.2.2'],
    ['X-Real-IP', '192.0.2.4'],
    ['X-Forwarded-For', '10.0.0.9'],
  ] as const;
  assert.equal(clientOf('10.0.0.1', lines), '192.0.2.1');
  assert.equal(clientOf('10.0.0.1', lines, { ...proxies, header: 'forwarded' }), '192.0.2.2');
});

test('whoever is not trusted is who he is, whatever he sends', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('X-Forwarded-For', 'Forwarded'), fc.string())), (lines) => {
      assert.equal(clientOf('192.0.2.7', lines), '192.0.2.7');
    }),
  );
});

test('thousands of addresses that a stranger made up change nothing, and more than 32 are not followed', () => {
  const inner = Array.from({ length: 2000 }, (_, at) => `10.1.${at >> 8}.${at & 255}`).join(', ');
  assert.equal(clientOf('10.0.0.1', [['X-Forwarded-For', `${inner}, 192.0.2.1`]]), '192.0.2.1');
  assert.equal(clientOf('10.0.0.1', [['X-Forwarded-For', inner]]), `10.1.7.${2000 - 7 * 256 - 32}`);
});

describe('What trusts nobody, everybody or anything else is refused, with words that say what to write', () => {
  for (const [what, given, words] of [
    ['true', true, /trustedProxies must be such as \{ addresses: \['10\.0\.0\.7', .*header: .*, not true/],
    ['a list', ['10.0.0.1'], /must be such as \{ addresses: .*, not a list/],
    ['no header', { addresses: ['10.0.0.1'] }, /header must be 'x-forwarded-for' or 'forwarded', .*not undefined/],
    [
      'another header',
      { addresses: ['10.0.0.1'], header: 'x-real-ip' },
      /'x-forwarded-for' or 'forwarded'.*"x-real-ip"/,
    ],
    ['another option', { ...proxies, hops: 2 }, /trustedProxies has no option "hops"; it has addresses, header/],
    ['nobody', { ...proxies, addresses: [] }, /addresses must be a list .*, not an empty one/],
    ['one text', { ...proxies, addresses: '10.0.0.1' }, /addresses must be a list .*, not "10\.0\.0\.1"/],
    [
      'a name',
      { ...proxies, addresses: ['proxy.example'] },
      /has "proxy\.example", which is neither .* names are not resolved/,
    ],
    ['a number', { ...proxies, addresses: [7] }, /has 7, which is neither an address/],
    ['an address that is none', { ...proxies, addresses: ['10.0.0.256'] }, /has "10\.0\.0\.256", which is neither/],
    ['a mask', { ...proxies, addresses: ['10.0.0.0/255.0.0.0'] }, /has "10\.0\.0\.0\/255\.0\.0\.0", which is neither/],
    ['two lengths', { ...proxies, addresses: ['10.0.0.0/8/8'] }, /which is neither/],
    ['a length that is missing', { ...proxies, addresses: ['10.0.0.0/'] }, /which is neither/],
    ['a length of IPv6 for IPv4', { ...proxies, addresses: ['10.0.0.0/64'] }, /whose length is not within 0 and 32/],
    ['a length beyond IPv6', { ...proxies, addresses: ['fd00::/129'] }, /whose length is not within 0 and 128/],
    [
      'everybody',
      { ...proxies, addresses: ['0.0.0.0/0'] },
      /"0\.0\.0\.0\/0", which is everybody: any client could claim/,
    ],
    ['everybody of IPv6', { ...proxies, addresses: ['::/0'] }, /which is everybody/],
    ['everybody, mapped', { ...proxies, addresses: ['::ffff:0.0.0.0/96'] }, /which is everybody/],
  ] as const)
    test(what, () =>
      // The compiler would have said so.
      assert.throws(() => addressBehind(given as unknown as TrustedProxies), { name: 'TypeError', message: words }),
    );
});

test('the header may be written as proxies write it', () => {
  const given = { ...proxies, header: 'X-Forwarded-For' } as unknown as TrustedProxies;
  assert.equal(clientOf('10.0.0.1', [['x-forwarded-for', '192.0.2.1']], given), '192.0.2.1');
});

test('a range that is written as mapped is that of IPv4', () => {
  const given: TrustedProxies = { addresses: ['::ffff:172.16.0.0/108', '::ffff:192.0.2.9'], header: 'forwarded' };
  assert.equal(clientOf('172.31.0.1', [['Forwarded', 'for=198.51.100.1, for=192.0.2.9']], given), '198.51.100.1');
  assert.equal(clientOf('172.32.0.1', [['Forwarded', 'for=198.51.100.1']], given), '172.32.0.1');
});
