import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../../../../test/support/raw.ts';
import { LimitedWork } from './limited-work.ts';

test('no more work than allowed is under way, and what waits comes in its order', async () => {
  const work = new LimitedWork(2);
  const log: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const outcomes: Promise<unknown>[] = [];
  const begin = async (...names: readonly string[]): Promise<void> => {
    for (const name of names) {
      const run = (): Promise<string> =>
        new Promise((resolve, reject) => {
          log.push(name);
          ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
        });
      outcomes.push(work.take(run).catch((error: unknown) => String(error)));
    }
    await settle();
  };
  await begin('a', 'b', 'c', 'd');
  assert.deepEqual(log.splice(0), ['a', 'b']);
  ends.get('b')?.(new Error('failed'));
  await settle();
  assert.deepEqual(log.splice(0), ['c']);
  await begin('e');
  assert.deepEqual(log, []);
  for (const name of ['a', 'c']) ends.get(name)?.();
  await settle();
  assert.deepEqual(log.splice(0), ['d', 'e']);
  for (const name of ['d', 'e']) ends.get(name)?.();
  assert.deepEqual(await Promise.all(outcomes), ['a', 'Error: failed', 'c', 'd', 'e']);
  await begin('f', 'g', 'h');
  assert.deepEqual(log, ['f', 'g']);
});
