import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { peerPattern, trustedPattern } from './pattern.ts';

function count(source: string, text: string): { readonly found: boolean; readonly steps: number } {
  let steps = 0;
  const found = peerPattern(source)(text, (more) => {
    steps += more;
  });
  return { found, steps };
}

const sources = [
  '^a+b?$',
  '(a|b)*abb',
  'a{2,3}$',
  '^a{2}$',
  '^a{0}$',
  '^(?:a|ab)(?:c|bcd)$',
  '[^a-c]x',
  '\\bab\\b',
  'a\\Bb',
  '^(?!.*bb)[ab]+$',
  '(?=a)b|c',
  '^\\d+(?:\\.\\d+)?$',
  '^[\\w.]+@[\\w]+\\.a+$',
  '\\u0061\\x62',
  '^(?<name>a)+?b',
  '',
  '^$|c',
  'a||b',
  '(?:)*a',
  '(a*)*$',
  '^\\p{L}+$',
  '\\-a|\\@b',
  'é+',
  '^.$',
  'a{,2}',
];

test('a pattern of a peer finds what the engine of the platform finds', () => {
  for (const source of sources) {
    const native = trustedPattern(source);
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', 'b', 'c', 'd', 'x', '1', '.', '@', '-', ' ', '\n', 'é', '😀'),
          maxLength: 8,
        }),
        (text) => {
          assert.equal(
            count(source, text).found,
            native(text, () => undefined),
            JSON.stringify({ source, text }),
          );
        },
      ),
    );
  }
});

test('a pattern made to backtrack costs steps in proportion to the text', () => {
  for (const source of ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(x+x+)+y', '^(.*a){12}$', '\\s*\\s*\\s*\\s*$']) {
    const short = count(source, `${'a '.repeat(500)}!`).steps;
    const long = count(source, `${'a '.repeat(5000)}!`).steps;
    const alike = count(source, `${'a'.repeat(10_000)}!`).steps;
    assert.ok(long <= 11 * short, `${source}: ${short} steps became ${long}`);
    assert.ok(alike < 10_000 * 100, `${source}: ${alike} steps`);
  }
});

test('what cannot run in linear time is refused', () => {
  assert.throws(() => peerPattern('(a)\\1'), /has a reference to a group, which is not supported/);
  assert.throws(() => peerPattern('(?<x>a)\\k<x>'), /has a reference to a group/);
  assert.throws(() => peerPattern('(?<=a)b'), /has lookbehind/);
  assert.throws(() => peerPattern('(a{1000}){1000}'), /is too large/);
  assert.throws(() => peerPattern('('.repeat(50_000)), /is too large/);
  assert.throws(() => peerPattern(`${'('.repeat(2000)}a${')'.repeat(2000)}`), /is too large/);
  assert.equal(count(`${'('.repeat(100)}a${')'.repeat(100)}`, 'a').found, true);
  assert.throws(() => peerPattern('[a'), /is not a regular expression/);
});

test('patterns of our own may use all that the platform has', () => {
  assert.equal(
    trustedPattern('(?<=a)b')('ab', () => undefined),
    true,
  );
});
