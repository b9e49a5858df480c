import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../../../test/support/raw.ts';
import { graceMs, mostOf } from './begin.ts';

interface Work {
  readonly work: Promise<void>;
  readonly done: () => void;
  readonly fail: () => void;
}

function work(): Work {
  let [done, fail]: (() => void)[] = [];
  const promise = new Promise<void>((resolve, reject) => {
    done = resolve;
    fail = () => reject(new Error('failed'));
  });
  return { work: promise, done: () => done?.(), fail: () => fail?.() };
}

test('work is waited for until all is settled, or a moment after the first part is done', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  await mostOf([], 100);
  const cases: readonly (readonly [string, (one: Work, other: Work) => void, number])[] = [
    ['both done', (one, other) => (one.done(), other.done()), 0],
    ['both failed', (one, other) => (one.fail(), other.fail()), 0],
    ['one failed, then the other done', (one, other) => (one.fail(), other.done()), 0],
    ['one done', (one) => one.done(), graceMs],
    ['one failed', (one) => one.fail(), 1_000],
    ['none', () => undefined, 1_000],
  ];
  for (const [title, run, ms] of cases) {
    const [one, other] = [work(), work()];
    let isOver = false;
    void mostOf([one.work, other.work], 1_000).then(() => (isOver = true));
    run(one, other);
    await settle();
    if (ms > 0) {
      t.mock.timers.tick(ms - 1);
      await settle();
      assert.equal(isOver, false, title);
      t.mock.timers.tick(1);
      await settle();
    }
    assert.equal(isOver, true, title);
  }
});
