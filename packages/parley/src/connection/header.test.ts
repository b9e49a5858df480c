import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ExactNumber } from '../json/exact-number.ts';
import { decodeHeaderValue, encodeHeaderValue, headerParametersOf, headerValueOf } from './header.ts';

describe('the text of a mirrored value', () => {
  const examples: readonly (readonly [title: string, value: string, text: string])[] = [
    ['plain ASCII travels as it is', 'us-west1', 'us-west1'],
    ['inner spaces travel as they are', 'a b', 'a b'],
    ['an empty value is empty text', '', ''],
    ['non-ASCII is encoded [http-093]', 'Grüße', '=?base64?R3LDvMOfZQ==?='],
    ['edge whitespace is encoded [http-093]', ' x ', '=?base64?IHgg?='],
    ['a line break is encoded [http-093]', 'a\nb', '=?base64?YQpi?='],
    ['what looks like the sentinel is encoded [http-094]', '=?base64?x?=', '=?base64?PT9iYXNlNjQ/eD89?='],
  ];
  for (const [title, value, text] of examples) {
    it(title, () => {
      assert.equal(encodeHeaderValue(value), text);
      assert.equal(decodeHeaderValue(text), value);
    });
  }

  it('any well-formed string survives the way there and back [C77]', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const text = encodeHeaderValue(value);
        assert.match(text, /^[\x20-\x7e\t]*$/);
        assert.equal(decodeHeaderValue(text), value);
      }),
    );
  });

  for (const broken of [
    'a\u0000b',
    'é',
    '=?base64?A?=',
    '=?base64?A A=?=',
    '=?base64?/w==?=',
    '=?base64?QQ=?=',
    '=?base64?QR==?=',
    '=?base64?QUJ=?=',
  ]) {
    it(`${JSON.stringify(broken)} stands for nothing`, () => assert.equal(decodeHeaderValue(broken), undefined));
  }
});

describe('x-mcp-header annotations', () => {
  const annotated = (type: unknown, name: unknown = 'Region') => ({ type, 'x-mcp-header': name });
  const schema = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

  it('are found on any depth of properties [C73]', () => {
    const nested = schema({ a: schema({ b: annotated('integer', 'B') }), c: annotated(['string', 'null'], 'C') });
    assert.deepEqual(headerParametersOf(nested), {
      parameters: [
        { name: 'B', path: ['a', 'b'] },
        { name: 'C', path: ['c'] },
      ],
      problems: [],
    });
  });

  it('are not read from data or from a property of that name', () => {
    const innocent = schema({
      'x-mcp-header': { type: 'string' },
      a: { type: 'object', default: { 'x-mcp-header': '' }, enum: [annotated('number')] },
    });
    assert.deepEqual(headerParametersOf(innocent), { parameters: [], problems: [] });
  });

  const invalid: readonly (readonly [title: string, schema: object])[] = [
    ['an empty name', schema({ a: annotated('string', '') })],
    ['a name that is no token', schema({ a: annotated('string', 'a b') })],
    ['a name with a line break', schema({ a: annotated('string', 'a\r\nb') })],
    ['a name that is no string', schema({ a: annotated('string', 1) })],
    ['a parameter of type number [C75]', schema({ a: annotated('number') })],
    ['a parameter of type object', schema({ a: annotated('object') })],
    ['a parameter without a type', schema({ a: annotated(undefined) })],
    ['a name used twice in other case', schema({ a: annotated('string', 'x'), b: annotated('string', 'X') })],
    ['the root itself', schema({}, { 'x-mcp-header': 'X' })],
    ['items of an array [C76]', schema({ a: { type: 'array', items: annotated('string') } })],
    ['a branch of oneOf', schema({}, { oneOf: [schema({ a: annotated('string') })] })],
    ['else', schema({}, { if: {}, else: schema({ a: annotated('string') }) })],
    ['a definition behind $ref', schema({ a: { $ref: '#/$defs/a' } }, { $defs: { a: annotated('string') } })],
    ['additionalProperties', schema({}, { additionalProperties: annotated('string') })],
  ];
  for (const [title, one] of invalid) {
    it(`on ${title} make the tool invalid [http-090]`, () => {
      const { problems } = headerParametersOf(one);
      assert.equal(problems.length, 1);
    });
  }

  it('of anything that is no schema are none', () => {
    for (const odd of [undefined, null, 'x', 1, []])
      assert.deepEqual(headerParametersOf(odd), { parameters: [], problems: [] });
  });
});

describe('the value of a mirrored argument', () => {
  const values: readonly (readonly [title: string, value: unknown, text: string | undefined])[] = [
    ['a string is itself', 'x', 'x'],
    ['an empty string is itself', '', ''],
    ['an integer is decimal [http-092]', -7, '-7'],
    ['a boolean is lower case [http-092]', true, 'true'],
    ['null leaves the header out [http-096]', null, undefined],
    ['a fraction leaves the header out', 1.5, undefined],
    ['an unsafe integer leaves the header out', 2 ** 53, undefined],
    ['an object leaves the header out', {}, undefined],
  ];
  for (const [title, value, text] of values) {
    it(title, () => assert.equal(headerValueOf({ a: { b: value } }, ['a', 'b']), text));
  }

  it('is absent where a step is absent or inherited [C74]', () => {
    for (const odd of [undefined, null, 'x', {}, { a: null }, { a: [] }])
      assert.equal(headerValueOf(odd, ['a', 'length']), undefined);
    assert.equal(headerValueOf({}, ['constructor', 'name']), undefined);
  });
});

it('the header of an argument is its number, however the body spells it', () => {
  const texts = ['42.0', '-0', '4.2e1', '1.5', '12345678901234567890'];
  assert.deepEqual(
    texts.map((text) => headerValueOf({ n: new ExactNumber(text) }, ['n'])),
    ['42', '0', '42', undefined, undefined],
  );
});
