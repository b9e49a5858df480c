/** Texts that processes send each other: what lacks anything, or has it in another form, is none. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancellation, readAnnounced, readTold } from './replica-messages.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Where a value stands, and what is wrong there. */
type Wrong = readonly [path: readonly string[], value: unknown];

/** Every text that a reader takes, and the fields without which it takes it too. */
const readers: readonly (readonly [
  name: string,
  read: (text: string) => unknown,
  rows: readonly (readonly [Fields, optional?: readonly string[]])[],
])[] = [
  [
    'for one process',
    readTold,
    [
      [{ kind: 'message', session: 's', message: {} }, ['message']],
      [{ kind: 'deliver', session: 's', json: '{}' }],
      [{ kind: 'taken', session: 's' }],
      [{ kind: 'there', session: 's', process: 'p', line: 'l' }],
      [{ kind: 'reading', session: 's', stream: 'x', process: 'p', line: 'l', isAgain: true }, ['isAgain']],
      ...['open', 'not-open', 'written', 'not-here', 'not-kept', 'replaced'].map(
        (reply) => [{ kind: 'reply', line: 'l', reply }] as const,
      ),
    ],
  ],
  [
    'for all copies',
    readAnnounced,
    [
      [{ kind: 'changed', version: 1 }],
      [{ kind: 'ended' }],
      [{ kind: 'claimed', process: 'p' }],
      [{ kind: 'message', message: {} }, ['message']],
    ],
  ],
];

/** The same value with one place changed. */
function changed(value: unknown, [first, ...rest]: readonly string[], to: unknown): unknown {
  if (first === undefined) return to;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[first] = changed(copy[first], rest, to);
  return copy;
}

/** Every place in a value. */
function placesIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, one]) => placesIn(one, [...path, key]));
  return path.length === 0 ? inner : [path, ...inner];
}

for (const [name, read, rows] of readers)
  test(`a text ${name} is read with all that its kind needs, and not without`, () => {
    for (const [told, optional = []] of rows) {
      assert.deepEqual(read(JSON.stringify(told)), told);
      const wrong = placesIn(told).flatMap((path): Wrong[] => {
        const isOptional = optional.includes(path.join('.'));
        // What nobody looks at may be anything.
        if (isOptional && path.length === 1) return [];
        return [[path, { no: [7] }], [path, null], ...(isOptional ? [] : [[path, undefined] as const])];
      });
      for (const [path, to] of wrong)
        assert.equal(read(JSON.stringify(changed(told, path, to))), undefined, `${path.join('.')}: ${String(to)}`);
    }
    for (const text of [
      '',
      '{',
      'null',
      '7',
      '[]',
      '{}',
      '{"kind":"other"}',
      '{"kind":"toString"}',
      '{"kind":"__defineGetter__"}',
      '{"kind":7}',
    ])
      assert.equal(read(text), undefined, text);
  });

test('a reply is one of those that there are', () => {
  assert.equal(readTold(JSON.stringify({ kind: 'reply', line: 'l', reply: 'other' })), undefined);
});

test('other processes are told of a cancellation with 1,000 characters of its reason, if it is a text', () => {
  const paramsOf = (reason: unknown): unknown =>
    (cancellation(7, reason) as unknown as { message: { params: object } }).message.params;
  assert.deepEqual(paramsOf('x'.repeat(1001)), { requestId: 7, reason: 'x'.repeat(1000) });
  assert.deepEqual(paramsOf({ long: 1 }), { requestId: 7 });
});
