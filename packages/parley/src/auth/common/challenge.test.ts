import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatChallenge, parseChallenges, type Challenge } from './challenge.ts';

const given: readonly (readonly [string, readonly Challenge[]])[] = [
  ['Bearer', [{ scheme: 'bearer', parameters: {} }]],
  ['Bearer realm="x"', [{ scheme: 'bearer', parameters: { realm: 'x' } }]],
  [
    'bEaReR Scope="a b" , ERROR=invalid_token',
    [{ scheme: 'bearer', parameters: { scope: 'a b', error: 'invalid_token' } }],
  ],
  [
    'DPoP algs="ES256 PS256", error="use_dpop_nonce", Bearer scope=a, Basic realm="r"',
    [
      { scheme: 'dpop', parameters: { algs: 'ES256 PS256', error: 'use_dpop_nonce' } },
      { scheme: 'bearer', parameters: { scope: 'a' } },
      { scheme: 'basic', parameters: { realm: 'r' } },
    ],
  ],
  [
    'Negotiate, Bearer a="1"',
    [
      { scheme: 'negotiate', parameters: {} },
      { scheme: 'bearer', parameters: { a: '1' } },
    ],
  ],
  [
    'NTLM TlRMTVNTUAAB=, Bearer a=1',
    [
      { scheme: 'ntlm', token68: 'TlRMTVNTUAAB=', parameters: {} },
      { scheme: 'bearer', parameters: { a: '1' } },
    ],
  ],
  [String.raw`Bearer a="q\"u\\o, te"`, [{ scheme: 'bearer', parameters: { a: 'q"u\\o, te' } }]],
  ['Bearer a=""', [{ scheme: 'bearer', parameters: { a: '' } }]],
  ['Bearer a="1", a="2"', [{ scheme: 'bearer', parameters: { a: '1' } }]],
  [
    'Bearer resource_metadata=https://h.example/.well-known/oauth-protected-resource/mcp',
    [
      {
        scheme: 'bearer',
        parameters: { resource_metadata: 'https://h.example/.well-known/oauth-protected-resource/mcp' },
      },
    ],
  ],
  ['Bearer error = "x" ; Bearer b=1', [{ scheme: 'bearer', parameters: { error: 'x' } }]],
  [
    'Bearer __proto__="x"',
    [{ scheme: 'bearer', parameters: JSON.parse('{"__proto__":"x"}') as Record<string, string> }],
  ],
  ['', []],
  [' , ,, ', []],
  ['"never ends', []],
];

for (const [header, challenges] of given)
  test(`the challenges of ${JSON.stringify(header)} are read [auth-028]`, () => {
    assert.deepEqual(parseChallenges(header), challenges);
  });

test('a header that is not there, or is too long, has no challenges', () => {
  assert.deepEqual(parseChallenges(undefined), []);
  assert.deepEqual(parseChallenges(null), []);
  assert.deepEqual(parseChallenges(`Bearer a="${'x'.repeat(20_000)}"`), []);
});

test('no header whatever makes the parser throw, or read without end', () => {
  const piece = fc.constantFrom(
    'Bearer',
    'DPoP',
    ' ',
    ',',
    '=',
    '"',
    '\\',
    'a',
    '\t',
    ';',
    'é',
    '\u0000',
    'token68==',
    '"q"',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
      ),
      (header) => {
        for (const { scheme, parameters } of parseChallenges(header)) {
          assert.match(scheme, /^[a-z0-9!#$%&'*+\-.^_`|~]+$/);
          for (const value of Object.values(parameters)) assert.equal(typeof value, 'string');
        }
      },
    ),
  );
});

test('reading takes a time in proportion to the header, whatever it holds', () => {
  for (const piece of ['a', ',', '"', '\\"', 'a=', 'a ', '= ', 'a="', '\t,'])
    assert.ok(parseChallenges(piece.repeat(Math.floor(16_000 / piece.length))).length <= 32);
});

test('what is written is read back as it was, several challenges together too', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,10}$/);
  const value = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    maxLength: 30,
  });
  const challenge = fc.record(
    {
      scheme: name,
      parameters: fc.dictionary(name, value, { minKeys: 1, maxKeys: 5, noNullPrototype: true }),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.array(challenge, { maxLength: 4 }), (challenges) => {
      const header = challenges.map(({ scheme, parameters }) => formatChallenge(scheme, parameters)).join(', ');
      assert.deepEqual(parseChallenges(header), challenges);
    }),
  );
});

test('what may not stand in a header is not written', () => {
  assert.equal(formatChallenge('Bearer', { a: 'x\r\ny: é', b: undefined }), 'Bearer a="x??y: ?"');
  assert.equal(formatChallenge('Bearer', {}), 'Bearer');
});
