/** Tasks that the client asks for, in 2025-11-25, and where it may not. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { connected, tool, type Connected } from '../../../../../test/support/connected-client.ts';
import { McpError, TaskCancelledError } from '../../client.ts';
import type { ConnectOptions } from '../api/options.ts';

type Json = Readonly<Record<string, unknown>>;

const done = { content: [{ type: 'text', text: 'done' }] };
const times = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z', ttl: null };
const withTasks = { tools: {}, tasks: { requests: { tools: { call: {} } }, cancel: {} } };
const tools = [
  tool('plain'),
  tool('forbidden', { execution: { taskSupport: 'forbidden' } }),
  tool('optional', { execution: { taskSupport: 'optional' } }),
  tool('required', { execution: { taskSupport: 'required' } }),
];

interface Asked extends Connected {
  /** The calls that the server had, by whether they asked for a task. */
  readonly calls: (readonly [unknown, boolean])[];
}

async function asking(
  t: TestContext,
  {
    revision = '2025-11-25',
    capabilities = withTasks,
    options = {},
    refuses = { code: -32601, message: 'a task alone' } as Json,
  }: { revision?: string; capabilities?: object; options?: ConnectOptions; refuses?: Json } = {},
): Promise<Asked> {
  const calls: (readonly [unknown, boolean])[] = [];
  const one = await connected(
    (sent, peer) => {
      const { method, params = {} } = sent.message as { method: string; params?: Json };
      if (method === 'tools/list') return peer.reply(sent, { tools });
      if (method === 'tasks/get') return peer.reply(sent, { taskId: 'a', status: 'completed', ...times });
      if (method === 'tasks/result') return peer.reply(sent, done);
      if (method !== 'tools/call') return;
      const { name, task } = params;
      calls.push([name, task !== undefined]);
      if (task !== undefined)
        return peer.reply(sent, { task: { taskId: 'a', status: 'completed', pollInterval: 100, ...times } });
      if (name !== 'required') return peer.reply(sent, done);
      return 'code' in refuses ? peer.refuse(sent, refuses as never) : peer.reply(sent, refuses);
    },
    { revision, capabilities, options },
  );
  t.after(() => one.client.close());
  return { ...one, calls };
}

test('only tools that are tasks alone are called as tasks by callTool [tasks-005, tasks-007]', async (t) => {
  const { client, calls } = await asking(t);
  await client.listTools();
  for (const { name } of tools) assert.deepEqual((await client.callTool(name)).content, done.content);
  assert.deepEqual(calls, [
    ['plain', false],
    ['forbidden', false],
    ['optional', false],
    ['required', true],
  ]);
});

for (const [what, refuses] of [
  ['-32601', { code: -32601, message: 'no' }],
  ['-32600', { code: -32600, message: 'no' }],
  ['a result that says isError', { ...done, isError: true }],
] as const)
  test(`a tool that was not listed is called again as a task after ${what}, as its list says [tasks-007]`, async (t) => {
    const { client, calls } = await asking(t, { refuses });
    assert.deepEqual((await client.callTool('required')).content, done.content);
    assert.deepEqual(calls, [
      ['required', false],
      ['required', true],
    ]);
  });

test('no call asks for a task of a server that declared none, or where there are to be none [tasks-002, tasks-004]', async (t) => {
  for (const settings of [
    { capabilities: { tools: {} } },
    { capabilities: { tools: {}, tasks: { list: {} } } },
    { options: { tasks: false } },
  ]) {
    const { client, calls } = await asking(t, settings);
    await client.listTools();
    await assert.rejects(client.callTool('required'), (error) => error instanceof McpError && error.code === -32601);
    assert.deepEqual(calls, [['required', false]]);
  }
});

test('startTask asks for a task where there may be one, and else says so before anything is sent [tasks-005]', async (t) => {
  const { client, calls } = await asking(t);
  for (const name of ['optional', 'required']) {
    const task = await client.startTask(name, { a: 1 }, { ttlMs: 5000 });
    assert.deepEqual((await task.result()).content, done.content);
  }
  for (const [name, words] of [
    ['plain', /"plain" is never a task/],
    ['forbidden', /"forbidden" is never a task/],
    ['other', /lists no tool "other"/],
  ] as const)
    await assert.rejects(client.startTask(name), (error) => error instanceof McpError && words.test(error.message));
  assert.deepEqual(calls, [
    ['optional', true],
    ['required', true],
  ]);
  const none = await asking(t, { capabilities: { tools: {} } });
  await assert.rejects(none.client.startTask('optional'), /did not declare tasks\.requests\.tools\.call/);
  const earlier = await asking(t, { revision: '2025-06-18', capabilities: { tools: {} } });
  await assert.rejects(earlier.client.startTask('optional'), /never a task in 2025-06-18/);
  const off = await asking(t, { options: { tasks: false } });
  await assert.rejects(off.client.startTask('optional'), TypeError);
  assert.deepEqual([none.calls, earlier.calls, off.calls], [[], [], []]);
});

test('options of tasks that do not exist, or mean nothing, are refused by name', async (t) => {
  const { client } = await asking(t);
  await client.listTools();
  const loose = (options: object): never => options as never;
  const task = await client.startTask('optional');
  for (const [mistake, words] of [
    [client.callTool('plain', {}, loose({ onGiveUp: 'stop' })), /onGiveUp must be .*"stop"/],
    [client.callTool('required', {}, loose({ ongiveup: 'leave' })), /no option "ongiveup".*onGiveUp/],
    [client.startTask('optional', {}, loose({ ttlms: 1 })), /no option "ttlms".*ttlMs/],
    [client.startTask('optional', {}, loose({ ttlMs: 'long' })), /ttlMs must be .*"long"/],
    [task.result(loose({ timeout: 1 })), /a wait for a task has no option "timeout"/],
    [task.poll(loose({ timeout: 1 })), /a request about a task has no option "timeout".*timeoutMs/],
  ] as const)
    await assert.rejects(mistake, (error) => {
      assert.ok(error instanceof TypeError);
      assert.match(error.message, words);
      return true;
    });
});

test('a cancelled task need not be kept by its server for the client to say so [tasks-040]', async (t) => {
  let cancelled = false;
  const asked: string[] = [];
  const { client } = await connected(
    (sent, peer) => {
      const { method } = sent.message as { method: string };
      if (cancelled) asked.push(method);
      if (method === 'tools/list') return peer.reply(sent, { tools });
      if (method === 'tools/call') return peer.reply(sent, { task: { taskId: 'a', status: 'working', ...times } });
      if (method === 'tasks/get' && !cancelled) return peer.reply(sent, { taskId: 'a', status: 'working', ...times });
      if (method !== 'tasks/cancel') return peer.refuse(sent, { code: -32602, message: 'no such task' });
      cancelled = true;
      return peer.reply(sent, { taskId: 'a', status: 'cancelled', ...times });
    },
    { revision: '2025-11-25', capabilities: withTasks, options: {} },
  );
  t.after(() => client.close());
  const task = await client.startTask('optional');
  await task.cancel();
  await assert.rejects(task.result(), (error) => error instanceof TaskCancelledError);
  assert.deepEqual(asked, [], 'it is asked for nothing more');
});
