/**
 * What is found in the official clients, and nothing else.
 *
 * Read against "Session Management" of the transports of 2025-11-25: a client that gets HTTP 404 for its session must begin another,
 * which neither does, and should end by DELETE the one that it leaves, which `close` of neither does.
 *
 * Read against "Task Support and Handling" of the tasks of 2025-11-25: who declares no tasks for a request must answer it as ever, whatever
 * `params.task` says; that of SDK 1 refuses it, with -32603. Read against
 * "Associating Task-Related Messages": the answer to what a task asks must say of which task it is, which that of SDK 1 does not.
 * Read against "Capability Negotiation": it sends `params.task` with `tasks/get` too, where the call had it, of which no server declares tasks.
 */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { checkClient } from '../../packages/cli/src/check/client/run/check-client.ts';

type Loaded = Readonly<Record<string, unknown>>;

/** What is used of the client classes of the official SDKs, whose own types differ from one to the next. */
interface Official {
  setRequestHandler(request: unknown, handle: (request: unknown, extra: unknown) => unknown): void;
  connect(transport: unknown): Promise<void>;
  listTools(params?: object): Promise<{ readonly tools: readonly { name: string }[]; readonly nextCursor?: string }>;
  callTool(params: object, ...more: readonly unknown[]): Promise<unknown>;
  close(): Promise<void>;
}

interface Kind {
  readonly name: string;
  readonly load: () => Promise<readonly Loaded[]>;
  /** What names the requests that it answers. */
  readonly asked: readonly [form: string, roots: string];
  /** The revision that it speaks, and how it is told so. */
  readonly date: string;
  readonly mode?: string;
  /** Rows that it breaks whatever it does. */
  readonly always: readonly string[];
}

const second = {
  load: async () => [await import('@modelcontextprotocol/client')] as readonly Loaded[],
  asked: ['elicitation/create', 'roots/list'],
} as const;

const kinds: readonly Kind[] = [
  {
    name: 'SDK 1.32.2',
    load: () => Promise.all(['client/index.js', 'client/streamableHttp.js', 'types.js'].map(ofFirst)),
    asked: ['ElicitRequestSchema', 'ListRootsRequestSchema'],
    date: '2025-11-25',
    always: ['tasks-009 MUST'],
  },
  { name: 'client 2.4', ...second, date: '2025-11-25', mode: 'legacy', always: [] },
  { name: 'client 2.4', ...second, date: '2026-07-28', mode: 'auto', always: [] },
];

const ofFirst = (file: string): Promise<Loaded> => import(`sdk-1.32.2/${file}`) as Promise<Loaded>;

/** What it finds in one of them. @param losesSession True where it calls the tool that ends the session. */
async function foundIn(t: TestContext, { load, asked, mode }: Kind, losesSession: boolean) {
  const parts: Loaded = Object.assign({}, ...(await load()));
  const Client = parts['Client'] as new (info: object, options: object) => Official;
  const Transport = parts['StreamableHTTPClientTransport'] as new (url: URL) => object;
  const report = await checkClient({
    door: { port: 0 },
    info: { name: 'parley-check', version: '1.0.0' },
    limitMs: 120_000,
    signal: t.signal,
    async onOpen(origin) {
      const client = new Client(
        { name: 'c', version: '1' },
        { capabilities: { elicitation: {}, roots: {} }, ...(mode !== undefined && { versionNegotiation: { mode } }) },
      );
      const [form, roots] = asked.map((word) => parts[word] ?? word);
      client.setRequestHandler(form, async () => {
        // A question that is cancelled meanwhile is not answered.
        await new Promise((resolve) => setTimeout(resolve, 200));
        return { action: 'accept', content: { name: 'Ada' } };
      });
      client.setRequestHandler(roots, () => ({ roots: [{ uri: 'file:///tmp' }] }));
      await client.connect(new Transport(new URL(`${origin}/mcp`)));
      await client.listTools();
      await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
      await client.callTool({ name: 'ask', arguments: {} });
      // The newest revision has nothing to come back for, and it waits all the same.
      if (mode === 'auto') await assert.rejects(client.callTool({ name: 'dropped', arguments: {} }, { timeout: 300 }));
      await client.callTool({ name: 'dropped', arguments: {} });
      await client.callTool({ name: 'slow', arguments: {} });
      if (mode === 'auto') await client.callTool({ name: 'moving', arguments: { place: 'Malmö' } });
      // Its clock goes on after that.
      const options = { signal: AbortSignal.timeout(300), timeout: 2_000 };
      await assert.rejects(client.callTool({ name: 'endless' }, ...(mode === undefined ? [undefined] : []), options));
      if (losesSession)
        for (const name of ['lost', 'echo', 'echo'])
          await assert.rejects(client.callTool({ name, arguments: { text: 'x' } }));
      await client.close();
    },
  });
  const spoken = report.revisions.filter((one) => one.spoken).map(({ revision }) => revision);
  assert.ok(report.counts.judged > 15, `${report.counts.judged} rows were judged`);
  const kept =
    mode === 'auto' ? ['http-063', 'http-103', 'http-104'] : ['http-026', 'http-027', 'http-039', 'http-041'];
  const held = report.rows.filter(({ id, verdict }) => verdict === 'holds' && kept.includes(id)).map(({ id }) => id);
  assert.deepEqual(held.toSorted(), kept);
  return { spoken, found: report.findings.map(({ id, level }) => `${id} ${level}`) };
}

for (const kind of kinds) {
  const isStateless = kind.mode === 'auto';
  test(`nothing false is found in ${kind.name} at ${kind.date}`, async (t) => {
    const found = [...kind.always, ...(isStateless ? [] : ['http-049 SHOULD'])];
    assert.deepEqual(await foundIn(t, kind, false), { spoken: [kind.date], found });
  });

  if (!isStateless)
    test(`${kind.name} is found to go on in a session that is gone`, async (t) => {
      assert.deepEqual(await foundIn(t, kind, true), { spoken: [kind.date], found: ['http-048 MUST', ...kind.always] });
    });
}

/** What is used of the client class of SDK 1 beside that: its tasks, which are experimental. */
interface OfficialWithTasks extends Official {
  readonly experimental: {
    readonly tasks: {
      callToolStream(params: object, schema?: unknown, options?: object): AsyncIterable<{ readonly type: string }>;
      cancelTask(taskId: string): Promise<unknown>;
    };
  };
}

interface Store {
  createTask(params: object): Promise<{ readonly taskId: string }>;
  storeTaskResult(taskId: string, status: string, result: object): Promise<void>;
}

test('nothing false is found in the tasks of SDK 1.32.2', async (t) => {
  const files = ['client/index.js', 'client/streamableHttp.js', 'types.js', 'experimental/tasks/stores/in-memory.js'];
  const parts: Loaded = Object.assign({}, ...(await Promise.all(files.map(ofFirst))));
  const Client = parts['Client'] as new (info: object, options: object) => OfficialWithTasks;
  const Transport = parts['StreamableHTTPClientTransport'] as new (url: URL) => object;
  const Tasks = parts['InMemoryTaskStore'] as new () => { cleanup(): void };
  const tasks = new Tasks();
  // Its clocks go on for as long as its tasks are kept.
  t.after(() => tasks.cleanup());
  const form = { action: 'accept', content: { name: 'Ada' } };
  const seen: string[] = [];
  const report = await checkClient({
    door: { port: 0 },
    info: { name: 'parley-check', version: '1.0.0' },
    limitMs: 120_000,
    signal: t.signal,
    async onOpen(origin) {
      const capabilities = {
        elicitation: {},
        tasks: { list: {}, cancel: {}, requests: { elicitation: { create: {} } } },
      };
      const client = new Client({ name: 'c', version: '1' }, { capabilities, taskStore: tasks });
      client.setRequestHandler(parts['ElicitRequestSchema'], async (request, extra) => {
        const { params } = request as { readonly params: { readonly task?: object } };
        const { taskStore } = extra as { readonly taskStore: Store };
        if (params.task === undefined) return form;
        const task = await taskStore.createTask({ ttl: 60_000 });
        setTimeout(() => void taskStore.storeTaskResult(task.taskId, 'completed', form).catch(() => undefined), 50);
        return { task };
      });
      await client.connect(new Transport(new URL(`${origin}/mcp`)));
      await client.listTools();
      await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
      await client.callTool({ name: 'ask', arguments: {} });
      for (const name of ['slow', 'job'])
        for await (const { type } of client.experimental.tasks.callToolStream({ name, arguments: {} }, undefined, {
          task: {},
        }))
          seen.push(type);
      await client.close();
    },
  });
  assert.deepEqual(
    seen.filter((type) => type === 'result' || type === 'error'),
    ['result', 'result'],
  );
  assert.deepEqual(
    report.findings.map(({ id, level }) => `${id} ${level}`),
    ['tasks-025 MUST', 'http-049 SHOULD', 'tasks-002 SHOULD'],
    JSON.stringify(report.findings),
  );
  const held = report.rows.filter(({ verdict, id }) => verdict === 'holds' && id.startsWith('tasks-'));
  assert.ok(held.length > 15, `${held.length} rows of tasks hold`);
});
