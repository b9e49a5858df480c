import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshTask } from '../../../../test/support/task-record.ts';
import * as machine from './machine.ts';
import type { Next } from './machine.ts';
import type { TaskRecord } from './record.ts';

const question = { method: 'roots/list', params: {}, digest: 'd' } as const;
const running: TaskRecord = { ...freshTask, hand: 'running', attempt: 1 };
const asking: TaskRecord = { ...running, status: 'input_required', open: { a: question, b: question } };
const left: TaskRecord = { ...running, hand: 'left' };
const ended: TaskRecord = { ...freshTask, status: 'completed', outcome: { result: {} } };
const states = { queued: freshTask, running, left, asking, ended };

const mine = { epoch: 3, by: 3 };
const late = { epoch: 3, by: 2 };
const outside = { epoch: 3 };

/** What an event makes of a task: how it stands then, or why it stays. */
function outcome(next: Next): string {
  return typeof next === 'string' ? next : `${next.status}/${next.hand}`;
}

/** By event: what it makes of a task in each state. */
const table: Readonly<
  Record<string, readonly [(task: TaskRecord) => Next, Readonly<Record<keyof typeof states, string>>]>
> = {
  'a claim': [
    (task) => machine.claimed(task),
    { queued: 'working/running', running: 'held', left: 'left', asking: 'held', ended: 'terminal' },
  ],
  'a question of the holder': [
    (task) => machine.asked(task, { c: question }, mine, 1),
    {
      queued: 'fenced',
      running: 'input_required/running',
      left: 'fenced',
      asking: 'input_required/running',
      ended: 'terminal',
    },
  ],
  'a question of a run that lost its lease': [
    (task) => machine.asked(task, { c: question }, late, 1),
    { queued: 'fenced', running: 'fenced', left: 'fenced', asking: 'fenced', ended: 'terminal' },
  ],
  'an answer to one of two': [
    (task) => machine.replied(task, { a: { answer: {} } }, 1),
    { queued: 'ignored', running: 'ignored', left: 'ignored', asking: 'input_required/running', ended: 'ignored' },
  ],
  'answers to both': [
    (task) => machine.replied(task, { a: { answer: {} }, b: { answer: {} } }, 1),
    { queued: 'ignored', running: 'ignored', left: 'ignored', asking: 'working/running', ended: 'ignored' },
  ],
  'words of the holder': [
    (task) => machine.said(task, 'hm', mine, 1),
    {
      queued: 'fenced',
      running: 'working/running',
      left: 'fenced',
      asking: 'input_required/running',
      ended: 'terminal',
    },
  ],
  'words from outside': [
    (task) => machine.said(task, 'hm', outside, 1),
    { queued: 'left', running: 'left', left: 'working/left', asking: 'left', ended: 'terminal' },
  ],
  'an end by the holder': [
    (task) => machine.finished(task, { result: {} }, mine, 1),
    { queued: 'fenced', running: 'completed/queued', left: 'fenced', asking: 'completed/queued', ended: 'terminal' },
  ],
  'an end by a run that lost its lease': [
    (task) => machine.finished(task, { result: {} }, late, 1),
    { queued: 'fenced', running: 'fenced', left: 'fenced', asking: 'fenced', ended: 'terminal' },
  ],
  'an end from outside': [
    (task) => machine.finished(task, { error: { code: 1, message: 'no' } }, outside, 1),
    { queued: 'left', running: 'left', left: 'failed/queued', asking: 'left', ended: 'terminal' },
  ],
  'a cancel': [
    (task) => machine.cancelled(task, 1),
    {
      queued: 'cancelled/queued',
      running: 'cancelled/queued',
      left: 'cancelled/queued',
      asking: 'cancelled/queued',
      ended: 'terminal',
    },
  ],
  'an effect of the holder': [
    (task) => machine.kept(task, { e: { result: 1 } }, mine),
    {
      queued: 'fenced',
      running: 'working/running',
      left: 'fenced',
      asking: 'input_required/running',
      ended: 'terminal',
    },
  ],
  'an effect of a run that lost its lease': [
    (task) => machine.kept(task, { e: { result: 1 } }, late),
    { queued: 'fenced', running: 'fenced', left: 'fenced', asking: 'fenced', ended: 'terminal' },
  ],
  'words of a run that lost its lease': [
    (task) => machine.said(task, 'hm', late, 1),
    { queued: 'fenced', running: 'fenced', left: 'fenced', asking: 'fenced', ended: 'terminal' },
  ],
  'a question that is taken back': [
    (task) => machine.withdrawn(task, ['a', 'b'], mine, 1),
    { queued: 'fenced', running: 'ignored', left: 'fenced', asking: 'working/running', ended: 'terminal' },
  ],
  'work that is left': [
    (task) => machine.left(task, mine, 1),
    { queued: 'fenced', running: 'working/left', left: 'fenced', asking: 'working/left', ended: 'terminal' },
  ],
  'a run that is given back': [
    (task) => machine.givenBack(task, mine),
    { queued: 'fenced', running: 'working/queued', left: 'fenced', asking: 'input_required/queued', ended: 'terminal' },
  ],
  'going on after an answer': [
    (task) => machine.resumed({ ...task, replays: true }, mine),
    { queued: 'fenced', running: 'working/running', left: 'fenced', asking: 'ignored', ended: 'terminal' },
  ],
  'the end of a lease': [
    (task) => machine.leaseEnded(task, 1),
    { queued: 'held', running: 'failed/queued', left: 'held', asking: 'input_required/queued', ended: 'terminal' },
  ],
};

describe('transitions of a task', () => {
  for (const [event, [step, row]] of Object.entries(table)) {
    for (const [name, wanted] of Object.entries(row))
      // `Object.entries` forgets that the names are those of the states.
      test(`${event} makes ${wanted} of a task that is ${name}`, () =>
        assert.equal(outcome(step(states[name as keyof typeof states])), wanted));
  }
});

test('a lease that ends is followed by another run as long as one may begin', () => {
  const next = machine.leaseEnded({ ...running, attempts: 2 }, 1);
  assert.equal(outcome(next), 'working/queued');
  assert.equal((machine.claimed(next as TaskRecord) as TaskRecord).attempt, 2);
});

test('a run that goes on after an answer costs no attempt', () => {
  const parked = machine.leaseEnded(asking, 1) as TaskRecord;
  const answered = machine.replied(parked, { a: { answer: {} }, b: { answer: {} } }, 2) as TaskRecord;
  assert.equal(outcome(answered), 'working/queued');
  const again = machine.claimed(answered) as TaskRecord;
  assert.deepEqual([again.attempt, again.replays], [1, undefined]);
});

test('a lease that ends after an answer costs an attempt once its run was seen to go on', () => {
  const answered = machine.replied(asking, { a: { answer: {} }, b: { answer: {} } }, 1) as TaskRecord;
  assert.equal(outcome(answered), 'working/running');
  const again = machine.claimed(machine.leaseEnded(answered, 2) as TaskRecord) as TaskRecord;
  assert.deepEqual([outcome(again), again.attempt, again.replays], ['working/running', 1, undefined]);
  const wentOn = machine.resumed(answered, mine) as TaskRecord;
  assert.equal(outcome(machine.leaseEnded(wentOn, 2)), 'failed/queued');
  // So does one that took another question back, or that begins again and dies before it is asked.
  const one = machine.replied(asking, { a: { answer: {} } }, 1) as TaskRecord;
  const other = machine.withdrawn(one, ['b'], mine, 2) as TaskRecord;
  for (const task of [other, again]) assert.equal(outcome(machine.leaseEnded(task, 3)), 'failed/queued');
});

test('words of a task have an end, which cuts no character in half', () => {
  for (const [text, length] of [
    ['x'.repeat(2000), 1024],
    [`${'x'.repeat(1023)}😀`, 1023],
    [`${'x'.repeat(1022)}😀`, 1024],
  ] as const) {
    const { statusMessage } = machine.said(running, text, mine, 1) as TaskRecord;
    assert.deepEqual([statusMessage?.length, text.startsWith(statusMessage ?? '-')], [length, true]);
    const failed = machine.finished(running, { error: { code: 1, message: text } }, mine, 1) as TaskRecord;
    assert.equal(failed.statusMessage, statusMessage);
  }
});

test('a key that was answered is asked under no more, and what waits under it is not asked twice', () => {
  const answered = machine.replied(asking, { a: { answer: {} } }, 1) as TaskRecord;
  assert.equal(machine.asked(answered, { a: question }, mine, 2), 'used-key');
  assert.equal(machine.asked(answered, { b: { ...question, digest: 'other' } }, mine, 2), 'used-key');
  assert.equal(machine.asked(answered, { b: question }, mine, 2), 'ignored');
});

test('a task has 32 questions that wait, and asks 256 in its life', () => {
  const many = (from: number, length: number): Record<string, typeof question> =>
    Object.fromEntries(Array.from({ length }, (_, at) => [`k${from + at}`, question]));
  const full = machine.asked(running, many(0, 32), mine, 1) as TaskRecord;
  assert.equal(outcome(full), 'input_required/running');
  assert.equal(machine.asked(full, many(32, 1), mine, 1), 'too-many');
  assert.equal(machine.asked(running, many(0, 33), mine, 1), 'too-many');
  const answers = Object.fromEntries(Object.keys(many(0, 255)).map((key) => [key, { digest: 'd', answer: {} }]));
  const late: TaskRecord = { ...running, answers };
  assert.equal(outcome(machine.asked(late, many(255, 1), mine, 1)), 'input_required/running');
  assert.equal(machine.asked(late, many(255, 2), mine, 1), 'too-many');
});

test('the time of the last change never goes back', () => {
  assert.equal((machine.said({ ...running, updatedAt: 100 }, 'x', mine, 50) as TaskRecord).updatedAt, 100);
});

test('what ended keeps no questions, answers and effects', () => {
  const { open, answers, once } = machine.cancelled(
    { ...asking, answers: { z: { digest: 'd', answer: {} } } },
    1,
  ) as TaskRecord;
  assert.deepEqual([open, answers, once], [{}, {}, {}]);
});

test('the time of the last change moves with what can be seen of a task, and with nothing else', () => {
  const at = 9;
  const visible: readonly (readonly [string, Next])[] = [
    ['a question', machine.asked(running, { c: question }, mine, at)],
    ['an answer', machine.replied(asking, { a: { answer: {} } }, at)],
    ['a question that is taken back', machine.withdrawn(asking, ['a'], mine, at)],
    ['words', machine.said(running, 'hm', mine, at)],
    ['an end', machine.finished(running, { result: {} }, mine, at)],
    ['a cancel', machine.cancelled(running, at)],
    ['a lease that ended for good', machine.leaseEnded(running, at)],
  ];
  for (const [what, next] of visible) assert.equal(typeof next === 'object' && next.updatedAt, at, what);
  const hidden: readonly (readonly [string, Next])[] = [
    ['a claim', machine.claimed(freshTask)],
    ['an effect', machine.kept(running, { e: { result: 1 } }, mine)],
    ['a run that is given back', machine.givenBack(running, mine)],
    ['a lease that ended while it waits', machine.leaseEnded(asking, at)],
  ];
  for (const [what, next] of hidden)
    assert.equal(typeof next === 'object' && next.updatedAt, freshTask.updatedAt, what);
});
