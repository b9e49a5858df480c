/** Tasks of a server of 2025-11-25 that a bridge looks at for a client that listens. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { settle } from '../../../../../../test/support/raw.ts';
import { McpError } from '../../../protocol/error.ts';
import type { TaskListening } from '../task-streams.ts';
import { LookedAfter } from './looked-after.ts';
import { ToldOfCore } from './core-progress.ts';
import type { TasksOfCore } from './tasks-of-core.ts';

type Task = Readonly<Record<string, unknown>>;

const working: Task = { status: 'working', lastUpdatedAt: '1' };

/** A client that listens to tasks, of which the server says what the test has set. */
async function listening(t: TestContext, taskIds: readonly string[], first: Task | Error = working) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  // The pace is as told, neither shorter nor longer.
  t.mock.method(Math, 'random', () => 0.5);
  const state = { task: first };
  const asked: string[] = [];
  const told: Task[] = [];
  const news = new ToldOfCore();
  let [atOnce, most] = [0, 0];
  let watching = 0;
  const watch: ToldOfCore['watch'] = (id, wake) => {
    const unwatch = news.watch(id, wake);
    watching++;
    return () => (unwatch(), void watching--);
  };
  const core = {
    told: { watch },
    get: async ({ id }: { readonly id: string }) => {
      asked.push(id);
      most = Math.max(most, ++atOnce);
      await settle();
      atOnce--;
      if (state.task instanceof Error) throw state.task;
      return state.task;
    },
  } as unknown as TasksOfCore;
  const listens = {
    taskIds,
    names: new Map(taskIds.map((id) => [id, `own-${id}`])),
    callFor: () => ({}),
    tell: (task: Task) => void told.push(task),
  } as unknown as TaskListening;
  const stream = await new LookedAfter(core).follow({} as never, listens);
  return {
    state,
    asked,
    told,
    stream,
    news,
    most: () => most,
    watching: () => watching,
    async pass(ms: number) {
      // A rest has two parts, the second of which begins when the first is over.
      for (const part of [Math.min(ms, 100), Math.max(ms - 100, 0)]) {
        await settle();
        t.mock.timers.tick(part);
        for (let turn = 0; turn < 3; turn++) await settle();
      }
    },
  };
}

describe('a task that a client listens to', () => {
  test('is told at first, and whenever something of it changed', async (t) => {
    const { state, asked, told, stream, pass, watching } = await listening(t, ['a']);
    assert.deepEqual([...stream.agreed], ['a']);
    assert.deepEqual(told.splice(0), [{ ...working, taskId: 'a' }]);
    for (const [rest, task, isNews] of [
      [1_000, working, false],
      [1_500, { ...working, statusMessage: 'half' }, true],
      [1_000, { ...working, statusMessage: 'half', ttl: 7 }, false],
      [1_500, { ...working, lastUpdatedAt: '2' }, true],
      [1_000, { status: 'input_required', lastUpdatedAt: '2' }, true],
      [1_000, { status: 'input_required', lastUpdatedAt: '2', inputRequests: { q: {} } }, true],
      [1_000, { status: 'completed', lastUpdatedAt: '2' }, true],
    ] as const) {
      state.task = task;
      const before = asked.length;
      await pass(rest - 1);
      assert.equal(asked.length, before);
      await pass(1);
      assert.equal(asked.length, before + 1);
      assert.ok(watching() <= 1);
      assert.deepEqual(told.splice(0), isNews ? [{ ...task, taskId: 'a' }] : []);
    }
    const before = asked.length;
    await pass(3_600_000);
    assert.deepEqual([asked.length, new Set(asked).size, watching()], [before, 1, 0]);
  });

  test('is asked for at the pace of the server', async (t) => {
    const { asked, pass } = await listening(t, ['a'], { ...working, pollIntervalMs: 5_000 });
    await pass(4_999);
    assert.equal(asked.length, 1);
    await pass(1);
    assert.equal(asked.length, 2);
  });

  test('is asked for sooner if the server tells something of it, but not within 100 ms', async (t) => {
    const { asked, news, pass } = await listening(t, ['a']);
    news.changed('own-a');
    news.changed('a');
    await pass(99);
    assert.equal(asked.length, 1);
    await pass(1);
    assert.equal(asked.length, 2);
    await pass(100);
    news.changed('other');
    await pass(0);
    assert.equal(asked.length, 2);
    news.changed('a');
    await pass(0);
    assert.equal(asked.length, 3);
  });

  test('is asked for again after a failure, but not once it is gone', async (t) => {
    const { state, asked, told, pass } = await listening(t, ['a']);
    for (const error of [new McpError('internalError', 'down'), new Error('lost')]) {
      state.task = error;
      const before = asked.length;
      await pass(2_500);
      assert.ok(asked.length > before);
    }
    state.task = new McpError('invalidParams', 'unknown task');
    await pass(30_000);
    const before = asked.length;
    await pass(3_600_000);
    assert.deepEqual([asked.length, told.length], [before, 1]);
  });

  test('is not agreed on, nor asked for again, if the server does not have it', async (t) => {
    const { asked, told, stream, pass } = await listening(t, ['a'], new McpError('invalidParams', 'unknown task'));
    await pass(60_000);
    assert.deepEqual([[...stream.agreed], told, asked.length], [[], [], 1]);
  });

  test('is not asked for any more once the stream is closed', async (t) => {
    const { state, asked, told, stream, pass } = await listening(t, ['a', 'b']);
    await pass(999);
    // The answer to what was asked last is not wanted any more.
    state.task = { ...working, lastUpdatedAt: '2' };
    t.mock.timers.tick(1);
    await Promise.resolve();
    stream.close();
    await stream.closed;
    await pass(3_600_000);
    assert.deepEqual([asked.length <= 4, told.length], [true, 2]);
  });

  test('is asked for with 15 others at once', async (t) => {
    const ids = Array.from({ length: 33 }, (_, at) => `t${at}`);
    const { stream, most, told } = await listening(t, ids);
    assert.deepEqual([most(), stream.agreed.size, told.length], [16, 33, 33]);
    stream.close();
    await stream.closed;
  });
});
