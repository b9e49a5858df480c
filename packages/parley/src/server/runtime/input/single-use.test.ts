import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpError } from '../../../protocol/error.ts';
import { SingleUse, type RoundDelivery, type RoundRun } from './single-use.ts';
import { memoryRoundStore, type RoundStoreLimits } from './state-store.ts';

const delivery: RoundDelivery = { id: 'state', answers: 'yes', leftMs: 1_000, call: { aborted: false } };
const isKind = (kind: string) => (error: unknown) => error instanceof McpError && error.kind === kind;

function used(limits: RoundStoreLimits = {}): SingleUse {
  return new SingleUse(memoryRoundStore(limits), memoryRoundStore(limits), 0);
}

/** A run that counts itself, and comes to something. */
function counted(outcome: (run: number) => unknown): { readonly run: () => RoundRun; runs: number } {
  const counter = {
    runs: 0,
    run: (): RoundRun => ({
      outcome: async () => await outcome(++counter.runs),
      hasFailed: () => false,
      effects: async () => ({}),
    }),
  };
  return counter;
}

test('a round runs once, and each delivery of it has its outcome [mrtr-015]', async () => {
  const rounds = used();
  const counter = counted((number) => ({ content: [number] }));
  const outcomes = await Promise.all([1, 2, 3].map(() => rounds.outcome(delivery, counter.run)));
  outcomes.push(await rounds.outcome(delivery, counter.run));
  assert.deepEqual(outcomes, Array(4).fill({ content: [1] }));
  assert.equal(counter.runs, 1);
});

test('a round runs once also if the clock of its state is set back', async () => {
  let time = 0;
  const rounds = used({ now: () => time });
  const counter = counted((number) => ({ content: [number] }));
  await rounds.outcome(delivery, counter.run);
  for (time of [1_001, 600_000]) assert.deepEqual(await rounds.outcome(delivery, counter.run), { content: [1] });
  time = 600_001;
  await assert.rejects(rounds.outcome(delivery, counter.run), /may have run/);
  assert.equal(counter.runs, 1);
});

test('a state that was used is refused with other answers, while it runs and later', async () => {
  const rounds = used();
  const counter = counted(() => ({}));
  const first = rounds.outcome(delivery, counter.run);
  await assert.rejects(rounds.outcome({ ...delivery, answers: 'no' }, counter.run), isKind('invalidParams'));
  await first;
  await assert.rejects(rounds.outcome({ ...delivery, answers: 'no' }, counter.run), /used before, with other answers/);
});

test('a round whose client left before it failed runs again for whoever still waits', async () => {
  const rounds = used();
  const call = { aborted: false };
  let fail = (): void => undefined;
  const counter = counted(async (number) => {
    if (number > 1) return { number };
    await new Promise<void>((resolve) => (fail = resolve));
    throw new DOMException('the request was cancelled', 'AbortError');
  });
  const first = rounds.outcome({ ...delivery, call }, counter.run);
  const second = rounds.outcome(delivery, counter.run);
  await new Promise(setImmediate);
  call.aborted = true;
  fail();
  await assert.rejects(first, { name: 'AbortError' });
  assert.deepEqual(await second, { number: 2 });
});

test('a round that failed runs again, and knows the effects of the run before', async () => {
  const rounds = used();
  const seen: unknown[] = [];
  const run = (known: object): RoundRun => {
    seen.push(known);
    const outcome = async (): Promise<unknown> => {
      if (seen.length === 1) throw new McpError('internalError', 'no');
      return 'done';
    };
    return { outcome, hasFailed: () => false, effects: async () => ({ ...known, pay: { result: 7 } }) };
  };
  await assert.rejects(rounds.outcome(delivery, run), isKind('internalError'));
  assert.equal(await rounds.outcome(delivery, run), 'done');
  assert.deepEqual(seen, [{}, { pay: { result: 7 } }]);
});

test('a round does not run again because its outcome is not kept', async () => {
  const rounds = used();
  const counter = counted(() => 'x'.repeat(2 * 1024 * 1024));
  await rounds.outcome(delivery, counter.run);
  await assert.rejects(rounds.outcome(delivery, counter.run), /its outcome is not known here/);
  assert.equal(counter.runs, 1);
});

test('an outcome is kept for ten minutes, and the state is refused after them', async () => {
  let time = 0;
  const rounds = used({ now: () => time });
  const counter = counted(() => ({}));
  const long = { ...delivery, leftMs: 3_600_000 };
  await rounds.outcome(long, counter.run);
  time = 599_999;
  assert.deepEqual(await rounds.outcome(long, counter.run), {});
  time = 600_001;
  await assert.rejects(rounds.outcome(long, counter.run), /may have run: .* begin again only if it may run twice/);
  assert.equal(counter.runs, 1);
});

test('an outcome outlives its state, and an expired state begins no run', async () => {
  let time = 0;
  const rounds = used({ now: () => time });
  const counter = counted((number) => ({ number }));
  await rounds.outcome(delivery, counter.run);
  time = 5_000;
  const late = { ...delivery, leftMs: -4_000 };
  assert.deepEqual(await rounds.outcome(late, counter.run), { number: 1 });
  const advice = /may have run: it is too old; begin again only if it may run twice/;
  await assert.rejects(rounds.outcome({ ...late, id: 'other' }, counter.run), advice);
  time = 600_001;
  await assert.rejects(rounds.outcome({ ...delivery, leftMs: -599_001 }, counter.run), advice);
  assert.equal(counter.runs, 1);
});

test('a state counts as used until it expires, whatever comes after it', async () => {
  let time = 0;
  const rounds = used({ now: () => time });
  const counter = counted(() => ({}));
  await rounds.outcome(delivery, counter.run);
  for (let other = 0; other < 3_000; other++) await rounds.outcome({ ...delivery, id: `${other}` }, counter.run);
  time = 1_000;
  await assert.rejects(rounds.outcome(delivery, counter.run), isKind('invalidParams'));
});

test('if there is no room for another mark, new states are refused and no mark goes', async () => {
  let time = 0;
  const rounds = used({ now: () => time, maxMarks: 2 });
  const counter = counted(() => ({}));
  const of = (id: string): Promise<unknown> => rounds.outcome({ ...delivery, id }, counter.run);
  await of('one');
  await of('two');
  await assert.rejects(of('three'), isKind('busy'));
  await assert.rejects(rounds.outcome({ ...delivery, id: 'one', answers: 'no' }, counter.run), isKind('invalidParams'));
  time = 601_001;
  await of('late');
});

test('the outcome of a round that runs in another process is waited for, and looked for more and more seldom', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let time = 0;
  t.mock.method(performance, 'now', () => time);
  const [marks, outcomes] = [memoryRoundStore({ now: () => time }), memoryRoundStore({ now: () => time })];
  const looks: number[] = [];
  const watched = {
    ...outcomes,
    add: outcomes.add.bind(outcomes),
    get: (handle: string) => (looks.push(time), outcomes.get(handle)),
  };
  await marks.add('used state', '', 1_000_000);
  const rounds = new SingleUse(marks, watched, 5_000);
  const counter = counted(() => ({}));
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 10) {
      time += 10;
      t.mock.timers.tick(10);
      await new Promise(setImmediate);
    }
  };
  const first = rounds.outcome(delivery, counter.run);
  await pass(1_000);
  const waits = (): readonly number[] => looks.slice(1).map((at, index) => at - (looks[index] ?? 0));
  assert.deepEqual(waits(), [20, 40, 80, 160, 320]);
  await outcomes.add('outcome state', '{"answers":"yes","result":{"plain":{"content":[1]}}}', 1_000_000);
  await pass(1_000);
  assert.deepEqual([await first, waits().at(-1), counter.runs], [{ content: [1] }, 640, 0]);
  // A round whose process died has no outcome.
  await marks.add('used dead', '', 1_000_000);
  const dead = assert.rejects(
    rounds.outcome({ ...delivery, id: 'dead' }, counter.run),
    /its outcome is not known here/,
  );
  looks.length = 0;
  await pass(6_000);
  await dead;
  assert.deepEqual(waits(), [20, 40, 80, 160, 320, 640, 1_000, 1_000, 1_000]);
});
