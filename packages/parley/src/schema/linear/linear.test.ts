import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { lettersOf } from '../../../../../test/support/schema-fits.ts';
import { linearPattern } from './linear.ts';
import { Beyond } from './parse.ts';
import type { SearchBudget } from './scan.ts';

const free: SearchBudget = { spend: () => {} };

/** A purse that counts what is spent. */
function counting(): SearchBudget & { readonly spent: number } {
  let spent = 0;
  return {
    spend: (steps) => void (spent += steps),
    get spent() {
      return spent;
    },
  };
}

const characters = fc.constantFrom(...'ab1_- \n\u2028'.split(''), 'é', '😀', '\ud83d', '\ude00');
const text = fc.string({ unit: characters, maxLength: 7 });

/** Pieces that stand for a character, or for a place, in both syntaxes. */
const piece = fc.constantFrom(
  ...'a b 1 é . \\d \\D \\w \\W \\s \\S [ab] [^ab] [a-z1] [^] [] \\n \\x61 \\u00e9 \\cJ [\\]\\-] [\\b] ^ $ \\b \\B'.split(
    ' ',
  ),
);
const ofUnicode = fc.constantFrom(
  '😀',
  '\\u{1F600}',
  '\\ud83d\\ude00',
  '\\ud83d',
  '\\p{L}',
  '\\P{Lu}',
  '[^\\p{Script=Latin}]',
  '[😀é]',
);
const ofOldSyntax = fc.constantFrom('\\@', ']', '}', 'a{,2}', '\\u', '\\x1', '\\p{L}', '[\\w-.]', '[\\c]', '\\ud83d');
const quantifier = fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{2}', '{0}', '{0,1}', '{1,}', '{1,2}?');
const around = fc.constantFrom('(?=', '(?!', '(?<=', '(?<!');

const pattern = (pieces: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.letrec<{ part: string; whole: string }>((tie) => ({
    whole: fc
      .array(fc.array(tie('part'), { maxLength: 3 }), { minLength: 1, maxLength: 3 })
      .map((ways) => ways.map((way) => way.join('')).join('|')),
    part: fc.oneof(
      { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
      pieces,
      pieces,
      fc.tuple(tie('whole'), quantifier).map(([inner, sign]) => `(?:${inner})${sign}`),
      tie('whole').map((inner) => `(${inner})`),
      fc.tuple(around, tie('whole')).map(([opening, inner]) => `${opening}${inner})`),
    ),
  })).whole;

for (const [syntax, flag, pieces] of [
  ['of today', 'u', fc.oneof(piece, piece, ofUnicode)],
  ['of before Unicode', '', fc.oneof(piece, piece, ofOldSyntax)],
] as const)
  test(`a pattern in the syntax ${syntax} finds what the engine of the platform finds`, () => {
    fc.assert(
      fc.property(pattern(pieces), fc.array(text, { minLength: 4, maxLength: 12 }), (source, texts) => {
        // More is refused.
        fc.pre((source.match(/\(\?<?[=!]/g) ?? []).length <= 16);
        const native = new RegExp(source, flag);
        const linear = linearPattern(source, flag === 'u', 100_000);
        for (const one of texts) {
          const found = native.exec(one);
          // ECMAScript looks at code points; V8 also finds `(?![^]|\\b)` in the middle of one.
          if (flag === 'u' && found !== null && isWithinPair(one, found.index)) continue;
          assert.equal(linear.test(one, free), found !== null, JSON.stringify({ source, one }));
        }
      }),
      { numRuns: 2000 },
    );
  });

/** Whether a place in a text is between the two halves of one character. */
function isWithinPair(one: string, index: number): boolean {
  return index > 0 && (one.codePointAt(index - 1) ?? 0) > 0xffff;
}

const letters = 'a'.repeat(100_000);
const costly = [
  '(a+)+$',
  '^(a+)+$',
  '(a|a)*$',
  '(a|aa)+$',
  '^(.*a){12}$',
  '(?=(a+)+$)b',
  '(?<=^(a+)+)b',
  '(a*)*(a*)*!$',
  '(?:a?){50}a{50}$',
];

for (const source of costly)
  test(`${source} takes no more than its states for each of 100,000 characters`, () => {
    const { size, test: looksFor } = linearPattern(source, true, 1000);
    for (const one of [letters, `${letters}!`, `${letters}b`]) {
      const searchBudget = counting();
      assert.equal(typeof looksFor(one, searchBudget), 'boolean');
      assert.ok(searchBudget.spent <= (one.length + 1) * (size + 1), `${searchBudget.spent} steps`);
    }
  });

test('where the engine of the platform takes too long, an engine of automata finds the same', () => {
  const unit = fc.constantFrom('a', 'b', 'c');
  const chosen = fc.constantFrom(
    '^(a+)+$',
    '(a|a)*b$',
    '^(?:a|ab|abc)*$',
    '^(.*a){12}$',
    '(?:a?){20}b{20}',
    '\\b(?:[ab]+c?)*\\B',
  );
  fc.assert(
    fc.property(chosen, fc.string({ unit, minLength: 30, maxLength: 200 }), (source, one) => {
      const judge = RE2JS.compile(source);
      assert.equal(linearPattern(source, true, 1000).test(one, free), judge.test(one), JSON.stringify({ source, one }));
    }),
  );
});

test('a pattern whose sets of states are ever new is given up when nothing is left', () => {
  let left = 10_000;
  const spend = (steps: number): void => {
    left -= steps;
    if (left < 0) throw new RangeError('nothing left');
  };
  const many = lettersOf(1, 100_000);
  const { test: looksFor } = linearPattern('[ab]*a[ab]{500}c', true, 1000);
  assert.throws(() => looksFor(many, { spend }), RangeError);
  assert.equal(looksFor(`a${'b'.repeat(500)}c`, free), true);
});

test('texts of very many different characters are read like any other', () => {
  const { test: looksFor } = linearPattern('^\\p{L}+$', true, 100);
  const all = Array.from({ length: 20_000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('');
  assert.equal(looksFor(all, free), true);
  assert.equal(looksFor(`${all}1`, free), false);
  assert.equal(looksFor(all, free), true);
});

test('what has no meaning in linear time, or too many states, is refused', () => {
  for (const source of ['(a)\\1', '(?<x>a)\\k<x>', '(?i:a)', 'a{1001}', '((a{50}){50}){50}', '(?:){9007199254740991}'])
    assert.throws(() => linearPattern(source, true, 1000), Beyond, source);
  for (const source of ['\\1', '\\08', '(?=a)*b'])
    assert.throws(() => linearPattern(source, false, 1000), Beyond, source);
});
