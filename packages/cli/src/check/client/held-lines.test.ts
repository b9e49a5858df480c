import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeldLines, type WholeText } from './held-lines.ts';

/** What lines are together, one after the other. */
function taken(...lines: readonly string[]): readonly WholeText[] {
  const held = new HeldLines();
  return [...lines.flatMap((line) => held.take(line)), ...held.flush()];
}

test('a message in several lines is one, be its ends between its parts or within a text', () => {
  assert.deepEqual(taken('{"id": 1,', '"x": "}]"}', '{"id": 2}'), [
    { text: '{"id": 1,\n"x": "}]"}', lines: 2 },
    { text: '{"id": 2}', lines: 1 },
  ]);
  assert.deepEqual(taken('[{"x": "a\\"{', 'b"}]'), [{ text: '[{"x": "a\\"{\\nb"}]', lines: 2 }]);
});

test('what is no message ends where the next begins', () => {
  const message = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  for (const begin of ['[info] ready', '{broken', '{"open": "text'])
    assert.deepEqual(
      taken(begin, message).map(({ text }) => text),
      [begin, message],
    );
  assert.deepEqual(taken('{x', '}', '{}', message), [
    { text: '{x\n}\n{}', lines: 3 },
    { text: message, lines: 1 },
  ]);
});

test('lines that never end are read once each, and not all again with each of them', (t) => {
  const { parse } = JSON;
  let read = 0;
  t.mock.method(JSON, 'parse', (text: string): unknown => {
    read += text.length;
    return parse(text);
  });
  const lines = ['[', ...Array.from({ length: 1_900 }, () => `"${'x'.repeat(28)}]`), ']'];
  const size = lines.join('').length;
  taken(...lines);
  taken('[', ']x', ...lines.slice(2).map(() => '{}'));
  assert.ok(read < 5 * size, `${read} characters were read of ${size}`);
});
