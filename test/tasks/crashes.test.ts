/** Processes that work on the tasks of one store are killed, and stand still for longer than they have a task. */

import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { missing, startPostgres, startRedis } from '../support/engines.ts';
import { openStore } from './stores.ts';

const worker = fileURLToPath(new URL('./worker.ts', import.meta.url));
const tasks = 200;
const leaseTtlMs = 400;

/** What the processes did to the tasks. */
interface Told {
  readonly done: string[];
  readonly lost: string[];
  kills: number;
  pauses: number;
}

test('SQLite: tasks end once each, whoever is killed and stands still', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-crashes-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  await crash(t, 'SQLite', join(folder, 'tasks.db'));
});

test(
  'PostgreSQL: tasks end once each, whoever is killed and stands still',
  { skip: missing('postgres') },
  async (t) => {
    const { port, stop } = await startPostgres();
    t.after(stop);
    await crash(t, 'PostgreSQL', String(port));
  },
);

test('Redis: tasks end once each, whoever is killed and stands still', { skip: missing('redis-server') }, async (t) => {
  const { port, stop } = await startRedis('always');
  t.after(stop);
  await crash(t, 'Redis', String(port));
});

async function crash(t: TestContext, kind: string, place: string): Promise<void> {
  const { store, close } = openStore(kind, place);
  const task = { queue: 'q', owner: '', version: 1, epoch: 0, open: true, dueInMs: 0, text: '' };
  for (let at = 0; at < tasks; at++) assert.equal(await store.add({ ...task, id: `t${at}` }, tasks), 'added');
  const told: Told = { done: [], lost: [], kills: 0, pauses: 0 };
  await work(t, [kind, place, 'q', String(leaseTtlMs)], told);
  const ended = await store.list({ queue: 'q', owner: '' }, undefined, tasks + 1);
  await close();
  assert.equal(ended.length, tasks);
  assert.deepEqual(
    ended.filter(({ open, text }) => open || text !== '+').map(({ id, text }) => `${id} ${text}`),
    [],
  );
  assert.equal(new Set(told.done).size, told.done.length, 'a task was done twice');
  assert.ok(told.kills >= 5 && told.pauses >= 3, `${told.kills} processes were killed, ${told.pauses} stood still`);
  assert.ok(told.lost.length >= told.pauses, `${told.lost.length} late changes were refused`);
  const runs = ended.reduce((sum, { epoch }) => sum + epoch, 0);
  t.diagnostic(`${runs} runs, ${told.kills} killed, ${told.pauses} stood still, ${told.lost.length} late changes`);
}

/** Has three processes work until all is done; of what they claim every seventh is killed, and now and then one stands still until others have all that it had. */
async function work(t: TestContext, words: readonly string[], told: Told): Promise<void> {
  const running = new Set<ChildProcess>();
  const still = new Map<ChildProcess, Set<string>>();
  t.after(() => running.forEach((child) => child.kill('SIGKILL')));
  let claims = 0;
  let ended = (): void => {};
  const all = new Promise<void>((resolve) => (ended = resolve));
  const takeFrom = (others: readonly string[]): void => {
    for (const [child, ids] of still) {
      for (const id of others) ids.delete(id);
      if (ids.size > 0) continue;
      still.delete(child);
      child.kill('SIGCONT');
    }
  };
  const claimed = (child: ChildProcess, ids: readonly string[]): void => {
    takeFrom(ids);
    claims++;
    // One is killed before it works, the next while it does.
    const isKilled = claims % 7 === 0;
    if (isKilled) told.kills++;
    if (isKilled && told.kills % 2 === 0) child.kill('SIGKILL');
    else if (claims % 10 === 5 && still.size === 0) {
      told.pauses++;
      still.set(child, new Set(ids));
      child.kill('SIGSTOP');
    }
    child.stdin?.write('go\n', () => isKilled && child.kill('SIGKILL'));
  };
  const start = (): void => {
    const child = spawn(process.execPath, [worker, ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
    running.add(child);
    // It may be killed before it reads.
    child.stdin.on('error', () => {});
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [what, ...ids] = line.split(' ');
      if (what === 'claimed') claimed(child, ids);
      else if (what === 'done' || what === 'lost') told[what].push(...ids);
    });
    void once(child, 'close').then(([code]) => {
      running.delete(child);
      if (code !== 0) start();
      else if (running.size === 0) ended();
    });
  };
  for (let at = 0; at < 3; at++) start();
  await all;
}
