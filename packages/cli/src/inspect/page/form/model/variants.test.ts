import assert from 'node:assert/strict';
import { test } from 'node:test';
import { converted } from './conversion.ts';
import { readJson } from './json-text.ts';
import { matchesPattern, schemaForName } from './names.ts';
import { pickedOf, pickerOf, zoneOf } from './pickers.ts';
import { problemsHere, problemsIn, fieldProblems } from './problems.ts';
import { schemaDocument, type Schema } from './schema-document.ts';
import { variantOf } from './variants.ts';

const shapes: readonly Schema[] = [
  { type: 'object', properties: { kind: { const: 'a' }, x: { type: 'number' }, n: {} }, required: ['kind', 'x'] },
  { type: 'object', properties: { kind: { const: 'b' }, y: { type: 'string' }, n: {} }, required: ['kind'] },
  { type: 'string' },
  { type: 'integer' },
  { type: 'number' },
];
const document = schemaDocument({ oneOf: shapes });

function meant(text: string, variants: readonly Schema[] = shapes): number {
  const { root } = readJson(text);
  assert.ok(root);
  return variantOf(document, variants, { text, node: root });
}

test('a value is meant for the kind that it fits best', () => {
  assert.equal(meant('{"kind": "b"}'), 1);
  assert.equal(meant('{"x": 1}'), 0);
  assert.equal(meant('{"y": ""}'), 1);
  assert.equal(meant('"a"'), 2);
  assert.equal(meant('7.0'), 3);
  assert.equal(meant('7.5'), 4);
  assert.equal(meant('null'), -1);
  assert.equal(meant('{"a": {"b": 1}}', [false, { required: ['b'] }, { properties: { a: { required: ['b'] } } }]), 2);
});

test('a kind is found in bounded time, however many there are and however they nest', () => {
  const nested = (depth: number): Schema =>
    depth === 0 ? { type: 'object' } : { anyOf: Array.from({ length: 20 }, () => nested(depth - 1)) };
  assert.equal(
    meant(
      '{}',
      Array.from({ length: 3 }, () => nested(3)),
    ),
    0,
  );
});

test('another kind keeps what both have, has its own constants, and gets back what it had', () => {
  const [from = true, to = true] = shapes;
  const text = '{"p": 1.0, "v": {"kind": "a", "x": 1e3, "n": 2.0}}';
  const path = ['v'];
  const other = converted(document, text, { path, from, to, before: undefined, item: false });
  assert.equal(other, '{"p": 1.0, "v": {"kind": "b", "n": 2.0}}');
  const back = converted(document, other, { path, from: to, to: from, before: '{"kind":"a","x":1e3}', item: false });
  assert.equal(back, '{"p": 1.0, "v": {"kind": "a", "n": 2.0, "x": 1e3}}');
});

test('a value that another kind cannot have is left out, and comes back with its kind', () => {
  const [, , text = true, whole = true] = shapes;
  const conversion = { path: ['v'], from: text, to: whole, before: undefined, item: false };
  assert.equal(converted(document, '{"v": "a"}', conversion), '{}');
  assert.equal(converted(document, '{"v": "a"}', { ...conversion, before: '1.0' }), '{"v": 1.0}');
  assert.equal(converted(document, '["a"]', { ...conversion, path: [], item: true }), 'null');
  assert.equal(converted(document, '{"v": "a"}', { ...conversion, to: { const: 'c' } }), '{"v": "c"}');
});

test('a name that no schema has is tried with patterns, unless that could take long', () => {
  assert.equal(matchesPattern('^x-[a-z]+$', 'x-ab'), true);
  assert.equal(matchesPattern('^x-', 'y'), false);
  for (const slow of ['(a+)+$', '(?=a)', '\\1', 'a*a*a*', '(', 'a'.repeat(300)])
    assert.equal(matchesPattern(slow, 'a'.repeat(30)), undefined);
  assert.equal(matchesPattern('a', 'a'.repeat(1000)), undefined);
  const others = [
    { pattern: '^x', schema: { type: 'string' } },
    { pattern: undefined, schema: { type: 'number' } },
  ];
  assert.deepEqual(schemaForName(others, 'xa'), { type: 'string' });
  assert.deepEqual(schemaForName(others, 'a'), { type: 'number' });
  assert.equal(schemaForName([], 'a'), true);
});

test('a picker begins with what is there, and writes a zone', () => {
  assert.deepEqual(pickerOf('date', '2026-11-23'), { type: 'date', value: '2026-11-23' });
  assert.deepEqual(pickerOf('date', 'soon'), { type: 'date', value: '' });
  assert.deepEqual(pickerOf('date-time', '2026-11-23T09:30:00.5Z')?.value, '2026-11-23T09:30:00');
  assert.equal(pickerOf('email', ''), undefined);
  assert.equal(pickerOf('constructor', ''), undefined);
  assert.equal(pickedOf('date', '2026-11-23'), '2026-11-23');
  assert.match(pickedOf('datetime-local', '2026-11-23T09:30'), /^2026-11-23T09:30:00(Z|[+-]\d\d:\d\d)$/);
  assert.match(pickedOf('time', '09:30:15'), /^09:30:15(Z|[+-]\d\d:\d\d)$/);
  assert.deepEqual([0, 330, -90].map(zoneOf), ['Z', '+05:30', '-01:30']);
});

test('each problem is told once: at its field, or at the nearest one around it', () => {
  const problems = fieldProblems([
    { path: '/a/0/b~1c', message: 'deep' },
    { path: '/a', message: 'near' },
    { path: '', message: 'whole' },
    { path: '/gone', message: 'lost' },
  ]);
  assert.deepEqual(
    problemsHere(problems, (step) => step === 'a'),
    ['whole', 'gone: lost'],
  );
  const inner = problemsIn(problems, 'a');
  assert.deepEqual(
    problemsHere(inner, () => false),
    ['0/b/c: deep', 'near'],
  );
  assert.deepEqual(
    problemsHere(problemsIn(inner, 0), () => false),
    ['b/c: deep'],
  );
});
