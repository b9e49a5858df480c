/** Each sentence of docs/what-can-run-twice.md has a test; those that are nowhere else are here. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from '../../packages/parley/src/client.ts';
import { ConnectionError } from '../../packages/parley/src/jsonrpc/transport.ts';
import { listen } from '../../packages/parley/src/node.ts';
import { createServer, type ToolContext } from '../../packages/parley/src/server.ts';
import { memoryTasks } from '../../packages/parley/src/storage/memory-tasks.ts';
import { connectInMemory } from '../../packages/parley/src/testing.ts';
import type { ScriptedPeer, SentMessage } from '../../packages/parley/src/testing/scripted.ts';
import { bridgeTo } from '../support/bridged.ts';
import { begun, engine, led } from '../support/engine-led.ts';
import { open } from '../support/raw.ts';
import { scriptedUpstream } from '../support/scripted-upstream.ts';
import { root } from '../support/sources.ts';
import { extended, taskClient, whenTask } from '../support/task-client.ts';
import { sentences } from './sentences.ts';

/** The sentences of a page, and the rows of its tables, without headings and programs. */
function sentencesOf(page: string): readonly string[] {
  const lines = page.replaceAll(/```[^]*?```/g, '').split('\n');
  return lines.flatMap((line, at) => {
    if (line === '' || line.startsWith('#') || line.startsWith('|---')) return [];
    if (!line.startsWith('|')) return [line];
    const isHead = lines[at + 1]?.startsWith('|---') === true;
    return isHead ? [] : [line.slice(2, -2).replace(' | ', ': ')];
  });
}

test('each sentence of the page is in the register, and each test there is in its file', async () => {
  const page = await readFile(join(root, 'docs/what-can-run-twice.md'), 'utf8');
  assert.deepEqual(sentencesOf(page), Object.keys(sentences));
  const shown = Object.entries(sentences).flatMap(([sentence, tests]) => tests.map((by) => [sentence, ...by] as const));
  const missing = await Promise.all(
    shown.map(async ([sentence, file, title]) =>
      (await readFile(join(root, file), 'utf8')).includes(title) ? [] : [`${sentence} — ${file}: ${title}`],
    ),
  );
  assert.deepEqual(missing.flat(), []);
});

/** A service that charges once for each key. */
function payments(): {
  readonly ids: string[];
  readonly charged: Set<string>;
  charge(id: string, key: string): string;
} {
  const [ids, charged]: [string[], Set<string>] = [[], new Set()];
  return {
    ids,
    charged,
    charge(id, key) {
      ids.push(id);
      charged.add(key);
      return `receipt ${charged.size}`;
    },
  };
}

for (const [revision, title] of [
  ['2026-07-28', 'the first request of a call runs once for each delivery, and a key of the order pays once'],
  ['2025-11-25', 'a call that is sent again in a session runs again'],
] as const)
  test(title, async () => {
    const service = payments();
    const server = createServer({ name: 's', version: '1' });
    server.tool('pay', {}, (_, ctx) => ctx.once('pay', (id) => service.charge(id, 'order-7')));
    const client = await open(server, revision);
    for (let count = 0; count < 3; count++) await client.result('tools/call', { name: 'pay' });
    assert.deepEqual([service.ids.length, new Set(service.ids).size, service.charged.size], [3, 3, 1]);
  });

test('an effect outside of ctx.once runs in each run of the handler', async () => {
  for (const [revision, outside] of [
    ['2026-07-28', 2],
    ['2025-11-25', 1],
  ] as const) {
    const counts = { outside: 0, once: 0 };
    const server = createServer({ name: 's', version: '1' });
    server.tool('pay', {}, async (_, ctx) => {
      counts.outside++;
      await ctx.once('pay', () => void counts.once++);
      await ctx.elicit({ message: 'Sure?', schema: { type: 'object', properties: {} } });
      return 'paid';
    });
    const onElicit = () => ({ action: 'accept', content: {} }) as const;
    const client = await connectInMemory(server, { revision, onElicit });
    await client.callTool('pay');
    await client.close();
    assert.deepEqual(counts, { outside, once: 1 });
  }
});

test('a task that is started again runs again', async (t) => {
  const service = payments();
  const server = createServer({ name: 's', version: '1' }, { tasks: { store: memoryTasks() } });
  t.after(() => server.close());
  server.tool('pay', { task: { support: 'required', after: 0 } }, (_, ctx) =>
    ctx.once('pay', (id) => service.charge(id, 'order-7')),
  );
  const client = await taskClient(server, { revision: '2026-07-28', capabilities: extended });
  for (let count = 0; count < 2; count++) {
    const { taskId } = await client.ask('tools/call', { name: 'pay' });
    await whenTask(client, String(taskId), ({ status }) => status === 'completed');
  }
  assert.deepEqual([service.ids.length, new Set(service.ids).size, service.charged.size], [2, 2, 1]);
});

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

for (const [revision, isHttp, what] of [
  ['2026-07-28', false, 'is cancelled'],
  ['2026-07-28', true, 'loses its connection'],
  ['2025-11-25', false, 'is cancelled'],
] as const)
  test(`a call of ${revision} that ${what} ends the effect that has begun, and begins no other`, async (t) => {
    const effects: string[] = [];
    const [goes, isOver] = [gate(), gate()];
    const server = createServer({ name: 's', version: '1' }, { onError: () => undefined });
    const controller = new AbortController();
    server.tool('pay', {}, async (_, ctx) => {
      ctx.signal.addEventListener('abort', goes.open);
      await ctx.once('reserve', async () => {
        controller.abort();
        await goes.opened;
        effects.push('reserve');
      });
      const paid = ctx.once('pay', () => void effects.push('pay'));
      await assert.rejects(paid, { name: 'AbortError', message: 'the request was cancelled' });
      isOver.open();
      return 'paid';
    });
    const served = isHttp ? await listen(server, { port: 0 }) : undefined;
    t.after(() => served?.close({ drainTimeoutMs: 0 }));
    const client = await (served === undefined ? connectInMemory(server, { revision }) : connect(served.url));
    await assert.rejects(client.callTool('pay', {}, { signal: controller.signal }), { name: 'AbortError' });
    await isOver.opened;
    await client.close();
    assert.deepEqual(effects, ['reserve']);
  });

test('a task that is cancelled in its own process begins no further effect', async (t) => {
  let effects = 0;
  const [goes, isOver] = [gate(), gate()];
  const tasks = { store: memoryTasks() };
  const server = createServer({ name: 's', version: '1' }, { tasks, onError: () => undefined });
  t.after(() => server.close());
  server.tool('pay', { task: { support: 'required', after: 0 } }, async (_, ctx) => {
    await goes.opened;
    await ctx.once('pay', () => void effects++).finally(isOver.open);
    return 'paid';
  });
  const client = await taskClient(server, { revision: '2026-07-28', capabilities: extended });
  const { taskId } = await client.ask('tools/call', { name: 'pay' });
  await client.ask('tasks/cancel', { taskId });
  goes.open();
  await isOver.opened;
  assert.equal(effects, 0);
});

test('a process that stops within an effect can begin it late, and a key pays once', async (t) => {
  const service = payments();
  const store = memoryTasks();
  const [stops, goes, isOver] = [gate(), gate(), gate()];
  const use = { attempts: 2, support: 'optional', after: 'background' } as const;
  const first = await led(
    t,
    { executor: engine(), store },
    {
      ...use,
      async run(ctx) {
        await ctx.background();
        await ctx.once('pay', async (id) => {
          stops.open();
          await goes.opened;
          service.charge(id, 'order-7');
          isOver.open();
        });
      },
    },
  );
  const taskId = await begun(first);
  await stops.opened;
  // Its lease ends while it stands still.
  const { epoch = 0 } = (await store.get(taskId)) ?? {};
  assert.deepEqual(await store.renew([{ id: taskId, epoch }], 0), []);
  const run = (ctx: ToolContext): unknown => ctx.once('pay', (id) => service.charge(id, 'order-7'));
  const second = await led(t, { executor: engine(), store }, { ...use, run });
  assert.equal(await second.server.tasks.run(taskId), 'ended');
  goes.open();
  await isOver.opened;
  assert.deepEqual([service.ids.length, new Set(service.ids).size, service.charged.size], [2, 1, 1]);
});

test('a bridge forwards each call once, also if its answer is lost', async (t) => {
  for (const up of ['2025-11-25', '2026-07-28'] as const) {
    const called: unknown[] = [];
    const call = (sent: SentMessage, peer: ScriptedPeer): void => {
      called.push(sent.message['id']);
      if (called.length === 2) throw new ConnectionError('closed', 'HTTP 200 ended before the response');
      peer.reply(sent, { resultType: 'complete', content: [] });
    };
    const upstream = scriptedUpstream({ up, kind: 'http', answers: { 'tools/call': call } });
    const client = await open(await bridgeTo(t, upstream), '2026-07-28');
    await client.result('tools/call', { name: 'pay' });
    await client.error('tools/call', { name: 'pay' });
    assert.equal(called.length, 2);
  }
});
