import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { form, name } from '../../../../../../test/support/asked-client.ts';
import { hurried } from '../../../../../../test/support/hurried.ts';
import { taskClient, type TaskClient } from '../../../../../../test/support/task-client.ts';
import { until } from '../../../../../../test/support/turns.ts';
import { metaKey } from '../../../protocol/meta.ts';
import type { ToolContext } from '../../definition/tool-context.ts';
import { createServer } from '../../server.ts';

type Json = Readonly<Record<string, unknown>>;

const everything = {
  elicitation: {},
  sampling: {},
  tasks: { cancel: {}, requests: { elicitation: { create: {} }, sampling: { createMessage: {} } } },
};
const ada = { action: 'accept', content: { name: 'Ada' } };
const question = { message: form.message, schema: name };

interface ServerCore {
  readonly client: TaskClient;
  /** What the server asked, in order. */
  readonly asked: { readonly method: string; readonly params: Json }[];
  call(): Promise<Json>;
}

/** A client of 2025-11-25 that is asked by a tool, and answers as the test says. */
async function host(
  t: TestContext,
  answer: (method: string, params: Json) => Json,
  {
    capabilities = everything,
    run = elicited,
  }: { capabilities?: Json; run?: (ctx: ToolContext) => Promise<unknown> } = {},
): Promise<ServerCore> {
  const asked: { method: string; params: Json }[] = [];
  const server = createServer({ name: 's', version: '1' });
  t.after(() => server.close());
  server.tool('ask', {}, async (_, ctx) => JSON.stringify(await run(ctx)));
  const client = await taskClient(server, {
    revision: '2025-11-25',
    capabilities,
    answer: (method, params) => {
      asked.push({ method, params });
      return answer(method, params);
    },
  });
  return { client, asked, call: () => client.ask('tools/call', { name: 'ask' }) };
}

const elicited = (ctx: ToolContext): Promise<unknown> => ctx.elicit(question, { task: { ttlMs: 600_000 } });

const task = (more: Json = {}): Json => ({
  taskId: 'task-1',
  status: 'working',
  createdAt: '2026-01-01T00:00:00Z',
  lastUpdatedAt: '2026-01-01T00:00:00Z',
  ttl: 600_000,
  pollInterval: 1,
  ...more,
});

/** Answers as a client whose task is seen in some states, one after the other. */
function playing(states: readonly Json[], result: Json = ada): (method: string) => Json {
  let at = 0;
  return (method) => {
    if (method === 'tasks/get') return states[Math.min(at++, states.length - 1)] ?? {};
    if (method === 'tasks/result') return result;
    return method === 'tasks/cancel' ? task({ status: 'cancelled' }) : { task: task() };
  };
}

/** The words of a result, or of the error in its place. */
const textOf = ({ content, message }: Json): unknown =>
  (content as { text: string }[] | undefined)?.[0]?.text ?? message;

test('a client that hosts tasks is asked for one, followed, and gives its result [tasks-002, tasks-016, tasks-017]', async (t) => {
  const { call, asked } = await host(t, playing([task(), task(), task({ status: 'completed' })]));
  assert.deepEqual(JSON.parse(String(textOf(await call()))), ada);
  assert.deepEqual(
    asked.map(({ method }) => method),
    ['elicitation/create', 'tasks/get', 'tasks/get', 'tasks/get', 'tasks/result'],
  );
  assert.deepEqual(asked[0]?.params['task'], { ttl: 600_000 });
  assert.deepEqual(asked[1]?.params, { taskId: 'task-1' });
});

test('a client that declares no such task is asked plainly [tasks-002, tasks-003]', async (t) => {
  const { tasks: _, ...without } = everything;
  for (const capabilities of [without, { ...without, tasks: { requests: { sampling: { createMessage: {} } } } }]) {
    const { call, asked } = await host(t, () => ada, { capabilities });
    assert.deepEqual(JSON.parse(String(textOf(await call()))), ada);
    assert.deepEqual(
      asked.map(({ method, params }) => [method, params['task']]),
      [['elicitation/create', undefined]],
    );
  }
});

test('a client that answers plainly all the same is understood', async (t) => {
  const { call, asked } = await host(t, () => ada);
  assert.deepEqual(JSON.parse(String(textOf(await call()))), ada);
  assert.equal(asked.length, 1);
});

test('the result of a task tells the handler what a plain answer would, and nothing of the task', async (t) => {
  const message = { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' };
  const related = { [metaKey.relatedTask]: { taskId: 'task-1' } };
  const run = (ctx: ToolContext): Promise<unknown> => ctx.sample({ messages: [], maxTokens: 5 }, { task: {} });
  for (const [_meta, kept] of [
    [related, {}],
    [{ ...related, mine: 1 }, { _meta: { mine: 1 } }],
  ]) {
    const { call } = await host(t, playing([task({ status: 'completed' })], { ...message, _meta }), { run });
    assert.deepEqual(JSON.parse(String(textOf(await call()))), { ...message, ...kept });
  }
});

test('a task that failed is told by the error that it gives, one that was cancelled by words', async (t) => {
  for (const [status, result, words] of [
    ['failed', { code: -1, message: 'the user went home' }, /the user went home/],
    ['cancelled', ada, /the client cancelled its task of elicitation\/create/],
  ] as const) {
    const { call } = await host(t, playing([task({ status })], result));
    assert.match(String(textOf(await call())), words);
  }
});

test('at input_required the result is opened at once [tasks-029]', async (t) => {
  const { call, asked } = await host(t, playing([task({ status: 'input_required' })]));
  assert.deepEqual(JSON.parse(String(textOf(await call()))), ada);
  assert.equal(asked.at(-1)?.method, 'tasks/result');
});

test('a client that tells of its task is asked at once, and one that tells of others is not [tasks-019]', async (t) => {
  let status = 'working';
  const seldom = (method: string): Json => {
    if (method === 'tasks/result') return ada;
    const seen = task({ status, pollInterval: 600_000 });
    return method === 'tasks/get' ? seen : { task: seen };
  };
  const { client, call, asked } = await host(t, seldom);
  const result = call();
  await until(() => asked.some(({ method }) => method === 'tasks/get'), 'a look');
  for (const taskId of ['another', 5, { toString: 5 }, undefined])
    await client.tell('notifications/tasks/status', { taskId });
  status = 'completed';
  await client.tell('notifications/tasks/status', { ...task({ status }) });
  assert.deepEqual(JSON.parse(String(textOf(await result))), ada);
  assert.equal(asked.filter(({ method }) => method === 'tasks/get').length, 2);
});

test('a task that never ends is given up when its time is over, and cancelled', async (t) => {
  const { call, asked } = await host(t, playing([task({ ttl: null, pollInterval: 1e15 })]), {
    run: (ctx) => ctx.elicit(question, { task: { ttlMs: 50 } }),
  });
  assert.match(String(textOf(await call())), /before the time of its task was over/);
  await until(() => asked.at(-1)?.method === 'tasks/cancel', 'a cancel');
  assert.deepEqual(asked.at(-1)?.params, { taskId: 'task-1' });
});

test('a task that its client knows no more, and one that nobody can read, are the end of the question', async (t) => {
  hurried(t);
  for (const [seen, words] of [
    [{ code: -32602, message: 'no such task' }, /knows its task of elicitation\/create no more/],
    [{ taskId: 5, status: 'dreaming' }, /answer to tasks\/get is malformed/],
    [{ code: -32603, message: 'out of order' }, /out of order/],
  ] as const) {
    const { call } = await host(t, playing([seen]));
    assert.match(String(textOf(await call())), words);
  }
});

test('a task without words of its own is no task, and an id that is none is not asked for', async (t) => {
  const long = { task: task({ taskId: 'x'.repeat(1025) }) };
  for (const made of [{ task: {} }, { task: { taskId: 5 } }, { task: 'x' }, {}, long]) {
    const { call, asked } = await host(t, () => made);
    assert.equal(typeof (await call())['code'], 'number');
    assert.ok(asked.every(({ method }) => method === 'elicitation/create'));
  }
});

test('a result that does not fit is no answer, and the question is asked again as a task', async (t) => {
  const { call, asked } = await host(
    t,
    playing([task({ status: 'completed' })], { action: 'accept', content: { name: 5 } }),
  );
  assert.match(String(textOf(await call())), /does not fit/);
  assert.equal(asked.filter(({ method }) => method === 'elicitation/create').length, 3);
});

test('a call that is cancelled cancels the task of its question', async (t) => {
  const { client, asked } = await host(t, playing([task()]));
  void client.ask('tools/call', { name: 'ask' }).catch(() => undefined);
  await until(() => asked.some(({ method }) => method === 'tasks/get'), 'a look');
  await client.tell('notifications/cancelled', { requestId: 2 });
  await until(() => asked.at(-1)?.method === 'tasks/cancel', 'a cancel');
});

test('a question that is given up before its client told of the task is cancelled as a task alone [cancel-003]', async (t) => {
  const play = playing([task()]);
  const { client, asked } = await host(t, (method) => {
    // The call is given up, and then the client tells of the task.
    if (method === 'elicitation/create') void client.tell('notifications/cancelled', { requestId: 2 });
    return play(method);
  });
  void client.ask('tools/call', { name: 'ask' }).catch(() => undefined);
  await until(() => asked.at(-1)?.method === 'tasks/cancel', 'a cancel');
  assert.deepEqual(asked.at(-1)?.params, { taskId: 'task-1' });
  assert.ok(client.heard.every((message) => message['method'] !== 'notifications/cancelled'));
});

test('a run that ends without waiting for its answer cancels the task', async (t) => {
  const { call, asked } = await host(t, playing([task()]), {
    run: async (ctx) => {
      void elicited(ctx).catch(() => undefined);
      await until(() => asked.some(({ method }) => method === 'tasks/get'), 'a look');
      return 'done';
    },
  });
  assert.equal(textOf(await call()), '"done"');
  await until(() => asked.at(-1)?.method === 'tasks/cancel', 'a cancel');
});

test('nothing is cancelled of a client that does not let others do that', async (t) => {
  const { requests } = everything.tasks;
  const { call, asked } = await host(t, playing([task()]), {
    capabilities: { ...everything, tasks: { requests } },
    run: (ctx) => ctx.elicit(question, { task: { ttlMs: 20 } }),
  });
  await call();
  assert.ok(asked.every(({ method }) => method !== 'tasks/cancel'));
});

test('wishes that make no sense are mistakes', async (t) => {
  for (const wish of [{ ttlMs: 0 }, { ttlMs: Infinity }, { ttlMs: '5' }, { ttl: 5 }, 5, null]) {
    let thrown: unknown;
    const { call } = await host(t, () => ada, {
      run: async (ctx) => {
        try {
          await ctx.elicit(question, { task: wish as never });
        } catch (error) {
          thrown = error;
        }
      },
    });
    await call();
    assert.ok(thrown instanceof TypeError, JSON.stringify(wish));
  }
});

test('options of a question that do not exist are mistakes, and roots are nothing to wait for', async (t) => {
  const wrong: readonly (readonly [(ctx: ToolContext) => Promise<unknown>, RegExp])[] = [
    [(ctx) => ctx.elicit(question, { tasks: {} } as never), /options of elicitation\/create has no option "tasks"/],
    [(ctx) => ctx.roots({ task: {} } as never), /options of roots\/list has no option "task"/],
    [(ctx) => ctx.sample({ messages: [], maxTokens: 1, task: {} }), /ctx.sample takes task as an option/],
  ];
  for (const [ask, words] of wrong) {
    let thrown: unknown;
    const { call } = await host(t, () => ada, {
      run: async (ctx) => {
        try {
          await ask(ctx);
        } catch (error) {
          thrown = error;
        }
      },
    });
    await call();
    assert.ok(thrown instanceof TypeError && words.test(thrown.message), String(words));
  }
});
