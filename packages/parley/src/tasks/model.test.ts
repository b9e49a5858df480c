import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import fc from 'fast-check';
import { freshTask } from '../../../../test/support/task-record.ts';
import * as machine from './machine.ts';
import type { Next } from './machine.ts';
import type { TaskRecord } from './record.ts';
import { hasEnded } from '../protocol/task-status.ts';

const fresh: TaskRecord = { ...freshTask, attempts: 2 };

const names = ['a', 'b', 'c', 'd'] as const;
const keys = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 3 });
const epoch = fc.integer({ min: 0, max: 2 });

/** Something that happens to a task: by its holder, by a run that lost it, by its client, or by somebody outside. */
const happening = fc.oneof(
  fc.record({ kind: fc.constant('claim' as const) }),
  fc.record({ kind: fc.constant('ask' as const), keys, late: epoch, digest: fc.constantFrom('d', 'e') }),
  fc.record({ kind: fc.constant('answer' as const), keys }),
  fc.record({ kind: fc.constant('withdraw' as const), keys, late: epoch }),
  fc.record({ kind: fc.constant('keep' as const), keys, late: epoch }),
  fc.record({ kind: fc.constant('say' as const), late: epoch, outside: fc.boolean() }),
  fc.record({ kind: fc.constant('leave' as const), late: epoch }),
  fc.record({ kind: fc.constant('finish' as const), late: epoch, outside: fc.boolean(), fails: fc.boolean() }),
  fc.record({ kind: fc.constant('cancel' as const) }),
  fc.record({ kind: fc.constant('lease ends' as const) }),
  fc.record({ kind: fc.constant('give back' as const), late: epoch }),
  fc.record({ kind: fc.constant('go on' as const), late: epoch }),
);

type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

/** What becomes of a task, and who spoke: with how many epochs behind, or from outside. */
function step(task: TaskRecord, now: number, what: Happening): readonly [Next, number | 'outside' | undefined] {
  // Late by nothing is the holder.
  const late = 'late' in what ? what.late : 0;
  const holder = { epoch: 10, by: 10 - late };
  const byKey = <T>(of: readonly string[], value: T): Record<string, T> =>
    Object.fromEntries(of.map((key) => [key, value]));
  switch (what.kind) {
    case 'claim':
      return [machine.claimed(task), undefined];
    case 'ask': {
      const question = { method: 'roots/list', params: {}, digest: what.digest } as const;
      return [machine.asked(task, byKey(what.keys, question), holder, now), late];
    }
    case 'answer':
      return [machine.replied(task, byKey(what.keys, { answer: {} }), now), undefined];
    case 'withdraw':
      return [machine.withdrawn(task, what.keys, holder, now), late];
    case 'keep':
      return [machine.kept(task, byKey(what.keys, { result: 1 }), holder), late];
    case 'say': {
      const probeClient = what.outside ? { epoch: 10 } : holder;
      return [machine.said(task, `at ${now}`, probeClient, now), what.outside ? 'outside' : late];
    }
    case 'leave':
      return [machine.left(task, holder, now), late];
    case 'finish': {
      const probeClient = what.outside ? { epoch: 10 } : holder;
      const outcome = what.fails ? { error: { code: -32603, message: 'no' } } : { result: {} };
      return [machine.finished(task, outcome, probeClient, now), what.outside ? 'outside' : late];
    }
    case 'cancel':
      return [machine.cancelled(task, now), undefined];
    case 'lease ends':
      return [machine.leaseEnded(task, now), undefined];
    case 'give back':
      return [machine.givenBack(task, holder), late];
    case 'go on':
      return [machine.resumed(task, holder), late];
  }
}

function fits({ status, hand, open, outcome, attempt, attempts }: TaskRecord): void {
  assert.equal(status === 'input_required', Object.keys(open).length > 0, 'it waits for input if questions wait');
  assert.equal(outcome?.result !== undefined, status === 'completed');
  assert.equal(outcome?.error !== undefined, status === 'failed');
  assert.ok(attempt <= attempts, 'no more runs begin than may');
  assert.ok(hand !== 'left' || status === 'working');
}

test('whatever happens, in whatever order, a task moves as both texts allow [tasks-012, tasks-013, tasks-071, tasks-072]', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 100 }), happening), { maxLength: 30 }), (all) => {
      let task = fresh;
      const answered = new Set<string>();
      for (const [now, what] of all) {
        const [next, probeClient] = step(task, now, what);
        if (typeof next === 'string') continue;
        assert.ok(!hasEnded(task), 'what ended never changes');
        assert.ok(
          probeClient === undefined || probeClient === 0 || probeClient === 'outside',
          'a run that lost it is not heard',
        );
        if (probeClient === 0) assert.equal(task.hand, 'running', 'a run speaks while it holds the task');
        if (probeClient === 'outside') assert.equal(task.hand, 'left', 'the outside ends what was left to it alone');
        for (const key of Object.keys(next.open)) assert.ok(!answered.has(key), 'a key is asked under once');
        for (const [key, { digest }] of Object.entries(next.open))
          assert.equal(task.open[key]?.digest ?? digest, digest, 'a key stands for one question');
        for (const key of Object.keys(next.answers)) answered.add(key);
        assert.ok(next.updatedAt >= task.updatedAt);
        assert.deepEqual([next.id, next.owner, next.createdAt], [task.id, task.owner, task.createdAt]);
        fits(next);
        task = next;
      }
    }),
    { numRuns: Number(process.env['TASK_LIVES'] ?? 10_000) },
  );
});
