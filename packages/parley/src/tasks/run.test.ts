/** One run of a task: what it does when its store is slow, away, or says that the task is elsewhere. */

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test, type TestContext } from 'node:test';
import { settle } from '../../../../test/support/raw.ts';
import { RoundEnded } from '../connection/client-request.ts';
import type { McpError } from '../protocol/error.ts';
import { memoryTasks } from '../storage/memory-tasks.ts';
import type { TaskStore } from '../storage/tasks.ts';
import { Keeper } from './keeper.ts';
import { cancelled, claimed, finished, replied } from './machine.ts';
import type { TaskRecord } from './record.ts';
import { TaskRun } from './run.ts';
import { RecordTexts } from './sealed-text.ts';

const leaseTtlMs = 300;

const fresh: TaskRecord = {
  id: 'task',
  owner: '',
  request: { name: 'tool', params: {}, revision: '2025-11-25', client: { capabilities: {} } },
  status: 'working',
  createdAt: 0,
  updatedAt: 0,
  ttlMs: null,
  pollIntervalMs: 50,
  hand: 'queued',
  attempt: 0,
  attempts: 1,
  open: {},
  answers: {},
  once: {},
};

/** A claimed task with a run, a clock of the test, and a store whose changes and renewals the test may hold up. */
async function running(t: TestContext) {
  const clock = { now: 0 };
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(performance, 'now', () => clock.now);
  const faults: string[] = [];
  const inner = memoryTasks({ now: () => clock.now });
  const gate: { before?: (() => Promise<void>) | undefined; writes: number } = { writes: 0 };
  const gated =
    <Given extends readonly unknown[], Result>(ask: (...given: Given) => Result) =>
    async (...given: Given): Promise<Awaited<Result>> => {
      gate.writes++;
      await gate.before?.();
      return await ask(...given);
    };
  const store: TaskStore = { ...inner, swap: gated(inner.swap), renew: gated(inner.renew) };
  const keeper = new Keeper({
    store,
    queue: 'q',
    texts: new RecordTexts(undefined),
    outcomeTtlMs: 0,
    now: () => clock.now,
    onError: (error) => faults.push(String(error)),
  });
  const added = await keeper.add(fresh, 0, 1);
  assert.ok(added);
  const held = await keeper.change(added, ({ record }) => claimed(record), leaseTtlMs);
  assert.ok(typeof held === 'object');
  gate.writes = 0;
  const bounds = {
    now: () => clock.now,
    leaseTtlMs,
    textLength: 200,
    onError: (error: unknown) => faults.push(String(error)),
  };
  const run = new TaskRun(keeper, held, bounds);
  t.after(() => run.done());
  const pass = async (ms: number): Promise<void> => {
    clock.now += ms;
    t.mock.timers.tick(ms);
    await settle();
  };
  return { run, keeper, gate, faults, pass, clock };
}

const away = (): Promise<never> => Promise.reject(new Error('the store is away'));

/** The outcome so far of what is waited for. */
function outcomeOf(work: Promise<unknown>): { said: unknown } {
  const outcome: { said: unknown } = { said: 'waits' };
  work.then(
    (value) => (outcome.said = value),
    (error: unknown) => (outcome.said = error),
  );
  return outcome;
}

describe('a side effect', () => {
  test('begins once the store has renewed the lease, and not before', async (t) => {
    const { run, gate } = await running(t);
    let open!: () => void;
    gate.before = () => new Promise((resolve) => (open = resolve));
    const begun: string[] = [];
    const done = run.begin(() => begun.push('begun'));
    await settle();
    assert.deepEqual([gate.writes, begun], [1, []]);
    open();
    assert.equal(await done, 1);
  });

  test('does not begin when the lease ended while the store answered', async (t) => {
    const { run, gate, clock, faults } = await running(t);
    gate.before = async () => void (clock.now = leaseTtlMs);
    await assert.rejects(
      run.begin(() => assert.fail('it began')),
      RoundEnded,
    );
    assert.match(faults.join(), /an effect of ctx\.once did not begin: .* lease of 300 ms/);
    assert.deepEqual([run.over, run.signal.aborted], ['elsewhere', true]);
  });

  test('does not begin when the lease has ended, and asks the store nothing', async (t) => {
    const { run, gate, clock, faults } = await running(t);
    clock.now = leaseTtlMs;
    await assert.rejects(
      run.begin(() => assert.fail('it began')),
      RoundEnded,
    );
    assert.deepEqual([gate.writes, faults.length, run.over], [0, 1, 'elsewhere']);
  });

  test('does not begin when another run has the task', async (t) => {
    const { run, gate, keeper, pass } = await running(t);
    await pass(leaseTtlMs - 1);
    await keeper.store.renew([{ id: 'task', epoch: run.epoch }], 0);
    gate.before = undefined;
    assert.equal((await keeper.claim('other', leaseTtlMs, 1)).length, 1);
    await assert.rejects(
      run.begin(() => assert.fail('it began')),
      RoundEnded,
    );
    assert.deepEqual([run.over, run.signal.aborted], ['elsewhere', true]);
  });

  test('is stored once it ran, unless it is too long', async (t) => {
    const { run } = await running(t);
    await run.keep('a', { value: 1 } as never);
    assert.deepEqual(run.record.once, { a: { value: 1 } });
    const long = (length: number) => run.keep('b', { value: 'x'.repeat(length) } as never);
    const rest = 200 - JSON.stringify({ ...run.record.once, b: { value: '' } }).length;
    await assert.rejects(long(rest + 1), (error: McpError) => (error.data as { limit: number }).limit === 200);
    await long(rest);
  });
});

describe('a store that is away', () => {
  test('is asked again after 100 ms, and twice as long each time', async (t) => {
    const { run, gate, pass } = await running(t);
    gate.before = away;
    const outcome = outcomeOf(run.keep('a', { value: 1 } as never));
    await settle();
    assert.equal(gate.writes, 1);
    await pass(99);
    assert.equal(gate.writes, 1);
    gate.before = undefined;
    await pass(1);
    assert.deepEqual([gate.writes, outcome.said, run.over], [2, undefined, undefined]);
  });

  test('ends the run when the next attempt would come as the lease ends', async (t) => {
    const { run, gate, pass } = await running(t);
    gate.before = away;
    const outcome = outcomeOf(run.keep('a', { value: 1 } as never));
    await settle();
    await pass(100);
    assert.deepEqual([gate.writes, run.over, run.signal.aborted], [2, 'elsewhere', true]);
    assert.match(String(outcome.said), /the store is away/);
  });

  test('ends the run after one lease if it never answers', async (t) => {
    const { run, gate, pass } = await running(t);
    gate.before = () => new Promise(() => undefined);
    const outcome = outcomeOf(run.begin(() => assert.fail('it began')));
    await pass(leaseTtlMs - 1);
    assert.deepEqual([outcome.said, run.over], ['waits', undefined]);
    await pass(1);
    assert.match(String(outcome.said), /did not answer for as long as the lease lasted/);
    assert.equal(run.over, 'elsewhere');
  });
});

describe('a message of a run', () => {
  test('is stored at once, and the last of those that follow after the poll interval', async (t) => {
    const { run, pass, gate } = await running(t);
    run.say('one');
    await settle();
    assert.equal(run.record.statusMessage, 'one');
    run.say('two');
    run.say('three');
    await pass(49);
    assert.equal(run.record.statusMessage, 'one');
    await pass(1);
    assert.deepEqual([run.record.statusMessage, gate.writes], ['three', 2]);
  });

  test('goes with the next change of the task, and once', async (t) => {
    const { run, pass, gate } = await running(t);
    run.say('one');
    await settle();
    run.say('two');
    await run.keep('a', { value: 1 } as never);
    assert.equal(run.record.statusMessage, 'two');
    await pass(50);
    assert.equal(gate.writes, 2);
  });

  test('is stored no more when the run is done', async (t) => {
    const { run, pass, gate } = await running(t);
    run.say('one');
    await settle();
    run.say('two');
    run.done();
    run.say('three');
    await pass(60_000);
    assert.deepEqual([run.record.statusMessage, gate.writes], ['one', 1]);
  });
});

describe('the end of a task', () => {
  test('aborts its run if it was cancelled, and says so', async (t) => {
    const { run, keeper } = await running(t);
    await keeper.change('task', ({ record }) => cancelled(record, 1));
    assert.deepEqual([run.over, run.signal.aborted], ['ended', true]);
    assert.match(String(run.signal.reason), /the task was cancelled/);
  });

  test('does not abort a run that finished', async (t) => {
    const { run, keeper } = await running(t);
    await keeper.change('task', ({ record, epoch }) => finished(record, { result: {} }, { epoch, by: epoch }, 1));
    assert.deepEqual([run.over, run.signal.aborted], ['ended', false]);
    await assert.rejects(run.ask('k', { method: 'roots/list', params: {}, digest: 'd' }, undefined), RoundEnded);
  });
});

describe('the questions of a run', () => {
  const question = { method: 'elicitation/create', params: {}, digest: 'd' } as const;

  test('of one turn are asked at once, and each gets its answer', async (t) => {
    const { run, keeper, gate, pass } = await running(t);
    const { signal } = new AbortController();
    const [one, two] = ['a', 'b'].map((key) => run.ask(key, question, signal));
    await pass(0);
    assert.deepEqual([Object.keys(run.record.open), run.record.status, gate.writes], [['a', 'b'], 'input_required', 1]);
    assert.equal(run.waits, true);
    const answer = (content: string) => ({ answer: { content } });
    await keeper.change('task', ({ record }) => replied(record, { a: answer('x'), b: answer('y') }, 1));
    assert.deepEqual([(await one)?.answer, (await two)?.answer], [{ content: 'x' }, { content: 'y' }]);
    assert.equal(run.waits, false);
    // A signal may outlive many questions.
    assert.equal(getEventListeners(signal, 'abort').length, 0);
    assert.equal(run.record.replays, undefined);
  });

  test('are withdrawn when their signal is aborted, before and after they were asked', async (t) => {
    const { run, pass } = await running(t);
    for (const isAsked of [false, true]) {
      const stop = new AbortController();
      const outcome = outcomeOf(run.ask(String(isAsked), question, stop.signal));
      if (isAsked) await pass(0);
      stop.abort(new Error('given up'));
      await pass(0);
      assert.match(String(outcome.said), /given up/);
      assert.deepEqual([run.record.open, run.record.status, run.waits], [{}, 'working', false]);
    }
  });

  test('are rejected when the run is lost', async (t) => {
    const { run, pass } = await running(t);
    const outcome = outcomeOf(run.ask('a', question, undefined));
    await pass(0);
    run.lose();
    await settle();
    assert.ok(outcome.said instanceof RoundEnded);
    assert.equal(run.waits, false);
  });

  test('are 32 at once, each key is used once, and their text has a limit', async (t) => {
    const { run, keeper, pass } = await running(t);
    const ask = async (keys: readonly string[], one = question): Promise<unknown> => {
      const outcomes = keys.map((key) => outcomeOf(run.ask(key, one, undefined)));
      await pass(0);
      return outcomes[0]?.said;
    };
    assert.match(
      String(await ask(['a'], { ...question, params: { x: 'x'.repeat(200) } } as never)),
      /200 characters of JSON/,
    );
    assert.equal(await ask(['a']), 'waits');
    await keeper.change('task', ({ record }) => replied(record, { a: { answer: {} } }, 1));
    await pass(0);
    assert.match(String(await ask(['a'])), /under a key that was used before/);
  });
});
