import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Progress } from '../../../connection/progress.ts';
import { TaskProgress } from './task-progress.ts';

/** What is told of reports, and of the words of a task. */
function told(play: (progress: TaskProgress) => void): readonly Progress[] {
  const heard: Progress[] = [];
  play(new TaskProgress((progress) => heard.push(progress)));
  return heard;
}

describe('progress of a task', () => {
  it('is not told again where it begins again, as after the end of its process', () => {
    const heard = told((progress) => {
      progress.became();
      for (const done of [0, 1, 2, 0, 1, 2, 3]) progress.hear({ progress: done, total: 3 });
    });
    assert.deepEqual(
      heard.map(({ progress }) => progress),
      [0, 1, 2, 3],
    );
  });

  it('that it says in words stays within what there is to do, where it begins again', () => {
    const heard = told((progress) => {
      progress.became();
      for (const words of ['1 of 3: one', '2 of 3: two', '1 of 3: one', '2 of 3: two', '3 of 3'])
        progress.say(words, 'working');
    });
    assert.deepEqual(heard, [
      { progress: 1, total: 3, message: 'one' },
      { progress: 2, total: 3, message: 'two' },
      { progress: 3, total: 3 },
    ]);
  });

  it('goes on in words where it counts something else, or no more', () => {
    const heard = told((progress) => {
      progress.became();
      for (const words of ['2 of 2: read', '1 of 5: write', 'closing']) progress.say(words, 'working');
    });
    assert.deepEqual(heard, [
      { progress: 2, total: 2, message: 'read' },
      { progress: 3, message: '1 of 5: write' },
      { progress: 4, message: 'closing' },
    ]);
  });

  it('is none of the words with which it ended', () => {
    for (const status of ['failed', 'cancelled', 'completed']) {
      const heard = told((progress) => {
        progress.became();
        progress.say('9 of 10: nine', 'working');
        progress.say('the tool "count" failed', status);
        progress.say('10 of 10', status);
      });
      assert.deepEqual(
        heard.map(({ progress }) => progress),
        status === 'completed' ? [9, 10] : [9],
      );
    }
  });

  it('before it is a task is told as it came', () => {
    const heard = told((progress) => {
      for (const done of [2, 1]) progress.hear({ progress: done });
    });
    assert.equal(heard.length, 2);
  });
});
