import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extended, taskClient, whenTask, type TaskClientOptions } from '../../../../../test/support/task-client.ts';
import { createServer, type Server } from '../server.ts';

const unlimited = { rateLimits: { tasks: { perSecond: 1e6, burst: 1e6 } } };

function withTasks(): Server {
  const server = createServer({ name: 's', version: '1' }, unlimited);
  server.tool('plain', {}, () => 'plain');
  server.tool('optional', { task: { support: 'optional', after: 0 } }, () => 'optional');
  server.tool('required', { task: 'required' }, () => 'required');
  return server;
}

const coreTasks = { tasks: { requests: { sampling: { createMessage: {} } } } };

/** What a client is, and whether its calls ask for a task. */
const clients: Readonly<Record<string, TaskClientOptions & { readonly wish?: true }>> = {
  'of 2024-11-05': { revision: '2024-11-05' },
  'of 2025-03-26': { revision: '2025-03-26' },
  'of 2025-06-18 that declares the extension': { revision: '2025-06-18', capabilities: extended },
  'of 2025-11-25 that asks for no task': { revision: '2025-11-25', capabilities: extended },
  'of 2025-11-25 that asks for a task': { revision: '2025-11-25', wish: true },
  'of 2026-07-28 that declares nothing': { revision: '2026-07-28' },
  'of 2026-07-28 that declares the tasks of 2025-11-25': { revision: '2026-07-28', capabilities: coreTasks },
  'of 2026-07-28 that declares the extension': { revision: '2026-07-28', capabilities: extended },
};

/** What it gets: a call runs, is a task, or fails with a code; methods give the code for an unknown id where they are served. */
type Row = readonly [
  plain: unknown,
  optional: unknown,
  required: unknown,
  get: number,
  cancel: number,
  update: number,
  result: number,
  list: number | 'listed',
];

const none = -32601;
const undeclared = -32021;
const unknown = -32602;
const rows: Readonly<Record<keyof typeof clients, Row>> = {
  'of 2024-11-05': ['runs', 'runs', none, none, none, none, none, none],
  'of 2025-03-26': ['runs', 'runs', none, none, none, none, none, none],
  'of 2025-06-18 that declares the extension': ['runs', 'runs', none, none, none, none, none, none],
  'of 2025-11-25 that asks for no task': ['runs', 'runs', none, unknown, unknown, none, unknown, 'listed'],
  'of 2025-11-25 that asks for a task': [none, 'task', 'task', unknown, unknown, none, unknown, 'listed'],
  'of 2026-07-28 that declares nothing': ['runs', 'runs', undeclared, undeclared, undeclared, undeclared, none, none],
  'of 2026-07-28 that declares the tasks of 2025-11-25': [
    'runs',
    'runs',
    undeclared,
    undeclared,
    undeclared,
    undeclared,
    none,
    none,
  ],
  'of 2026-07-28 that declares the extension': ['runs', 'task', 'task', unknown, unknown, unknown, none, none],
};

function outcome(result: Readonly<Record<string, unknown>>): unknown {
  if (typeof result['code'] === 'number') return result['code'];
  if (result['tasks'] !== undefined) return 'listed';
  return result['task'] !== undefined || result['resultType'] === 'task' ? 'task' : 'runs';
}

describe('tasks are for whom the revision and the client make them [tasks-006, tasks-008, tasks-050, tasks-053, tasks-084, tasks-085, tasks-086, tasks-090, tasks-094, B01, B02, B05, B09, B10, B13, B14, B17]', () => {
  for (const [name, { wish, ...client }] of Object.entries(clients)) {
    test(`a client ${name}`, async (t) => {
      const server = withTasks();
      t.after(() => server.close());
      const { ask } = await taskClient(server, client);
      const task = wish === undefined ? {} : { task: {} };
      const found: unknown[] = [];
      for (const tool of ['plain', 'optional', 'required'])
        found.push(outcome(await ask('tools/call', { name: tool, ...task })));
      for (const method of ['get', 'cancel', 'update', 'result'])
        found.push(outcome(await ask(`tasks/${method}`, { taskId: 'nobody', inputResponses: {} })));
      found.push(outcome(await ask('tasks/list')));
      assert.deepEqual(found, rows[name]);
    });
  }
});

test('what the server declares is the one surface of the revision, and never both [tasks-092, tasks-093, B15]', async (t) => {
  const server = withTasks();
  t.after(() => server.close());
  const { ask } = await taskClient(server, { revision: '2026-07-28' });
  const { capabilities } = await ask('server/discover');
  assert.deepEqual(capabilities, {
    logging: {},
    tools: { listChanged: true },
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  });
  const old = await taskClient(server, { revision: '2025-06-18' });
  const again = await old.ask('initialize', {});
  assert.equal(again['code'], -32602);
});

test('without a tool that says task nothing is declared, params.task is ignored, and no method exists [tasks-009]', async (t) => {
  const server = createServer({ name: 's', version: '1' });
  t.after(() => server.close());
  server.tool('plain', {}, () => 'plain');
  const core = await taskClient(server, { revision: '2025-11-25' });
  assert.equal(outcome(await core.ask('tools/call', { name: 'plain', task: {} })), 'runs');
  for (const method of ['get', 'cancel', 'result'])
    assert.equal(outcome(await core.ask(`tasks/${method}`, { taskId: 'x' })), none);
  assert.equal(outcome(await core.ask('tasks/list')), none);
  const newest = await taskClient(server, { revision: '2026-07-28', capabilities: extended });
  assert.equal(outcome(await newest.ask('tasks/get', { taskId: 'x' })), none);
  const { capabilities } = await newest.ask('server/discover');
  assert.deepEqual(capabilities, { logging: {}, tools: { listChanged: true } });
});

test('the error of a missing extension says what to declare [tasks-054, tasks-079]', async (t) => {
  const server = withTasks();
  t.after(() => server.close());
  const { ask } = await taskClient(server, { revision: '2026-07-28' });
  const wanted = { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } };
  assert.deepEqual((await ask('tools/call', { name: 'required' }))['data'], wanted);
  assert.deepEqual((await ask('tasks/get', { taskId: 'x' }))['data'], wanted);
  const { code, data } = await ask('subscriptions/listen', { notifications: { taskIds: ['x'] } });
  assert.deepEqual([code, data], [undeclared, wanted]);
});

test('a list is declared only where it is known whose tasks they are [tasks-046]', async (t) => {
  const server = withTasks();
  t.after(() => server.close());
  const declared = async (options: Partial<TaskClientOptions>): Promise<unknown> => {
    const { ask } = await taskClient(server, { revision: '2025-11-25', ...options });
    return outcome(await ask('tasks/list'));
  };
  assert.equal(await declared({ network: 'tcp' }), none);
  assert.equal(await declared({ network: 'tcp', principal: 'ann' }), 'listed');
  assert.equal(await declared({ network: 'pipe' }), 'listed');
});

test('a task of 2025-11-25 is served to its owner in 2026-07-28, also to one that declared those tasks alone [B04, B07]', async (t) => {
  const server = withTasks();
  t.after(() => server.close());
  const core = await taskClient(server, { revision: '2025-11-25', principal: 'ann' });
  const { task } = await core.ask('tools/call', { name: 'required', task: {} });
  const { taskId } = task as { readonly taskId: string };
  for (const capabilities of [extended, coreTasks]) {
    const newest = await taskClient(server, { revision: '2026-07-28', capabilities, principal: 'ann' });
    const seen = await whenTask(newest, taskId, ({ status }) => status === 'completed');
    assert.deepEqual((seen['result'] as { content: unknown }).content, [{ type: 'text', text: 'required' }]);
  }
  const foreign = await taskClient(server, { revision: '2026-07-28', capabilities: extended, principal: 'bob' });
  assert.deepEqual(
    await foreign.ask('tasks/get', { taskId }),
    await foreign.ask('tasks/get', { taskId: 'x'.repeat(24) }),
  );
});

test('listening to tasks counts among the requests about them', async (t) => {
  const server = createServer({ name: 's', version: '1' }, { rateLimits: { tasks: { perSecond: 1e-6, burst: 1 } } });
  t.after(() => server.close());
  server.tool('t', { task: 'required' }, () => 'x');
  const client = await taskClient(server, { revision: '2026-07-28', capabilities: extended });
  const taskId = 'x'.repeat(24);
  assert.equal((await client.ask('tasks/get', { taskId }))['code'], -32602);
  const { message } = await client.ask('subscriptions/listen', { notifications: { taskIds: [taskId] } });
  assert.equal(message, 'too many requests about tasks in a short time');
});
