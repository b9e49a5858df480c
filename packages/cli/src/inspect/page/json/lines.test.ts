import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assert as check, json, property, string } from 'fast-check';
import { jsonLines, seenLines, type JsonLine } from './lines.ts';

const textOf = (lines: readonly JsonLine[]): string =>
  lines.flatMap(({ pieces }) => pieces.map(({ text }) => text.trim())).join('');

test('the lines of a JSON text hold each of its tokens once, in order', () => {
  check(
    property(json(), (text) => {
      // A key is told apart by its colon, which gets a space.
      assert.equal(textOf(jsonLines(text)), textOf(jsonLines(JSON.stringify(JSON.parse(text)))));
      assert.equal(
        textOf(jsonLines(JSON.stringify(JSON.parse(text)))),
        JSON.stringify(JSON.parse(text))
          .replaceAll(/("(?:[^"\\]|\\[^])*")|\s/g, (_, kept: string | undefined) => kept ?? '')
          .trim(),
      );
    }),
    { examples: [['{"a":[],"b":{},"c":[1,{"d":null}]}']] },
  );
});

test('any text has lines, and none of them throws', () => {
  check(property(string(), (text) => void jsonLines(text)));
  check(
    property(json(), string({ maxLength: 5 }), (text, more) => void jsonLines(text.slice(0, text.length / 2) + more)),
  );
});

test('numbers keep their spelling, and keys that stand there twice stand there twice', () => {
  assert.equal(
    textOf(jsonLines('{"a": 1.0, "a": 1e3, "b": 12345678901234567890}')),
    '{"a":1.0,"a":1e3,"b":12345678901234567890}',
  );
});

test('a folded line hides what it opens, up to what closes it', () => {
  const lines = jsonLines('{"a":[1,2],"b":3}');
  assert.deepEqual(
    lines.map(({ depth }) => depth),
    [0, 1, 2, 2, 1, 1, 0],
  );
  assert.deepEqual(seenLines(lines, new Set([1])), [0, 1, 5, 6]);
  assert.deepEqual(seenLines(lines, new Set([0])), [0]);
});

test('a string that never ends, and words without a comma, hold nobody up', () => {
  // Each took minutes, or made a line that no browser draws; the test ends within its limit, or not.
  assert.equal(jsonLines(`{"${'\\"'.repeat(500_000)}`).length, 2);
  const widest = Math.max(...jsonLines(`[${'a '.repeat(500_000)}]`).map(({ pieces }) => pieces.length));
  assert.ok(widest <= 201, `${widest} pieces`);
});
