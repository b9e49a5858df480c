/** Tasks that a bridge keeps before a server behind HTTP, which is away for a while, and with a store that outlives the bridge. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createBridge, type Bridge } from '../../packages/parley/src/bridge.ts';
import { connect, type Client, type TaskHandle, type TaskReference } from '../../packages/parley/src/client.ts';
import { listen } from '../../packages/parley/src/node.ts';
import type { Servable } from '../../packages/parley/src/server/runtime/request-handler.ts';
import { memoryTasks } from '../../packages/parley/src/storage/memory-tasks.ts';
import type { TaskStore } from '../../packages/parley/src/storage/tasks.ts';
import { sqliteTasks } from '../../packages/parley/src/sqlite.ts';
import { memoryTransport } from '../../packages/parley/src/testing.ts';
import { serverAt } from '../support/bridged.ts';
import { until } from '../support/turns.ts';

/** A server whose only tool ends when it is told to, and tells how often it ran. */
function working(t: TestContext) {
  const server = serverAt('2026-07-28', { rateLimits: { tasks: { perSecond: 1e6, burst: 1e6 } } });
  t.after(() => server.close());
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let count = 0;
  server.tool('job', { task: { support: 'optional', after: 0, pollIntervalMs: 100 } }, async () => {
    count++;
    await released;
    return 'after all';
  });
  return { server, release, runs: () => count };
}

async function bridgeOf(t: TestContext, upstream: string, store: TaskStore): Promise<Bridge> {
  const quiet = { onWarning: () => undefined, onError: () => undefined };
  const bridge = await createBridge({ upstream, tasks: { store }, ...quiet });
  t.after(() => bridge.close());
  return bridge;
}

async function clientOf(t: TestContext, bridge: Servable): Promise<Client> {
  const client = await connect(memoryTransport(bridge), { revisions: ['2025-11-25'] });
  t.after(() => client.close());
  return client;
}

/** Waits until a server behind the port would have been asked three times, and was not there. */
async function away(port: number): Promise<void> {
  let knocks = 0;
  const nobody = createNetServer((socket) => {
    knocks++;
    socket.on('error', () => undefined);
    socket.destroy();
  });
  await new Promise<void>((resolve) => nobody.listen(port, '127.0.0.1', resolve));
  await until(() => knocks >= 3, 'three looks that failed');
  await new Promise<unknown>((resolve) => nobody.close(resolve));
}

/** Waits until a bridge has kept that the call is a task of the server: a call may not go up twice. */
async function hasBegun(store: TaskStore, { reference }: TaskHandle): Promise<void> {
  const text = async (): Promise<string> => (await store.get(reference?.taskId ?? ''))?.text ?? '';
  while (!(await text()).includes('"begun"')) await new Promise(setImmediate);
}

test('a kept task outlives that its server cannot be reached for a while', async (t) => {
  const { server, release, runs } = working(t);
  const first = await listen(server, { port: 0, drainTimeoutMs: 0 });
  const { url, port } = first;
  const store = memoryTasks();
  const client = await clientOf(t, await bridgeOf(t, url, store));
  const task = await client.startTask('job', {});
  await hasBegun(store, task);
  await first.close();
  await away(port);
  const second = await listen(server, { port, drainTimeoutMs: 0 });
  t.after(() => second.close());
  release();
  assert.deepEqual((await task.result()).content, [{ type: 'text', text: 'after all' }]);
  assert.equal(runs(), 1);
});

test('a kept task is there after a restart of its bridge, with its store in a file', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-kept-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'tasks.db');
  const { server, release, runs } = working(t);
  const behind = await listen(server, { port: 0, drainTimeoutMs: 0 });
  t.after(() => behind.close());
  const before = sqliteTasks(file);
  const first = await bridgeOf(t, behind.url, before);
  const early = await clientOf(t, first);
  const task = await early.startTask('job', {});
  await hasBegun(before, task);
  const reference = JSON.parse(JSON.stringify(task.reference)) as TaskReference;
  await first.close();
  before.close();
  const store = sqliteTasks(file);
  t.after(() => store.close());
  const late = await clientOf(t, await bridgeOf(t, behind.url, store));
  const again = await late.task(reference);
  assert.equal((await again.poll()).status, 'working');
  release();
  assert.deepEqual((await again.result()).content, [{ type: 'text', text: 'after all' }]);
  assert.equal(runs(), 1);
});
