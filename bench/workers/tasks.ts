/** A server with tasks and its client in one process, without a transport: plain calls, `tasks/get`, tasks from begin to end, or what tasks keep of the heap. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createServer } from '../../packages/parley/src/server.ts';
import { memoryTasks } from '../../packages/parley/src/storage/memory-tasks.ts';
import type { StoredTask, TaskStore } from '../../packages/parley/src/storage/tasks.ts';
import { openStore } from '../../test/tasks/stores.ts';
import type { Order } from '../harness/worker.ts';
import { offer, optionsOf } from './support.ts';

const { what, kind, place } = optionsOf();
const revision = what === 'waiting' ? '2025-11-25' : '2026-07-28';
const kilobyte = 'x'.repeat(1_000);
let ended = (_: StoredTask): void => {};

const store =
  kind === 'memory' ? memoryTasks({ maxTasks: 1e6, maxBytes: 1e9 }) : openStore(String(kind), String(place)).store;
const many = { perSecond: 1e9, burst: 1e9 };
const server = createServer(
  { name: 'bench', version: '1' },
  {
    tasks: { store: heard(store), limits: { ofNobody: 1e6, running: 1_000, results: 1e6 } },
    rateLimits: { tasks: many },
  },
);
const input = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
} as const;
server.tool('add', { input }, ({ a, b }) => String(a + b));
server.tool('task', { input, task: 'required' }, ({ a, b }) => String(a + b));
server.tool('long', { task: 'required' }, () => kilobyte);
server.tool('never', { task: 'required' }, () => new Promise<string>(() => undefined));
const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const _meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientCapabilities': capabilities,
};
let conversation = openConnection();
let last = 0;
type Json = Readonly<Record<string, unknown>>;

function openConnection(): ReturnType<typeof server.endpoint.openConnection> {
  return server.endpoint.openConnection({ lasting: true, network: 'inproc', send: () => undefined });
}

async function ask(method: string, params: Json): Promise<Json> {
  const more = revision === '2026-07-28' ? { _meta } : {};
  const response = await conversation.receive({ jsonrpc: '2.0', id: ++last, method, params: { ...params, ...more } });
  if (response === undefined || !('result' in response)) throw new Error(`no result: ${JSON.stringify(response)}`);
  return { ...response.result };
}

/** The same store, whose caller hears of each end. */
function heard(of: TaskStore): TaskStore {
  return {
    add: (task, most) => of.add(task, most),
    get: (id) => of.get(id),
    swap: async (task) => {
      const done = await of.swap(task);
      if (done && !task.open) ended(task);
      return done;
    },
    claim: (queue, by) => of.claim(queue, by),
    renew: (leases, forMs) => of.renew(leases, forMs),
    list: (owner, after, most) => of.list(owner, after, most),
    sweep: (most) => of.sweep(most),
  };
}

if (what === 'plain') offer(async (a) => textOf(await ask('tools/call', { name: 'add', arguments: { a, b: 1 } })));
else if (what === 'get') await offerGets();
else if (what === 'done') offerTasks();
else offerHeap(what === 'waiting' ? wait : finish);

function textOf({ content }: Json): string {
  return (content as readonly { readonly text: string }[])[0]?.text ?? '';
}

/** Asks for one task that has ended. */
async function offerGets(): Promise<void> {
  const done = new Promise((resolve) => (ended = resolve));
  const { taskId } = await ask('tools/call', { name: 'task', arguments: { a: 1, b: 1 } });
  await done;
  offer(async (number) => {
    const { status } = await ask('tasks/get', { taskId });
    return status === 'completed' ? String(number + 1) : String(status);
  });
}

/** Begins a task, and is done when its end is in the store. */
function offerTasks(): void {
  const waiting = new Map<string, () => void>();
  const before = new Set<string>();
  ended = ({ id }) => {
    const resolve = waiting.get(id);
    waiting.delete(id);
    if (resolve === undefined) before.add(id);
    else resolve();
  };
  offer(async (a) => {
    const { taskId } = await ask('tools/call', { name: 'task', arguments: { a, b: 1 } });
    if (!before.delete(String(taskId))) await new Promise<void>((resolve) => waiting.set(String(taskId), resolve));
    return String(a + 1);
  });
}

/** Makes many of something, and says what each keeps of the heap; it is given as if it were time. */
function offerHeap(make: () => Promise<void>): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = async (): Promise<number> => {
    for (let times = 0; times < 4; times++) {
      collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return process.memoryUsage().heapUsed;
  };
  const measured = async ({ total }: Order): Promise<object> => {
    const [before, start] = [await heap(), performance.now()];
    for (let made = 0; made < total; made++) await make();
    const seconds = (performance.now() - start) / 1000;
    return { cpu: (await heap()) - before, seconds, p50: Number.NaN, p99: Number.NaN };
  };
  void opened().then(() => {
    process.on('message', (order: Order) => void measured(order).then((report) => process.send?.(report)));
    process.on('disconnect', () => process.exit());
    process.send?.({ ready: true });
  });
}

async function opened(): Promise<void> {
  if (revision === '2026-07-28') return;
  await ask('initialize', { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'c', version: '1' } });
  await conversation.receive({ jsonrpc: '2.0', method: 'notifications/initialized' });
}

async function finish(): Promise<void> {
  const done = new Promise((resolve) => (ended = resolve));
  await ask('tools/call', { name: 'long' });
  await done;
}

let waited: unknown;
let waits = 0;
let refused: unknown;

/** Waits for the result of one task that does not end; a conversation has no more than a few hundred requests at once. */
async function wait(): Promise<void> {
  waited ??= ((await ask('tools/call', { name: 'never', task: {} }))['task'] as Json)['taskId'];
  if (++waits % 500 === 0) {
    conversation = openConnection();
    await opened();
  }
  ask('tasks/result', { taskId: waited }).catch((error: unknown) => (refused = error));
  await new Promise((resolve) => setImmediate(resolve));
  if (refused !== undefined) throw new Error('a wait was refused', { cause: refused });
}
