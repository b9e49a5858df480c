/** A bridge that waits for a task of a server in the place of a client that knows of no tasks. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { settle } from '../../../../../test/support/raw.ts';
import { passing, until } from '../../../../../test/support/turns.ts';
import { McpError } from '../../protocol/error.ts';
import { newestRevision } from '../../protocol/revision.ts';
import { createSeal } from '../../sealing/seal.ts';
import type { TaskOnlyCall } from './attempt.ts';
import { goOnWaiting, waitInExtension } from './waited-extension.ts';

type Json = Readonly<Record<string, unknown>>;

const times = { createdAt: '2026-07-28T00:00:00.000Z', lastUpdatedAt: '2026-07-28T00:00:00.000Z', ttlMs: null };
const taskOf = (status: string, more: Json = {}): Json => ({
  taskId: 't',
  status,
  ...times,
  resultType: 'complete',
  ...more,
});
const created = (more: Json = {}): Json => ({ taskId: 't', status: 'working', ...times, resultType: 'task', ...more });

/** A call whose server answers so, one after the other. */
function scene(t: TestContext, first: Json, ...looks: readonly (Json | Error)[]) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(Math, 'random', () => 0.5);
  const clock = { now: 0 };
  const asked: (readonly [string, Json])[] = [];
  const answers = [...looks];
  const request = async (method: string, params: Json): Promise<Json> => {
    asked.push([method, params]);
    if (method === 'tools/call') return first;
    if (method !== 'tasks/get') return {};
    const answer = answers.shift() ?? assert.fail('it looked once more');
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const attempt = {
    client: { request },
    revision: newestRevision,
    call: { method: 'tools/call', meta: {}, signal: new AbortController().signal, auth: undefined },
    params: { name: 'x' },
    sent: { name: 'x' },
    options: {},
    waiting: { seal: createSeal(), ttlMs: 100, now: () => clock.now },
    read: (result: Json) => ({ read: result }),
  } as unknown as TaskOnlyCall;
  const outcome: { said: unknown } = { said: 'waits' };
  const follow = (work: Promise<unknown>): void =>
    void work.then(
      (result) => (outcome.said = result),
      (error: unknown) => (outcome.said = error),
    );
  const pass = async (ms: number): Promise<void> => {
    t.mock.timers.tick(ms);
    await settle();
  };
  const methods = (): readonly string[] => asked.splice(0).map(([method]) => method);
  return { attempt, outcome, follow, pass, asked, methods, clock };
}

const done = taskOf('completed', { result: { content: [] } });

test('a task is looked at as often as its server says, each time anew', async (t) => {
  const { attempt, outcome, follow, pass, methods } = scene(
    t,
    created({ pollIntervalMs: 1_000 }),
    taskOf('working', { pollIntervalMs: 5_000 }),
    done,
  );
  follow(waitInExtension(attempt));
  await settle();
  await pass(999);
  assert.deepEqual(methods(), ['tools/call']);
  await pass(1);
  assert.deepEqual(methods(), ['tasks/get']);
  await pass(4_999);
  assert.deepEqual(methods(), []);
  await pass(2_600);
  assert.deepEqual([methods(), outcome.said], [['tasks/get'], { read: { content: [] } }]);
});

test('a call that is no task is read at once', async (t) => {
  const { attempt, outcome, follow } = scene(t, { content: [], resultType: 'complete' });
  follow(waitInExtension(attempt));
  await settle();
  assert.deepEqual(outcome.said, { read: { content: [], resultType: 'complete' } });
});

describe('a task that ends without a result fails its call', () => {
  const failure = { code: -32602, message: 'not like that' };
  for (const [what, end, message] of [
    ['cancelled', taskOf('cancelled'), /cancelled the task of the call/],
    ['failed', taskOf('failed', { error: failure }), /not like that/],
    ['failed without a reason', taskOf('failed'), /sent a failed task without its error|malformed/],
    ['completed without a result', taskOf('completed'), /without its result|malformed/],
  ] as const)
    test(`if it was ${what}`, async (t) => {
      const { attempt, outcome, follow, pass } = scene(t, created({ pollIntervalMs: 100 }), end);
      follow(waitInExtension(attempt));
      await settle();
      await pass(100);
      assert.ok(outcome.said instanceof McpError);
      assert.match(outcome.said.message, message);
    });
});

describe('a question of a task', () => {
  const form = { mode: 'form', message: 'who?', requestedSchema: { type: 'object', properties: {} } };
  const inputRequests = { q: { method: 'elicitation/create', params: form } };
  const waiting = taskOf('input_required', { inputRequests });

  async function asked(t: TestContext, ...looks: readonly Json[]) {
    const one = scene(t, created({ pollIntervalMs: 100 }), waiting, ...looks);
    one.follow(waitInExtension(one.attempt));
    await settle();
    await one.pass(100);
    await until(() => one.outcome.said !== 'waits');
    const { read } = one.outcome.said as { read: Json };
    one.methods();
    one.outcome.said = 'waits';
    return { ...one, question: read };
  }

  test('goes to the client, whose answer goes to the server once', async (t) => {
    const { question, attempt, follow, pass, asked: sent, outcome } = await asked(t, waiting, done);
    assert.deepEqual([question['resultType'], question['inputRequests']], ['input_required', inputRequests]);
    follow(goOnWaiting(attempt, String(question['requestState']), { q: { action: 'accept' }, other: {} }));
    await until(() => sent.length > 0);
    assert.deepEqual(sent[0], ['tasks/update', { taskId: 't', inputResponses: { q: { action: 'accept' } } }]);
    await passing(
      () => outcome.said !== 'waits',
      () => void pass(1_000),
    );
    assert.deepEqual(outcome.said, { read: { content: [] } });
  });

  test('has a state that is good for a while, and afterwards for the outcome alone', async (t) => {
    const { question, attempt, clock, methods, follow, pass, outcome } = await asked(t, waiting, done);
    clock.now = 101;
    const late = async (): Promise<unknown> => {
      outcome.said = 'waits';
      follow(goOnWaiting(attempt, String(question['requestState']), { q: { action: 'accept' } }));
      await passing(
        () => outcome.said !== 'waits',
        () => void pass(1),
      );
      return outcome.said;
    };
    assert.match(String(await late()), /may have run: it is too old; begin again only if it may run twice/);
    assert.deepEqual(await late(), { read: { content: [] } });
    assert.deepEqual(methods(), ['tasks/get', 'tasks/get']);
    await assert.rejects(goOnWaiting(attempt, 'parley-task.wrong', {}), /requestState is not valid/);
  });

  test('that nobody answered is asked again', async (t) => {
    const { question, attempt, follow, pass, methods, outcome } = await asked(t, waiting);
    follow(goOnWaiting(attempt, String(question['requestState']), {}));
    await passing(
      () => outcome.said !== 'waits',
      () => void pass(100),
    );
    assert.deepEqual(methods(), ['tasks/get']);
    assert.equal((outcome.said as { read: Json }).read['resultType'], 'input_required');
  });
});
