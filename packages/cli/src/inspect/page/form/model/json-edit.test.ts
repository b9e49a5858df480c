import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { childOf, swapItems, nodeAt, pointerOf, put, remove, rename, pointerSteps, type Path } from './json-edit.ts';
import { readJson, valueOf, type JsonNode } from './json-text.ts';

const spacing = fc.constantFrom('', ' ', '\n', '\n  ', '\t', '\r\n');
const name = fc.oneof(fc.constantFrom('a', 'b', '__proto__', 'constructor', '', 'a/b', '~1', '0'), fc.string());
const number = fc.constantFrom('0', '-0', '1.0', '1e3', '1E-2', '12345678901234567890', '0.10', '7');

/** Texts of JSON, written in many ways. */
const json = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    number,
    fc.constantFrom('true', 'false', 'null', '"\\u0041\\n"', '""'),
    fc.string().map((text) => JSON.stringify(text)),
    tie('object'),
    tie('array'),
  ),
  object: fc
    .tuple(fc.uniqueArray(fc.tuple(name, tie('value')), { selector: ([key]) => key, maxLength: 4 }), spacing, spacing)
    .map(([members, one, two]) => {
      const written = members.map(([key, value]) => `${one}${JSON.stringify(key)}${two}:${one}${value}${two}`);
      return `{${written.join(',') || one}}`;
    }),
  array: fc
    .tuple(fc.array(tie('value'), { maxLength: 4 }), spacing, spacing)
    .map(([items, one, two]) => `[${items.map((item) => one + item + two).join(',') || two}]`),
}));

const wholeText = fc.tuple(spacing, json.value, spacing).map((parts) => parts.join(''));

function rootOf(text: string): JsonNode {
  const reading = readJson(text);
  assert.equal(reading.fault, undefined, text);
  assert.ok(reading.root);
  return reading.root;
}

/** Every value of a text that holds no other, by pointer, as it is spelled. */
function leaves(text: string): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (node: JsonNode, path: Path): void => {
    const steps = [...node.items.keys(), ...node.members.map((member) => member.name)];
    if (steps.length === 0) found.set(pointerOf(path), text.slice(node.start, node.end));
    for (const step of steps) walk(childOf(node, step) ?? node, [...path, step]);
  };
  walk(rootOf(text), []);
  return found;
}

/** Every path of a text. */
function paths(text: string): readonly Path[] {
  const found: Path[] = [];
  const walk = (node: JsonNode, path: Path): void => {
    found.push(path);
    for (const step of [...node.items.keys(), ...node.members.map((member) => member.name)])
      walk(childOf(node, step) ?? node, [...path, step]);
  };
  walk(rootOf(text), []);
  return found;
}

const isUnder = (pointer: string, over: string): boolean => pointer === over || pointer.startsWith(`${over}/`);

test('a text reads as JSON.parse reads it, or is refused by both', () => {
  const broken = fc.tuple(wholeText, fc.nat(), fc.constantFrom('', ',', '"', '}', '\\', 'x', '1', '\u0001'));
  const texts = fc.oneof(
    wholeText,
    fc.string(),
    broken.map(
      ([text, at, by]) => text.slice(0, at % (text.length + 1)) + by + text.slice((at % (text.length + 1)) + 1),
    ),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const reading = readJson(text);
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        assert.ok(reading.fault !== undefined || /^[ \t\r\n]*$/.test(text));
        return;
      }
      assert.ok(reading.root, reading.fault?.message);
      assert.deepEqual(valueOf(text, reading.root), value);
    }),
    { numRuns: 500 },
  );
});

test('a value is written at any place that is there, and every other one keeps its spelling', () => {
  fc.assert(
    fc.property(wholeText, fc.nat(), json.value, (text, at, value) => {
      const all = paths(text);
      const path = all[at % all.length] ?? [];
      const edited = put(text, path, value);
      const node = nodeAt(rootOf(edited), path);
      assert.equal(node && edited.slice(node.start, node.end), value);
      const [before, after] = [leaves(text), leaves(edited)];
      for (const [pointer, spelling] of before)
        if (!isUnder(pointer, pointerOf(path))) assert.equal(after.get(pointer), spelling);
      for (const pointer of after.keys()) assert.ok(before.has(pointer) || isUnder(pointer, pointerOf(path)));
    }),
  );
});

test('a value is written at a place that was not there, and every other one keeps its spelling', () => {
  const deeper = fc.array(fc.oneof(name, fc.nat({ max: 3 })), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(wholeText, fc.nat(), deeper, json.value, (text, at, rest, value) => {
      const containers = paths(text).filter((path) => {
        const node = nodeAt(rootOf(text), path);
        return node !== undefined && node.kind === (typeof rest[0] === 'number' ? 'array' : 'object');
      });
      if (containers.length === 0) return;
      const path = [...(containers[at % containers.length] ?? []), ...rest];
      if (nodeAt(rootOf(text), path.slice(0, -rest.length + 1 || undefined)) !== undefined) return;
      const edited = put(text, path, value);
      const node = nodeAt(rootOf(edited), path);
      assert.equal(node && edited.slice(node.start, node.end), value);
      const after = leaves(edited);
      for (const [pointer, spelling] of leaves(text))
        if (!isUnder(pointerOf(path), pointer)) assert.equal(after.get(pointer), spelling);
    }),
  );
});

test('a value is left out of an object, and every other one keeps its spelling', () => {
  fc.assert(
    fc.property(wholeText, fc.nat(), (text, at) => {
      const members = paths(text).filter((path) => typeof path.at(-1) === 'string');
      const path = members[at % Math.max(members.length, 1)];
      if (path === undefined) return;
      const edited = remove(text, path);
      assert.equal(nodeAt(rootOf(edited), path), undefined);
      const after = leaves(edited);
      for (const [pointer, spelling] of leaves(text))
        if (!isUnder(pointer, pointerOf(path))) assert.equal(after.get(pointer), spelling);
    }),
  );
});

test('two items change places, and nothing else does', () => {
  fc.assert(
    fc.property(json.array, fc.nat(), fc.nat(), (text, one, other) => {
      const { length } = rootOf(text).items;
      if (length === 0) return;
      const pair = [one % length, other % length] as const;
      const spelled = (from: string): string[] => rootOf(from).items.map(({ start, end }) => from.slice(start, end));
      const expected = spelled(text);
      const [a, b] = [expected[pair[0]] ?? '', expected[pair[1]] ?? ''];
      expected[pair[0]] = b;
      expected[pair[1]] = a;
      const edited = swapItems(text, [], pair);
      assert.deepEqual(spelled(edited), expected);
      assert.equal(edited.length, text.length);
    }),
  );
});

test('numbers that JavaScript cannot hold survive the edit of another field', () => {
  const text = '{"a": 1.0, "b":1e3 , "c":12345678901234567890,"d":-0}';
  assert.equal(put(text, ['b'], '7'), '{"a": 1.0, "b":7 , "c":12345678901234567890,"d":-0}');
  assert.equal(put(text, ['e'], '1.50'), '{"a": 1.0, "b":1e3 , "c":12345678901234567890,"d":-0, "e": 1.50}');
  assert.equal(remove(text, ['a']), '{"b":1e3 , "c":12345678901234567890,"d":-0}');
});

test('what is written first is laid out to be read', () => {
  const text = put('', ['city'], '"Oslo"');
  assert.equal(text, '{\n  "city": "Oslo"\n}');
  const more = put(text, ['options', 'days', 1], '3');
  assert.deepEqual(JSON.parse(more), { city: 'Oslo', options: { days: [null, 3] } });
  assert.equal(more, JSON.stringify(JSON.parse(more), null, 2));
});

test('a name that is there twice is left out twice, and its last value is the one that is edited', () => {
  assert.equal(put('{"a":1,"a":2}', ['a'], '3'), '{"a":1,"a":3}');
  assert.equal(remove('{"a":1,"b":0,"a":2}', ['a']), '{"b":0}');
});

test('a member gets another name at its place', () => {
  assert.equal(rename('{"a":1.0 ,"b":2}', ['a'], 'c"'), '{"c\\"":1.0 ,"b":2}');
});

test('an item is left out, and the others move up', () => {
  assert.equal(remove('{"a":[1, 2.0 ,3]}', ['a', 0]), '{"a":[2.0 ,3]}');
  assert.equal(remove('[1]', [0]), '[]');
});

test('a text that is not JSON is left alone', () => {
  for (const edit of [put('{"a":', ['a'], '1'), remove('{"a":', ['a']), rename('{"a":', ['a'], 'b')])
    assert.equal(edit, '{"a":');
});

test('a fault is told by its line and column', () => {
  const { fault } = readJson('{\n  "a": 1,\n  b: 2\n}');
  assert.deepEqual(fault && [fault.line, fault.column, fault.message], [
    3,
    3,
    'expected a name in double quotes, found b',
  ]);
});

test('a text of any depth is read and edited', () => {
  const depth = 100_000;
  const text = '[1.0,'.repeat(depth) + '0' + ']'.repeat(depth);
  assert.equal(readJson(text).fault, undefined);
  assert.equal(put(text, [0], '2').slice(0, 10), '[2,[1.0,[1');
});

test('pointers and steps are each other', () => {
  fc.assert(fc.property(fc.array(name), (steps) => assert.deepEqual(pointerSteps(pointerOf(steps)), steps)));
});
