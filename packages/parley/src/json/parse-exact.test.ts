import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { ExactNumber, jsonText, plainNumber } from './exact-number.ts';
import { parseExactJson } from './parse-exact.ts';
import { JsonError } from './parse.ts';
import { isObject } from '../jsonrpc/message.ts';
import { parseMessage } from '../jsonrpc/encode.ts';

/** Numbers as JSON may spell them. */
const digits = fc.stringMatching(/^-?(?:0|[1-9]\d{0,25})(?:\.\d{1,8})?(?:[eE][+-]?\d{1,3})?$/);
const plain = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })).map((one) => String(one));
const strings = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('1.0', '\\"1.0', '"', '\\', '__proto__'));
// V8 of Node 24 takes the key `\"` for `\` where it has seen objects with the latter.
const keys = strings.filter((key) => !key.endsWith('\\'));
const space = fc.constantFrom('', ' ', '\n', '\t\r\n');

/** The text of a value, and what its numbers are spelled like. */
interface Written {
  readonly text: string;
  readonly spelled: unknown;
}

/** The text of any JSON value, with whitespace wherever it may be. */
const { json } = fc.letrec<{ json: Written }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    { weight: 3, arbitrary: fc.oneof(digits, plain).map((text): Written => ({ text, spelled: text })) },
    fc.constantFrom(true, false, null).map((value): Written => ({ text: `${value}`, spelled: value })),
    strings.map((value): Written => ({ text: JSON.stringify(value), spelled: `"${value}` })),
    fc.array(fc.tuple(space, tie('json'), space)).map((items): Written => ({
      text: `[${items.map(([before, { text }, behind]) => before + text + behind).join(',')}]`,
      spelled: items.map(([, { spelled }]) => spelled),
    })),
    fc.array(fc.tuple(space, keys, space, tie('json'))).map((fields): Written => ({
      text: `{${fields.map(([a, key, b, { text }]) => `${a}${JSON.stringify(key)}${b}:${a}${text}${b}`).join(',')}}`,
      spelled: Object.fromEntries(fields.map(([, key, , { spelled }]) => [key, spelled])),
    })),
    fc.tuple(space, tie('json')).map(([a, { text, spelled }]): Written => ({ text: a + text + a, spelled })),
  ),
}));

/** The same of a value: numbers as their text, strings behind a quote. */
function spelledIn(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return `"${value}`;
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return value.map(spelledIn);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, spelledIn(inner)]));
}

function plainly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainly);
  if (!isObject(value)) return plainNumber(value);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainly(inner)]));
}

it('every number keeps its spelling, and every value its meaning', () => {
  fc.assert(
    fc.property(json, ({ text, spelled }) => {
      const value = parseExactJson(text);
      assert.deepEqual(plainly(value), JSON.parse(text));
      assert.deepEqual(spelledIn(value), spelled);
      assert.deepEqual(spelledIn(parseExactJson(jsonText(value))), spelled);
    }),
    { numRuns: 2000 },
  );
});

it('text in the shortest form leaves as it came', () => {
  const text = '{"a":[1.0,1e2,-0,12345678901234567890,0.1000],"b":{"1.0":"1.0"},"__proto__":{"c":-1.50E-7},"d":[]}';
  assert.equal(jsonText(parseExactJson(text)), text);
});

it('only numbers that would change are exact', () => {
  assert.deepEqual(parseExactJson('[1,-1,0.5,1e+21,1.0,"1.0"]'), [1, -1, 0.5, 1e21, new ExactNumber('1.0'), '1.0']);
});

it('text that JSON.stringify wrote has no exact number', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.deepEqual(parseExactJson(JSON.stringify(value)), JSON.parse(JSON.stringify(value)));
    }),
  );
});

it('malformed text is refused, whatever its numbers', () => {
  for (const text of [
    '01.0',
    '1.',
    '.5',
    '1.0.0',
    '-',
    '+1',
    '{1.0:1}',
    '[1.0 1.0]',
    '[1.0',
    '1.0e',
    '"1.0',
    '1.0"',
    '-01.0',
  ])
    assert.throws(() => parseExactJson(text), JsonError, text);
  assert.throws(() => parseExactJson('[[1.0]]', 1), { reason: 'too-deep' });
});

it('what is no JSON is never read as a value', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[-+.eE0-9[\]{}:, "]{0,12}$/), (text) => {
      let valid = true;
      try {
        JSON.parse(text);
      } catch {
        valid = false;
      }
      if (valid) parseExactJson(text);
      else assert.throws(() => parseExactJson(text), JsonError);
    }),
  );
});

it('the numbers that pair messages are plain, those beside them exact', () => {
  const read = (text: string): unknown => parseMessage(text, { exactNumbers: true });
  const one = new ExactNumber('1.0');
  const request = read(
    '{"id":1.0,"method":"any","params":{"id":1.0,"requestId":1.0,"_meta":{"progressToken":2.0,"io.modelcontextprotocol/subscriptionId":3.0,"n":1.0}}}',
  );
  assert.deepEqual(request, {
    id: 1,
    method: 'any',
    params: {
      id: one,
      requestId: one,
      _meta: { progressToken: 2, 'io.modelcontextprotocol/subscriptionId': 3, n: one },
    },
  });
  assert.deepEqual(read('[{"id":1.0,"error":{"code":-32601.0,"data":1.0}}]'), [
    { id: 1, error: { code: -32601, data: one } },
  ]);
  assert.deepEqual(read('{"method":"notifications/cancelled","params":{"requestId":1.0,"n":1.0}}'), {
    method: 'notifications/cancelled',
    params: { requestId: 1, n: one },
  });
  assert.deepEqual(read('{"method":"notifications/progress","params":{"progressToken":1.0,"progress":1.0}}'), {
    method: 'notifications/progress',
    params: { progressToken: 1, progress: one },
  });
});

it('who does not ask for exact numbers has none', () => {
  assert.deepEqual(parseMessage('{"id":1.0,"params":{"n":1.0}}', {}), { id: 1, params: { n: 1 } });
});
