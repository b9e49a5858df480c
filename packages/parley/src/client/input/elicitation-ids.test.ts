import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ElicitationIds } from './elicitation-ids.ts';

describe('the ids of unfinished elicitations', () => {
  it('are known until they are finished, once [C50] [C53] [elicit-028]', () => {
    const ids = new ElicitationIds(() => 0);
    ids.add('a');
    assert.deepEqual([ids.complete('b'), ids.complete('a'), ids.complete('a')], [false, true, false]);
  });

  it('grow old, counted from the first time they were heard [C51]', () => {
    let now = 0;
    const ids = new ElicitationIds(() => now);
    ids.add('a');
    now = 3_599_999;
    ids.add('a');
    now = 3_600_000;
    assert.equal(ids.complete('a'), false);
    ids.add('a');
    assert.equal(ids.complete('a'), true);
  });

  it('are bounded: the oldest are forgotten first [C51]', () => {
    const ids = new ElicitationIds(() => 0);
    for (let i = 0; i <= 1000; i++) ids.add(String(i));
    assert.deepEqual([ids.complete('0'), ids.complete('1'), ids.complete('1000')], [false, true, true]);
  });

  it('are opaque [elicit-024]', () => {
    const ids = new ElicitationIds(() => 0);
    for (const id of ['', ' ', '__proto__', 'ä']) {
      ids.add(id);
      assert.equal(ids.complete(id), true);
    }
  });
});
