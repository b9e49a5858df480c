import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LateVisits } from './late-visits.ts';

test('a person has so many late visits and no more, and nobody loses any to another one', async () => {
  const closed = new AbortController();
  const late = new LateVisits(closed.signal);
  const ended: string[] = [];
  const add = (who: string, name: string): void =>
    late.add(who, (signal) => {
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          ended.push(name);
          reject(new Error('it was ended'));
        });
      });
    });
  add('bob', 'of bob');
  for (let at = 0; at < 12; at++) add('ann', String(at));
  assert.deepEqual(ended, ['0', '1']);
  closed.abort();
  assert.equal(ended.length, 13);
});
