import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { until } from '../../../../../test/support/turns.ts';
import { memoryTasks } from '../../storage/memory-tasks.ts';
import { createServer, type Server } from '../server.ts';

type Json = Readonly<Record<string, unknown>>;

function serving(t: TestContext): Server {
  const server = createServer({ name: 's', version: '1' }, { tasks: { store: memoryTasks({ maxBytes: 100_000 }) } });
  t.after(() => server.close());
  server.tool(
    't',
    { task: 'required', input: { type: 'object' } },
    async () => await new Promise<never>(() => undefined),
  );
  return server;
}

/** A client of 2025-11-25 that begins tasks, and what came of each: an error or its data. */
async function clientOf(server: Server, link: { readonly principal?: string; readonly address?: string }) {
  const { principal, address } = link;
  const conversation = server.endpoint.openConnection({
    lasting: true,
    send: () => undefined,
    ...(principal !== undefined && { auth: { principal } }),
    ...(address !== undefined && { address }),
  });
  const ask = (id: number, method: string, params: Json): ReturnType<typeof conversation.receive> =>
    conversation.receive({ jsonrpc: '2.0', id, method, params });
  const clientInfo = { name: 'c', version: '1' };
  await ask(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  await conversation.receive({ jsonrpc: '2.0', method: 'notifications/initialized' });
  let id = 0;
  return async (text: string): Promise<unknown> => {
    const answer = await ask(++id, 'tools/call', { name: 't', arguments: { text }, task: {} });
    return answer !== undefined && 'error' in answer ? answer.error : 'begun';
  };
}

const text = 'x'.repeat(5_000);
const full = {
  code: -32_603,
  message: 'the store has no room for another task of this client now; try again later',
  data: { full: true },
};

for (const [who, one, other] of [
  ['principal', { principal: 'eve' }, { principal: 'ann' }],
  ['address', { address: '192.0.2.1' }, { address: '198.51.100.1' }],
] as const)
  test(`one ${who} cannot fill the store of tasks, and reads what is full`, async (t) => {
    const server = serving(t);
    const [eve, ann] = [await clientOf(server, one), await clientOf(server, other)];
    const outcomes: unknown[] = [];
    for (let at = 0; at < 6; at++) outcomes.push(await eve(text));
    assert.equal(outcomes[0], 'begun');
    assert.deepEqual(outcomes.at(-1), full);
    assert.equal(await ann(text), 'begun');
  });

for (const [who, one, other] of [
  ['principal', { principal: 'eve' }, { principal: 'ann' }],
  ['address', { address: '192.0.2.1' }, { address: '198.51.100.1' }],
] as const)
  test(`one ${who} cannot take all places of runs`, async (t) => {
    const running = new Map<string, (() => void)[]>();
    const tasks = { store: memoryTasks(), limits: { running: 4 } };
    const server = createServer({ name: 's', version: '1' }, { tasks });
    t.after(() => server.close());
    server.tool('t', { task: 'required', input: { type: 'object' } }, async (given) => {
      const name = String(Object(given)['text']);
      await new Promise<void>((resolve) => running.set(name, [...(running.get(name) ?? []), resolve]));
      return 'done';
    });
    const runs = (name: string): number => running.get(name)?.length ?? 0;
    const [eve, ann] = [await clientOf(server, one), await clientOf(server, other)];
    for (let at = 0; at < 6; at++) assert.equal(await eve('eve'), 'begun');
    await until(() => runs('eve') === 2);
    assert.equal(await ann('ann'), 'begun');
    await until(() => runs('ann') === 1);
    assert.deepEqual([runs('eve'), runs('ann')], [2, 1]);
    // The others of the owner begin as those before them end.
    for (let at = 0; at < 6; at++) {
      await until(() => runs('eve') > at);
      running.get('eve')?.[at]?.();
    }
    assert.equal(runs('eve'), 6);
  });

test('a process finds tasks of others behind those of an owner who has its share', async (t) => {
  const store = memoryTasks();
  const names: string[] = [];
  const serverOf = (running: number): Server => {
    const server = createServer({ name: 's', version: '1' }, { tasks: { store, limits: { running } } });
    t.after(() => server.close());
    server.tool('t', { task: 'required', input: { type: 'object' } }, async (given) => {
      names.push(String(Object(given)['text']));
      return await new Promise<never>(() => undefined);
    });
    return server;
  };
  const front = serverOf(0);
  const [eve, ann] = [await clientOf(front, { principal: 'eve' }), await clientOf(front, { principal: 'ann' })];
  for (let at = 0; at < 10; at++) assert.equal(await eve('eve'), 'begun');
  assert.equal(await ann('ann'), 'begun');
  // It works on what another process left.
  await clientOf(serverOf(4), { principal: 'bob' });
  await until(() => names.includes('ann'));
  assert.deepEqual(names.toSorted(), ['ann', 'eve', 'eve']);
});
