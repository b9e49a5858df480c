/** A task of the extension that a bridge follows to its end. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { settle } from '../../../../../../test/support/raw.ts';
import { McpError } from '../../../protocol/error.ts';
import { newestRevision } from '../../../protocol/revision.ts';
import { questionLimits } from '../../../tasks/machine.ts';
import type { KeptWork } from '../stored/stored-work.ts';
import { UpstreamTask } from './followed.ts';

type Json = Readonly<Record<string, unknown>>;

const base = {
  taskId: 'task',
  createdAt: '2026-01-01T00:00:00Z',
  lastUpdatedAt: '1',
  ttlMs: null,
  resultType: 'complete',
};
const working = { ...base, status: 'working' };
const question = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'who?', requestedSchema: { type: 'object', properties: {} } },
};
const asks = (...keys: readonly string[]): Json => ({
  ...base,
  status: 'input_required',
  inputRequests: Object.fromEntries(keys.map((key) => [key, question])),
});
const completed = { ...base, status: 'completed', result: { content: [] } };
const down = new McpError('internalError', 'down');

/** A task that a server answers for as the test has set, or with what it throws. */
function following(t: TestContext, firstMs: number | undefined = 1_000, first: Json | Error = working) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  // Intervals are as long as they are without scattering.
  t.mock.method(Math, 'random', () => 0.5);
  const state: { task: Json | Error; update: Error | undefined } = { task: first, update: undefined };
  const log: string[] = [];
  const said: string[] = [];
  const updates: unknown[] = [];
  const questions = new Map<
    string,
    { readonly signal: AbortSignal; answer(value: Json): void; fail(error: Error): void }
  >();
  const hearings: { readonly signal: AbortSignal; changed(): void; end(error?: Error): void }[] = [];
  const gone = new AbortController();
  const work = {
    revision: newestRevision,
    face: {
      signal: gone.signal,
      once: async (_: string, run: () => Promise<unknown>) => await run(),
      task: { say: (words: string) => void said.push(words) },
    },
    request: async (method: string, { inputResponses }: Json) => {
      log.push(method);
      if (method === 'tasks/update') {
        if (state.update !== undefined) throw state.update;
        updates.push(inputResponses);
        return {};
      }
      if (state.task instanceof Error) throw state.task;
      return state.task;
    },
    hear: (_: string, changed: () => void, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        hearings.push({ changed, signal, end: (error) => (error === undefined ? resolve() : reject(error)) });
      }),
    ask: (key: string, _: unknown, signal: AbortSignal) =>
      new Promise((answer, fail) => {
        assert.equal(questions.has(key), false, 'a question is asked once');
        questions.set(key, { signal, answer, fail });
      }),
  } as unknown as KeptWork;
  const ended = new UpstreamTask(work, 'task').ended(firstMs);
  const outcome = ended.catch((error: Error) => error.message);
  return {
    state,
    log,
    said,
    updates,
    questions,
    hearings,
    gone,
    ended,
    outcome,
    /** How often the task was looked at. */
    looks: () => log.filter((method) => method === 'tasks/get').length,
    async pass(ms: number) {
      await settle();
      now += ms;
      t.mock.timers.tick(ms);
      for (let turn = 0; turn < 3; turn++) await settle();
    },
  };
}

describe('a task of the extension', () => {
  test('is looked at as often as its server says, and less often while nothing changes', async (t) => {
    const { state, looks, pass, outcome } = following(t);
    for (const [ms, next] of [
      [1_000, { ...working, pollIntervalMs: 4_000 }],
      [4_000, { ...working, pollIntervalMs: 4_000 }],
      [6_000, { ...working, pollIntervalMs: 4_000 }],
      [9_000, { ...working, pollIntervalMs: 4_000, lastUpdatedAt: '2' }],
      [4_000, { ...working, pollIntervalMs: 4_000, lastUpdatedAt: '2', statusMessage: 'half' }],
      [4_000, { ...working, pollIntervalMs: 500, lastUpdatedAt: '2', statusMessage: 'half' }],
      [750, completed],
    ] as const) {
      const before = looks();
      state.task = next;
      await pass(ms - 1);
      assert.equal(looks(), before, `before ${ms}`);
      await pass(1);
      assert.equal(looks(), before + 1, `after ${ms}`);
    }
    assert.deepEqual(await outcome, { content: [] });
  });

  test('ends as its server says', async (t) => {
    const error = { code: -32602, message: 'not like that' };
    for (const [task, end] of [
      [
        { ...base, status: 'failed', error },
        { kind: 'invalidParams', message: 'not like that' },
      ],
      [
        { ...base, status: 'failed' },
        { kind: 'internalError', message: /sent a failed task without its error/ },
      ],
      [
        { ...base, status: 'cancelled' },
        { kind: 'internalError', message: /cancelled the task of the call/ },
      ],
      [{ ...base, status: 'completed' }, { kind: 'internalError' }],
      [{ taskId: 7 }, { kind: 'internalError', message: /task is malformed/ }],
      [new McpError('invalidParams', 'unknown'), { kind: 'internalError', message: /does not have the task/ }],
      [new McpError('methodNotFound', 'no'), { kind: 'internalError', message: /refused tasks\/get/ }],
    ] as const) {
      const { ended, pass } = following(t, 1_000, task);
      const rejected = assert.rejects(ended, end as object);
      await pass(1_000);
      await rejected;
      t.mock.reset();
    }
  });

  test('is looked at again after a failure that may pass', async (t) => {
    const { state, looks, pass, outcome } = following(t, 1_000, down);
    await pass(1_000);
    await pass(1_500);
    assert.equal(looks(), 2);
    state.task = completed;
    await pass(2_250);
    assert.deepEqual(await outcome, { content: [] });
  });

  test('has the message of its server', async (t) => {
    const { state, said, pass } = following(t);
    for (const message of [undefined, 'half', 'all']) {
      state.task = { ...working, ...(message && { statusMessage: message }) };
      await pass(30_000);
    }
    assert.deepEqual([...new Set(said)], ['half', 'all']);
  });

  test('is given up with its call, which takes back what it asks', async (t) => {
    const { gone, questions, looks, hearings, pass, outcome } = following(t, 1_000, asks('a'));
    await pass(1_000);
    await pass(1_000);
    const before = looks();
    gone.abort(new Error('given up'));
    assert.match(JSON.stringify(await outcome), /given up/);
    assert.deepEqual([questions.get('task:a')?.signal.aborted, hearings[0]?.signal.aborted], [true, true]);
    await pass(3_600_000);
    assert.equal(looks(), before);
  });
});

describe('what a server tells of a task', () => {
  test('is waited for after 2 s, and again 30 s after it ended or failed', async (t) => {
    const { hearings, pass, state, outcome } = following(t, 3_600_000);
    await pass(1_999);
    assert.equal(hearings.length, 0);
    await pass(1);
    for (const [at, error] of [undefined, new Error('lost')].entries()) {
      hearings[at]?.end(error);
      await pass(29_999);
      assert.equal(hearings.length, at + 1);
      await pass(1);
      assert.equal(hearings.length, at + 2);
    }
    state.task = completed;
    hearings.at(-1)?.changed();
    await pass(100);
    await outcome;
    assert.equal(hearings.at(-1)?.signal.aborted, true);
    hearings.at(-1)?.end();
    await pass(60_000);
    assert.equal(hearings.length, 3);
  });

  test('has the task looked at once 100 ms later, however much it tells', async (t) => {
    const { hearings, looks, pass } = following(t, 3_600_000);
    await pass(2_000);
    for (let times = 1; times < 3; times++) {
      for (let news = 0; news < 5; news++) hearings[0]?.changed();
      await pass(99);
      assert.equal(looks(), times - 1);
      await pass(1);
      assert.equal(looks(), times);
    }
  });

  test('is not lost if it comes while the task is looked at', async (t) => {
    const { hearings, looks, state, pass } = following(t, 3_600_000);
    await pass(2_000);
    hearings[0]?.changed();
    t.mock.timers.tick(0);
    state.task = { ...working, pollIntervalMs: 3_600_000 };
    await pass(100);
    assert.equal(looks(), 1);
    hearings[0]?.changed();
    await pass(100);
    assert.equal(looks(), 2);
  });
});

describe('what a task asks', () => {
  test('is asked once, and its answer goes to the server', async (t) => {
    const { state, questions, updates, pass, outcome } = following(t, 1_000, asks('a', 'b'));
    await pass(1_000);
    await pass(1_000);
    assert.deepEqual([...questions.keys()], ['task:a', 'task:b']);
    questions.get('task:b')?.answer({ action: 'accept' });
    await pass(0);
    assert.deepEqual(updates, [{ b: { action: 'accept' } }]);
    assert.equal(questions.get('task:a')?.signal.aborted, false);
    state.task = completed;
    await pass(60_000);
    await outcome;
    assert.equal(questions.get('task:a')?.signal.aborted, true);
  });

  test('is taken back if the server asks it no more, and its answer goes nowhere', async (t) => {
    const { state, questions, updates, pass } = following(t, 1_000, asks('a', 'b'));
    await pass(1_000);
    state.task = asks('b');
    await pass(30_000);
    assert.deepEqual(
      ['a', 'b'].map((key) => questions.get(`task:${key}`)?.signal.aborted),
      [true, false],
    );
    questions.get('task:a')?.answer({});
    state.task = working;
    await pass(30_000);
    questions.get('task:b')?.fail(new Error('taken back'));
    await pass(30_000);
    assert.deepEqual(updates, []);
  });

  test('fails the call if it cannot be asked', async (t) => {
    const { questions, pass, ended } = following(t, 1_000, asks('a'));
    await pass(1_000);
    const rejected = assert.rejects(ended, /no such input/);
    questions.get('task:a')?.fail(new Error('no such input'));
    await rejected;
  });

  test('is at most 256 questions', async (t) => {
    const keys = Array.from({ length: questionLimits.ever }, (_, at) => `q${at}`);
    const { state, questions, pass, ended } = following(t, 1_000, asks(...keys));
    await pass(1_000);
    assert.equal(questions.size, 256);
    const rejected = assert.rejects(ended, /asks more than 256 questions for a task/);
    state.task = asks(...keys, 'one more');
    await pass(1_500);
    await rejected;
    assert.equal(questions.size, 256);
  });
});

describe('an answer that a server does not take', () => {
  /** A client that answered, and a server that fails to take it. */
  async function answered(t: TestContext, update: Error) {
    const scene = following(t, 1_000, asks('a'));
    await scene.pass(1_000);
    scene.state.update = update;
    scene.state.task = { ...asks('a'), pollIntervalMs: 3_600_000 };
    await scene.pass(1_500);
    scene.questions.get('task:a')?.answer({ action: 'accept' });
    await scene.pass(0);
    const sent = (): number => scene.log.filter((method) => method === 'tasks/update').length;
    assert.equal(sent(), 1);
    return { ...scene, sent };
  }

  test('is sent again if that may pass', async (t) => {
    const { state, sent, updates, pass } = await answered(t, down);
    await pass(1_000);
    assert.equal(sent(), 2);
    state.update = undefined;
    await pass(1_500);
    await pass(60_000);
    assert.deepEqual([sent(), updates], [3, [{ a: { action: 'accept' } }]]);
  });

  test('fails the call if that will not pass', async (t) => {
    const { outcome } = await answered(t, new McpError('methodNotFound', 'no such method'));
    assert.match(JSON.stringify(await outcome), /refused tasks\/update of the task of the call/);
  });

  test('is not sent again once the question is taken back', async (t) => {
    const { state, sent, pass } = await answered(t, down);
    state.task = working;
    await pass(3_600_000);
    const before = sent();
    await pass(3_600_000);
    assert.equal(sent(), before);
  });

  test('fails the call if the task still asks, and is dropped if it does not', async (t) => {
    const unknown = new McpError('invalidParams', 'unknown');
    const asking = await answered(t, unknown);
    assert.match(JSON.stringify(await asking.outcome), /refused tasks\/update/);
    t.mock.reset();

    for (const task of [working, asks('b')]) {
      const scene = following(t, 1_000, asks('a'));
      await scene.pass(1_000);
      scene.state.update = unknown;
      // The task cannot be looked at for a while.
      scene.state.task = down;
      scene.questions.get('task:a')?.answer({ action: 'accept' });
      await scene.pass(500);
      scene.state.task = task;
      await scene.pass(30_000);
      scene.state.task = completed;
      await scene.pass(60_000);
      assert.deepEqual(await scene.outcome, { content: [] });
      assert.equal(scene.log.filter((method) => method === 'tasks/update').length, 1);
      t.mock.reset();
    }
  });
});
