import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutAnswer, answeredIn, repeatableOf, requestsAnswered } from './about-stream.ts';

const most = 65_536;

test('what is said of a stream names all that it answers, and what may be sent again', () => {
  const about = aboutAnswer([1, 'two'], ['two']);
  assert.deepEqual([requestsAnswered(about), repeatableOf(about)], [[1, 'two'], ['two']]);
});

test('ids that are too long to be said leave room for the others', () => {
  const long = 'i'.repeat(70_000);
  const about = aboutAnswer([long, 'two', 3], [3]);
  assert.deepEqual([requestsAnswered(about), repeatableOf(about)], [['two', 3], []]);
  assert.deepEqual(requestsAnswered(aboutAnswer([long], [])), []);
  const escaped = '\0'.repeat(20_000);
  assert.ok(aboutAnswer([escaped, 'two'], []).length <= most);
  assert.ok(aboutAnswer(Array(10_000).fill(1_234_567), []).length <= most);
});

test('an id that can be said once is, where saying that it may be sent again is too much', () => {
  const id = 'i'.repeat(40_000);
  const about = aboutAnswer([id], [id]);
  assert.deepEqual([requestsAnswered(about), repeatableOf(about)], [[id], []]);
});

test('responses among events answer their requests, and nothing else does', () => {
  const texts = [{ id: 1, result: {} }, { id: '2', error: {} }, { id: 3, method: 'ping' }, { method: 'm' }, 4, null];
  assert.deepEqual([...answeredIn(['', ...texts.map((value) => JSON.stringify(value))])], [1, '2']);
});
