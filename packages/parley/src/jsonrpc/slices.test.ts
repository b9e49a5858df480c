import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Slices } from './slices.ts';
import { until } from '../../../../test/support/turns.ts';

function* steps(done: string[], name: string, count: number): Generator<void> {
  for (let step = 0; step < count; step++) {
    done.push(`${name}${step}`);
    yield;
  }
}

test('a few steps are done at once', () => {
  const [slices, done]: [Slices, string[]] = [new Slices(), []];
  slices.add('a', () => steps(done, 'a', 5));
  slices.add('b', () => steps(done, 'b', 5));
  assert.equal(done.length, 10);
});

test('very many are done in slices, one piece of work after the other, and none twice', async () => {
  const [slices, done]: [Slices, string[]] = [new Slices(), []];
  slices.add('a', () => steps(done, 'a', 1_000));
  assert.ok(done.length <= 64);
  for (let again = 0; again < 3; again++) slices.add('b', () => steps(done, 'b', 1_000));
  slices.add('a', () => steps(done, 'again', 1));
  await until(() => done.length >= 2_001);
  assert.deepEqual([done[999], done[1_000], done[1_999], done[2_000]], ['a999', 'b0', 'b999', 'again0']);
  assert.equal(done.length, 2_001);
});

test('a slice lasts a few milliseconds, however slow its steps are', async () => {
  const slices = new Slices();
  let [time, done] = [0, 0];
  slices.add('slow', function* () {
    for (; done < 100; done++) {
      const until = performance.now() + 0.5;
      while (performance.now() < until);
      yield;
    }
  });
  time = done;
  assert.ok(time < 40, `${time} steps of half a millisecond in one slice`);
  await until(() => done === 100);
});

test('a step that fails takes nothing away from what comes after', async () => {
  const [slices, done]: [Slices, string[]] = [new Slices(), []];
  assert.throws(() =>
    slices.add('fails', function* () {
      yield;
      throw new Error('a bug');
    }),
  );
  slices.add('a', () => steps(done, 'a', 1));
  assert.deepEqual(done, ['a0']);
});
