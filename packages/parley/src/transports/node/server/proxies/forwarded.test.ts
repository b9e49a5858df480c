import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { canonicalAddress, forwardingHeaders, hopsOf, type ForwardingHeader } from './forwarded.ts';

const hops = (header: ForwardingHeader, ...lines: readonly string[]): readonly (string | undefined)[] => [
  ...hopsOf(header, lines),
];

describe('X-Forwarded-For is read from its end', () => {
  for (const [what, lines, wanted] of [
    ['one address', ['192.0.2.1'], ['192.0.2.1']],
    ['several', ['192.0.2.1, 192.0.2.2,192.0.2.3'], ['192.0.2.3', '192.0.2.2', '192.0.2.1']],
    ['several lines', ['192.0.2.1, 192.0.2.2', '192.0.2.3'], ['192.0.2.3', '192.0.2.2', '192.0.2.1']],
    ['IPv6 in any spelling', ['2001:DB8:0::1'], ['2001:db8::1']],
    ['IPv6 in brackets', ['[2001:db8::1], [2001:db8::2]:443'], ['2001:db8::2', '2001:db8::1']],
    ['a port', ['192.0.2.1:51234'], ['192.0.2.1']],
    ['a mapped address', ['::ffff:192.0.2.1, ::FFFF:c000:0202'], ['192.0.2.2', '192.0.2.1']],
    ['elements that are missing', [', ,192.0.2.1,, ', ''], ['192.0.2.1']],
    ['no address', ['unknown, _hidden, 192.0.2.1'], ['192.0.2.1', undefined, undefined]],
    [
      'numbers that only look like one',
      ['010.0.0.1, 1.2.3, 256.1.1.1, 1.2.3.4.5'],
      [undefined, undefined, undefined, undefined],
    ],
    ['a zone', ['fe80::1%eth0'], [undefined]],
    ['quotes, which it does not have', ['"192.0.2.1"'], [undefined]],
    ['a port that is none', ['192.0.2.1:http', '[::1]:123456'], [undefined, undefined]],
    ['brackets around IPv4', ['[192.0.2.1]'], [undefined]],
    ['something long', [`${'9'.repeat(10_000)}, 192.0.2.1`], ['192.0.2.1', undefined]],
    ['something long with an address at its end', [`${' '.repeat(10_000)}192.0.2.1`], [undefined]],
  ] as const)
    test(what, () => assert.deepEqual(hops('x-forwarded-for', ...lines), wanted));
});

describe('Forwarded is read as RFC 7239 writes it', () => {
  for (const [what, lines, wanted] of [
    ['one address', ['for=192.0.2.1'], ['192.0.2.1']],
    [
      'its examples',
      ['for="_gazonk"', 'For="[2001:db8:cafe::17]:4711"', 'for=192.0.2.60;proto=http;by=203.0.113.43'],
      ['192.0.2.60', '2001:db8:cafe::17', undefined],
    ],
    ['several elements', ['for=192.0.2.43, for=198.51.100.17'], ['198.51.100.17', '192.0.2.43']],
    ['a port, also one that is hidden', ['for="192.0.2.1:47011", for="192.0.2.2:_p"'], ['192.0.2.2', '192.0.2.1']],
    ['commas, semicolons and quotes within quotes', ['host="a,for=192.0.2.9;\\"";for=192.0.2.1'], ['192.0.2.1']],
    ['escapes', ['for="\\1\\92.0.2.1"'], ['192.0.2.1']],
    ['spaces around separators', ['for=192.0.2.1 ; proto=https ,\tfor=192.0.2.2'], ['192.0.2.2', '192.0.2.1']],
    ['elements and pairs that are missing', [', ;;for=192.0.2.1;, ,', ''], ['192.0.2.1']],
    ['an element that names nobody', ['for=192.0.2.1, proto=https'], [undefined, '192.0.2.1']],
    ['unknown', ['for=unknown'], [undefined]],
    ['IPv6 without brackets', ['for="2001:db8::1"'], [undefined]],
    ['an address twice', ['for=192.0.2.1;for=192.0.2.2'], [undefined]],
    ['a quote that is not closed', ['for="192.0.2.1, for=192.0.2.2'], [undefined]],
    [
      'a quote that is not closed before a line of its own',
      ['for="192.0.2.1', 'for=192.0.2.2'],
      ['192.0.2.2', undefined],
    ],
    ['no pair', ['192.0.2.1'], [undefined]],
    ['a colon without quotes', ['for=192.0.2.1:80'], [undefined]],
    ['spaces around the sign', ['for = 192.0.2.1'], [undefined]],
    ['text behind a quote', ['for="192.0.2.1"x'], [undefined]],
    ['a long line', [`for=192.0.2.1;x=${'y'.repeat(5000)}`, 'for=192.0.2.2'], ['192.0.2.2', undefined]],
  ] as const)
    test(what, () => assert.deepEqual(hops('forwarded', ...lines), wanted));
});

const four = fc.ipV4();
const six = fc.ipV6().filter((text) => canonicalAddress(text) !== undefined);
const anyText = fc.string({ unit: 'binary-ascii', maxLength: 200 });
/** Text as a stranger would choose it, of the signs that mean something. */
const sly = fc
  .array(fc.constantFrom('for=', 'by=', '"', '\\', ',', ';', ' ', '1.2.3.4', '[::1]', ':80', '_x', '='), {
    maxLength: 30,
  })
  .map((parts) => parts.join(''));
const stranger = fc.oneof(anyText, sly);

test('whatever arrives, what comes out is an address in its one spelling or nothing', () => {
  fc.assert(
    fc.property(fc.constantFrom(...forwardingHeaders), fc.array(stranger, { maxLength: 4 }), (header, lines) => {
      for (const hop of hops(header, ...lines))
        assert.ok(hop === undefined || canonicalAddress(hop) === hop, `${hop} of ${JSON.stringify(lines)}`);
    }),
    { numRuns: 2000 },
  );
});

test('what a proxy writes on a line of its own is read, whatever a stranger wrote before it', () => {
  fc.assert(
    fc.property(fc.array(stranger, { maxLength: 3 }), fc.oneof(four, six), (before, address) => {
      const quoted = address.includes(':') ? `"[${address}]:80"` : address;
      const wanted = canonicalAddress(address);
      assert.equal(hops('x-forwarded-for', ...before, address)[0], wanted);
      assert.equal(hops('forwarded', ...before, `for=${quoted};proto=https`)[0], wanted);
    }),
    { numRuns: 1000 },
  );
});

test('what a proxy adds to the line of a stranger is the last that is named, or the line names nobody', () => {
  fc.assert(
    fc.property(stranger, fc.oneof(four, six), (before, address) => {
      const wanted = canonicalAddress(address);
      assert.equal(hops('x-forwarded-for', `${before}, ${address}`)[0], wanted);
      const quoted = address.includes(':') ? `"[${address}]:80"` : address;
      const [last] = hops('forwarded', `${before}, for=${quoted};by="_a"`);
      assert.ok(last === wanted || last === undefined, `${last} of ${JSON.stringify(before)}`);
    }),
    { numRuns: 2000 },
  );
});

test('addresses come out of both headers as they were put in', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(four, six), { minLength: 1, maxLength: 20 }), (addresses) => {
      const wanted = addresses.map(canonicalAddress).toReversed();
      assert.deepEqual(hops('x-forwarded-for', addresses.join(', ')), wanted);
      const quoted = addresses.map((text) => (text.includes(':') ? `for="[${text}]"` : `FOR=${text}`));
      assert.deepEqual(hops('forwarded', quoted.join(',')), wanted);
    }),
  );
});

test('an address of IPv6 has one spelling, and one that maps IPv4 is that of IPv4', () => {
  fc.assert(
    fc.property(four, (address) => {
      assert.equal(canonicalAddress(`::ffff:${address}`), address);
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
      assert.equal(
        canonicalAddress(`0:0:0:0:0:FFFF:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`),
        address,
      );
    }),
  );
});

test('a line that goes wrong after many spaces is read in one go', () => {
  const line = `for=192.0.2.1,${' '.repeat(4_000)}x`;
  // What a busy machine leaves to others is none of it.
  const begun = process.cpuUsage();
  for (let at = 0; at < 100; at++) assert.deepEqual(hops('forwarded', line), [undefined]);
  const { user, system } = process.cpuUsage(begun);
  // Tried at each space anew, these took about two seconds.
  assert.ok(user + system < 500_000);
});
