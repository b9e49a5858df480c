import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { inspect } from 'node:util';
import { ExactNumber, jsonText, plainNumber } from './exact-number.ts';

const spellings = ['1.0', '1e2', '-0', '12345678901234567890', '0.1000', '1E+400'];

/** A runtime that cannot put digits into JSON text, as Node 20. */
function withoutRawJson(t: TestContext): void {
  const found = Object.getOwnPropertyDescriptor(JSON, 'rawJSON');
  if (found === undefined) return;
  Reflect.deleteProperty(JSON, 'rawJSON');
  t.after(() => void Object.defineProperty(JSON, 'rawJSON', found));
}

it('an exact number is written in its own digits', () => {
  const numbers = spellings.map((text) => new ExactNumber(text));
  assert.equal(jsonText({ numbers }), `{"numbers":[${spellings.join(',')}]}`);
});

it('an exact number is written in its own digits on a runtime without JSON.rawJSON', (t) => {
  withoutRawJson(t);
  const numbers = spellings.map((text) => new ExactNumber(text));
  assert.equal(
    jsonText({ numbers, words: ['1.0', '"'] }),
    `{"numbers":[${spellings.join(',')}],"words":["1.0","\\""]}`,
  );
  assert.equal(jsonText(new ExactNumber('1.0')), '1.0');
  assert.equal(jsonText(undefined), undefined);
});

it('text within a text keeps the digits on a runtime without JSON.rawJSON', (t) => {
  withoutRawJson(t);
  const inner = { toJSON: () => jsonText([new ExactNumber('2.0')]) };
  assert.equal(jsonText([new ExactNumber('1.0'), inner, new ExactNumber('3.0')]), '[1.0,"[2.0]",3.0]');
});

it('elsewhere it is a plain number on a runtime without JSON.rawJSON', (t) => {
  withoutRawJson(t);
  assert.equal(JSON.stringify([new ExactNumber('1.50')]), '[1.5]');
  // A text that cannot be written leaves nothing behind.
  assert.throws(() => jsonText(1n), TypeError);
  assert.equal(JSON.stringify([new ExactNumber('1.50')]), '[1.5]');
});

it('an exact number compares, adds and reads like the number that it is', () => {
  const number: unknown = new ExactNumber('1.50');
  assert.equal(Number(number), 1.5);
  assert.equal(`${String(number)}`, '1.50');
  assert.ok((number as number) > 1 && (number as number) <= 1.5);
  assert.equal(Math.min(number as number, 2), 1.5);
  assert.equal(plainNumber(number), 1.5);
  assert.equal(plainNumber('1.50'), '1.50');
  assert.equal(inspect(number), "ExactNumber { text: '1.50' }");
  assert.throws(() => Object.assign(number as object, { text: '2' }), TypeError);
});
