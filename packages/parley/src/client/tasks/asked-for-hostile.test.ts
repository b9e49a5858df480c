/** Servers of 2025-11-25 whose tasks are not what they should be. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { connected, tool, type Connected } from '../../../../../test/support/connected-client.ts';
import { keptAlive } from '../../../../../test/support/kept-alive.ts';
import { ConnectionError, McpError, TaskCancelledError, TaskGoneError } from '../../client.ts';
import type { ConnectOptions } from '../api/options.ts';
import type { ScriptedKind, ScriptedPeer } from '../../testing/scripted.ts';

type Json = Readonly<Record<string, unknown>>;

const related = 'io.modelcontextprotocol/related-task';
const done = { content: [{ type: 'text', text: 'done' }] };
const working = {
  taskId: 'a',
  status: 'working',
  createdAt: '2026-01-01T00:00:00Z',
  lastUpdatedAt: '2026-01-01T00:00:00Z',
  ttl: null,
  pollInterval: 1000,
};
const capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } }, cancel: {} } };
const completed = { ...working, status: 'completed' };

interface Played extends Connected {
  readonly asked: readonly { readonly method: string; readonly at: number }[];
  pass(ms: number): Promise<void>;
}

async function playing(
  t: TestContext,
  answers: Readonly<Record<string, (peer: ScriptedPeer) => Json | undefined>>,
  options: ConnectOptions = {},
  kind: ScriptedKind = 'stdio',
): Promise<Played> {
  let now = 0;
  const asked: { method: string; at: number }[] = [];
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const all: typeof answers = {
    'tools/list': () => ({ tools: [tool('t', { execution: { taskSupport: 'required' } })] }),
    'tools/call': () => ({ task: working }),
    ...answers,
  };
  const one = await connected(
    (sent, peer) => {
      const { method, id } = sent.message;
      if (id === undefined || typeof method !== 'string') return;
      asked.push({ method, at: now });
      const answer = all[method]?.(peer);
      if (answer === undefined) return;
      if ('code' in answer) peer.refuse(sent, answer as never);
      else peer.reply(sent, answer);
    },
    {
      revision: '2025-11-25',
      kind,
      capabilities,
      options: { ...options, now: () => now, random: () => 0 },
    },
  );
  t.after(() => one.client.close());
  await one.client.listTools();
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 50) {
      now += 50;
      t.mock.timers.tick(50);
      for (let turn = 0; turn < 30; turn++) await Promise.resolve();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { ...one, asked, pass };
}

test('a flood of status notifications makes nobody ask faster than the server says [tasks-019]', async (t) => {
  const one = await playing(t, { 'tasks/get': () => working });
  one.client.callTool('t').catch(() => undefined);
  for (let n = 0; n < 200; n++) {
    one.peer.send({ jsonrpc: '2.0', method: 'notifications/tasks/status', params: working } as never);
    await one.pass(50);
  }
  const at = one.asked.filter(({ method }) => method === 'tasks/get').map((ask) => ask.at);
  assert.ok(at.length >= 5 && at.length <= 11, `${at.length}`);
});

test('a result that does not come is asked for again, while the task is asked for, too [tasks-018]', async (t) => {
  let results = 0;
  let polls = 0;
  const one = await playing(
    t,
    {
      'tasks/get': () => (++polls < 5 ? { ...working, status: 'input_required' } : completed),
      'tasks/result': () => (++results === 1 ? undefined : { ...done, _meta: { [related]: { taskId: 'a' } } }),
    },
    { timeoutMs: 2000 },
  );
  const call = one.client.callTool('t');
  await one.pass(40_000);
  assert.deepEqual(await call, done);
  assert.deepEqual([results, polls], [2, 5]);
});

test('a result that can never be had is an error in the end, and no endless loop', async (t) => {
  const one = await playing(t, {
    'tasks/get': () => completed,
    'tasks/result': () => ({ code: -32603, message: 'broken' }),
    'tasks/cancel': () => completed,
  });
  const call = assert.rejects(one.client.callTool('t'), /broken/);
  await one.pass(300_000);
  await call;
  assert.ok(one.asked.length < 40);
});

test('how a task of 2025-11-25 ended otherwise is told apart', async (t) => {
  for (const [title, answers, isRight] of [
    [
      'cancelled',
      { 'tasks/get': () => ({ ...working, status: 'cancelled' }) },
      (e: unknown) => e instanceof TaskCancelledError,
    ],
    ['expired', { 'tasks/get': () => ({ code: -32602, message: 'no' }) }, (e: unknown) => e instanceof TaskGoneError],
    [
      'expired with its result',
      { 'tasks/get': () => completed, 'tasks/result': () => ({ code: -32602, message: 'no' }) },
      (e: unknown) => e instanceof TaskGoneError,
    ],
    [
      'malformed',
      { 'tasks/get': () => ({ ...working, pollInterval: 'soon' }) },
      (e: unknown) => e instanceof ConnectionError && e.reason === 'invalid-message',
    ],
  ] as const)
    await t.test(title, async (t) => {
      const one = await playing(t, { 'tasks/cancel': () => working, ...answers });
      const call = assert.rejects(one.client.callTool('t'), isRight);
      await one.pass(5000);
      await call;
    });
});

test('an answer to what a task asks says of which task it is [tasks-025]', async (t) => {
  let polls = 0;
  const one = await playing(
    t,
    {
      'tasks/get': () => (++polls < 2 ? { ...working, status: 'input_required' } : completed),
      'tasks/result': (peer) => {
        const params = {
          message: 'Name?',
          requestedSchema: { type: 'object', properties: {} },
          _meta: { [related]: { taskId: 'a' } },
        };
        peer.send({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params } as never);
        return done;
      },
    },
    { onElicit: () => 'decline' },
  );
  const call = one.client.callTool('t');
  await one.pass(5000);
  await call;
  const answer = one.transport.sent.find(({ message }) => message['id'] === 'q');
  assert.deepEqual(answer?.message['result'], { action: 'decline', _meta: { [related]: { taskId: 'a' } } });
});

test('a call that is given up before its task is known cancels the task, and not the request [tasks-076]', async (t) => {
  let send: (() => void) | undefined;
  const one = await playing(t, {
    'tools/call': (peer) => {
      const id = one.transport.sent.findLast(({ message }) => message['method'] === 'tools/call')?.message['id'];
      send = () => peer.send({ jsonrpc: '2.0', id, result: { task: working } } as never);
      return undefined;
    },
    'tasks/cancel': () => ({ ...working, status: 'cancelled' }),
  });
  const given = new AbortController();
  const call = assert.rejects(one.client.callTool('t', {}, { signal: given.signal }), /enough/);
  await one.pass(50);
  given.abort(new Error('enough'));
  await call;
  send?.();
  await one.pass(50);
  assert.equal(one.asked.at(-1)?.method, 'tasks/cancel');
  assert.equal(
    one.transport.sent.some(({ message }) => message['method'] === 'notifications/cancelled'),
    false,
  );
});

test('a call that is given up waits 15 seconds for the task to cancel', async (t) => {
  const one = await playing(t, { 'tools/call': () => undefined }, {}, 'http');
  const given = new AbortController();
  const call = assert.rejects(one.client.callTool('t', {}, { signal: given.signal }), /enough/);
  await one.pass(50);
  given.abort(new Error('enough'));
  await call;
  const sent = one.transport.sent.find(({ message }) => message['method'] === 'tools/call');
  await one.pass(14_900);
  assert.equal(sent?.signal?.aborted, false);
  await one.pass(100);
  assert.equal(sent?.signal?.aborted, true);
});

test('a task that is given up is cancelled by a request that keeps no process alive', async (t) => {
  const { client, transport } = await connected(
    (sent, peer) => {
      if (sent.message['method'] === 'tools/list')
        return peer.reply(sent, { tools: [tool('t', { execution: { taskSupport: 'required' } })] });
      return sent.message['method'] === 'tools/call' ? peer.reply(sent, { task: working }) : undefined;
    },
    { revision: '2025-11-25', capabilities },
  );
  t.after(() => client.close());
  await client.listTools();
  const timers = keptAlive(t);
  const given = new AbortController();
  const call = client.callTool('t', {}, { signal: given.signal });
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  given.abort(new Error('enough'));
  await assert.rejects(call, /enough/);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(transport.methods.at(-1), 'tasks/cancel');
  assert.equal(timers(), 0);
});

test('a result that cannot be had for a moment is waited for, more and more seldom [tasks-020]', async (t) => {
  let results = 0;
  const one = await playing(t, {
    'tasks/get': () => completed,
    'tasks/result': () => (++results < 4 ? { code: -32603, message: 'busy' } : done),
  });
  const call = one.client.callTool('t');
  await one.pass(20_000);
  assert.deepEqual(await call, done);
  const at = one.asked.filter(({ method }) => method === 'tasks/result').map((ask) => ask.at);
  const waits = at.slice(1).map((time, index) => time - (at[index] ?? 0));
  assert.deepEqual(
    waits.map((ms) => Math.round(ms / 1000)),
    [1, 2, 4],
  );
});

test('a task that is told after the time of its request is cancelled: nobody waits for it', async (t) => {
  const one = await playing(t, { 'tools/call': () => undefined, 'tasks/cancel': () => working }, { timeoutMs: 2000 });
  const call = assert.rejects(
    one.client.callTool('t'),
    (error) => error instanceof ConnectionError && error.reason === 'timeout',
  );
  await one.pass(2500);
  await call;
  const id = one.transport.sent.find(({ message }) => message['method'] === 'tools/call')?.message['id'];
  one.peer.send({ jsonrpc: '2.0', id, result: { task: working } } as never);
  await one.pass(1000);
  assert.equal(one.asked.at(-1)?.method, 'tasks/cancel');
});

test('a task that failed with a result that is none rejects with what its server says of it', async (t) => {
  const failed = { ...working, status: 'failed', statusMessage: 'no such leaf' };
  const one = await playing(t, { 'tasks/get': () => failed, 'tasks/result': () => ({}) });
  const judged = assert.rejects(one.client.callTool('t'), (error) => {
    assert.ok(error instanceof McpError);
    assert.deepEqual([error.kind, error.message], ['internalError', 'no such leaf']);
    return true;
  });
  await one.pass(3_000);
  await judged;
});

for (const [what, hangs] of [
  ['as a task', 'tools/call'],
  ['for the list that says why', 'tools/list'],
] as const)
  test(`the longest time of a call that was refused as a plain one is that of the wait ${what} too`, async (t) => {
    const of = { 'tools/call': 0, 'tools/list': 0 };
    const one = await playing(t, {
      'tools/list': () => {
        const taskSupport = ++of['tools/list'] === 1 ? 'optional' : 'required';
        if (of['tools/list'] > 1 && hangs === 'tools/list') return undefined;
        return { tools: [tool('t', { execution: { taskSupport } })] };
      },
      'tools/call': (peer) => {
        const sent = one.transport.sent.findLast(({ message }) => message['method'] === 'tools/call');
        if (++of['tools/call'] === 1 && sent !== undefined)
          setTimeout(() => peer.refuse(sent, { code: -32601, message: 'a task alone' }), 2_000);
        return undefined;
      },
    });
    let [endedAt, passed] = [0, 0];
    const call = one.client.callTool('t', undefined, { maxTotalTimeoutMs: 3_000 });
    const ended = assert.rejects(call, /within \d+ ms/).then(() => void (endedAt = passed));
    for (; passed < 6_000; passed += 500) await one.pass(500);
    await ended;
    assert.equal(of[hangs], 2);
    assert.ok(endedAt > 2_000 && endedAt <= 3_500, `${endedAt}`);
  });
