/** Progress that comes under a token of the bridge, and goes to its client under the token of that. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newestRevision, revisionOf } from '../../protocol/revision.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { ForwardedCall } from './forwarded-call.ts';
import { ConnectionCalls } from './connection-calls.ts';
import { OrphanedCalls } from './orphaned-calls.ts';
import { Failures } from './failures.ts';
import { hasReported, ProgressRelays, rises, type ProgressOfRequest } from './progress.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { McpError } from '../../protocol/error.ts';

const core = revisionOf('2025-11-25') ?? newestRevision;

/** A call that wants progress under a token, or none, and what its client hears. */
function callOf(token: unknown = 'mine', more: object = {}) {
  const heard: JsonObject[] = [];
  const beside: JsonObject[] = [];
  const call = {
    method: 'tools/call',
    facts: core,
    meta: token === null ? {} : { progressToken: token },
    session: { notify: (_: string, params: JsonObject) => void beside.push(params) },
    send: (_: string, params: JsonObject) => void heard.push(params),
    ...more,
  } as unknown as ForwardedCall;
  return { call, heard, beside };
}

const extension = { facts: newestRevision };

/** Requests that run until the test answers them. */
function relaying() {
  const said: (readonly [string, string])[] = [];
  const relays = new ProgressRelays((...words) => void said.push(words));
  const begin = (call: ForwardedCall, params: JsonObject = {}) => {
    let given: ProgressOfRequest | undefined;
    let answer!: (result: JsonObject) => void;
    let fail!: (error: Error) => void;
    const over = relays.during(call, params, (progress) => {
      given = progress;
      return new Promise((resolve, reject) => ([answer, fail] = [resolve, reject]));
    });
    return {
      token: given?.progressToken,
      holds: given?.holdProgress,
      answer: async (result: JsonObject = {}) => (answer(result), await over),
      fail: async () => (fail(new Error('lost')), await over.catch(() => undefined)),
    };
  };
  const tell = (progressToken: unknown, progress: unknown, more: JsonObject = {}): void =>
    relays.heard({ progressToken, progress, ...more }, core);
  return { relays, said, begin, tell };
}

describe('progress', () => {
  test('goes to the call of its token, under that of the client, while the call runs', async () => {
    const { begin, tell } = relaying();
    const [one, other] = [callOf('same'), callOf('same')];
    const [first, second] = [begin(one.call), begin(other.call)];
    assert.notEqual(first.token, second.token);
    tell(first.token, 1, { total: 2, message: 'half', 'x.example/more': true });
    assert.deepEqual(
      [one.heard, other.heard],
      [[{ progress: 1, total: 2, message: 'half', 'x.example/more': true, progressToken: 'same' }], []],
    );
    assert.deepEqual([hasReported(one.call), hasReported(other.call)], [true, false]);
    await first.answer();
    await second.fail();
    tell(first.token, 2);
    tell(second.token, 2);
    assert.deepEqual([one.heard.length, other.heard.length], [1, 0]);
  });

  test('rises, over all requests of a call', async () => {
    const { begin, tell } = relaying();
    const { call, heard } = callOf();
    const first = begin(call);
    for (const progress of [1, 1, 0, 2]) tell(first.token, progress);
    await first.answer();
    const second = begin(call);
    for (const progress of [2, 3]) tell(second.token, progress);
    assert.deepEqual(
      heard.map(({ progress }) => progress),
      [1, 2, 3],
    );
    assert.deepEqual([rises(call, 3), rises(call, 4)], [false, true]);
  });

  test('that is malformed, or under no token, is dropped', () => {
    const { begin, tell } = relaying();
    const { call, heard } = callOf();
    const { token } = begin(call);
    tell(token, 'much');
    for (const other of [undefined, {}, 99]) tell(other, 1);
    assert.deepEqual([heard, hasReported(call)], [[], false]);
  });

  test('is not asked for by a call that wants none', async () => {
    for (const [call, params] of [
      [callOf(null).call, {}],
      [callOf({}).call, {}],
      [callOf(null).call, { task: {} }],
      [callOf(null, extension).call, {}],
      [callOf(null, { ...extension, method: 'prompts/get' }).call, { task: {} }],
    ] as const) {
      const { begin } = relaying();
      assert.deepEqual(begin(call, params).token, undefined);
    }
    assert.equal(relaying().begin(callOf(null, extension).call, { task: {} }).token, 1);
  });

  test('of an extension goes to the call of its token', () => {
    const { relays, begin } = relaying();
    const { call, heard } = callOf();
    const { token } = begin(call);
    const told = relays.tell('notifications/x.example/moved', { progressToken: token, by: 7 });
    assert.deepEqual([told, heard], [true, [{ progressToken: 'mine', by: 7 }]]);
    for (const params of [{ progressToken: 99 }, {}, { progressToken: {} }])
      assert.equal(relays.tell('notifications/x.example/moved', params), false);
  });
});

describe('progress of a call that became a task', () => {
  /** A call that became a task, with whether its progress is still awaited. */
  async function task(more: object = {}, scene = relaying(), taskId = 'task') {
    const made = callOf('facts' in more ? null : 'mine', more);
    const request = scene.begin(made.call, { task: {} });
    let released = 0;
    request.holds?.(() => void released++);
    const become = (): Promise<unknown> => request.answer({ task: { taskId } });
    return { ...scene, ...made, request, released: () => released, become };
  }

  test('goes beside all calls until an answer says that the task has ended', async () => {
    for (const [method, params, result, isOver] of [
      ['tasks/get', { taskId: 'task' }, { status: 'working' }, false],
      ['tasks/get', { taskId: 'other' }, { status: 'completed' }, false],
      ['prompts/get', { taskId: 'task' }, { status: 'completed' }, false],
      ['tasks/get', { taskId: 'task' }, { status: 'completed' }, true],
      ['tasks/cancel', { taskId: 'task' }, { status: 'cancelled' }, true],
      ['tasks/cancel', { taskId: 'task' }, { status: 'working' }, false],
      ['tasks/result', { taskId: 'task' }, { content: [] }, true],
    ] as const) {
      const scene = relaying();
      const { call, heard, beside } = callOf();
      const request = scene.begin(call, { task: {} });
      let released = 0;
      request.holds?.(() => void released++);
      await request.answer({ task: { taskId: 'task' } });
      scene.tell(request.token, 1);
      assert.deepEqual([heard.length, beside.length, released], [0, 1, 0]);
      await scene.begin(callOf(null, { method }).call, params).answer(result);
      scene.tell(request.token, 2);
      assert.deepEqual([beside.length, released], isOver ? [1, 1] : [2, 0], JSON.stringify([method, result]));
    }
  });

  test('ends with the call if that became none, or failed', async () => {
    for (const end of ['answer', 'fail'] as const) {
      const { request, released } = await task();
      await request[end]({ content: [] });
      assert.equal(released(), 1);
    }
  });

  test('is not held for a call that wishes for none', () => {
    const { begin } = relaying();
    assert.equal(begin(callOf().call).holds, undefined);
    assert.equal(begin(callOf('mine', { method: 'prompts/get' }).call, { task: {} }).holds, undefined);
  });

  test('is said in words to a client of the extension, those from before first', async () => {
    const { request, become, said, tell, heard, beside } = await task(extension);
    tell(request.token, 1, { total: 4, message: 'read' });
    assert.deepEqual(said, []);
    await become();
    tell(request.token, 2, { total: 4 });
    tell(request.token, 3);
    assert.deepEqual(said, [
      ['task', '1 of 4: read'],
      ['task', '2 of 4'],
      ['task', '3'],
    ]);
    assert.deepEqual([heard, beside], [[], []]);
  });

  test('is followed for 1,000 tasks, and under one token for each', async () => {
    const scene = relaying();
    const all: Awaited<ReturnType<typeof task>>[] = [];
    for (let at = 0; at < 1_001; at++) {
      const one = await task({}, scene, `task-${at}`);
      await one.become();
      all.push(one);
    }
    assert.deepEqual([all[0]?.released(), all[1]?.released(), all[1_000]?.released()], [1, 0, 0]);
    const again = await task({}, scene, 'task-1000');
    await again.become();
    assert.deepEqual([all[1_000]?.released(), again.released()], [1, 0]);
  });
});

test('the same failure is warned of once a minute, and 100 of them are remembered', () => {
  let now = 0;
  const warnings: string[] = [];
  const failures = new Failures(
    (message) => void warnings.push(message),
    () => now,
    new Set(['tools/list']),
  );
  const failed = (words: string, method = 'tools/call', reason: 'refused' | 'aborted' = 'refused'): number => {
    failures.note(new McpError('internalError', words, { cause: new ConnectionError(reason, words) }), method);
    return warnings.splice(0).length;
  };
  assert.deepEqual([failed('down'), failed('down'), failed('away')], [1, 0, 1]);
  now = 59_999;
  assert.equal(failed('down'), 0);
  now = 60_000;
  assert.equal(failed('down'), 1);
  assert.deepEqual([failed('x', 'tools/list'), failed('x', 'tools/call', 'aborted')], [0, 0]);
  failures.note(new McpError('internalError', 'own'), 'tools/call');
  failures.note(new ConnectionError('refused', 'bare'), 'tools/call');
  assert.deepEqual(warnings, []);
  for (let at = 0; at < 99; at++) failed(`${at}`);
  assert.deepEqual([failed('down'), failed('99'), failed('down')], [0, 1, 1]);
});

test('the last 1,000 tasks of a connection are known', () => {
  const calls = new ConnectionCalls(new OrphanedCalls(() => undefined));
  for (let at = 0; at < 1_001; at++) calls.began(`${at}`);
  for (let at = 1; at < 1_001; at++) {
    assert.equal(calls.hasTasks, true);
    calls.ended(`${at}`);
  }
  assert.deepEqual([calls.hasTasks, calls.asksNobody], [false, true]);
  const place = calls.carry({
    ask: async () => ({}),
    signal: new AbortController().signal,
  } as unknown as ForwardedCall);
  assert.equal(calls.asksNobody, false);
  place.leave();
  calls.carry({ ask: async () => ({}), signal: AbortSignal.abort() } as unknown as ForwardedCall);
  assert.equal(calls.asksNobody, true);
});
