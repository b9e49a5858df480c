/**
 * `npm run lab -- executors [engine…]`: has engines of others do the work of tasks, in a process that is killed in the middle of it three times, and says what became of
 * them. Their packages are fetched once, into a cache outside of the repository; the databases are those of the tests.
 */

import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { installPackages } from '../scripts/package-cache.ts';
import { Unavailable } from '../scripts/toolchains/unavailable.ts';
import { createServer } from '../packages/parley/src/server.ts';
import { missing, startPostgres, startRedis } from '../test/support/engines.ts';
import { extended, taskClient, type TaskClient } from '../test/support/task-client.ts';
import { openStore } from '../test/tasks/stores.ts';
import { folderOf, type EngineKind, type EngineServer } from './engine.ts';
import { engines } from './engines.ts';

const count = 40;
const kills = 3;
const limitMs = 240_000;

const chosen = process.argv.slice(2);
for (const [name, kind] of Object.entries(engines)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const why = missing(kind.store === 'Redis' ? 'redis-server' : 'postgres');
  let server: EngineServer | undefined;
  try {
    if (why !== false) throw new Unavailable(why);
    await installPackages(folderOf(kind.packages), kind.packages);
    server = await kind.serve?.();
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    console.log(`${kind.title} is not run: ${error.message}`);
    continue;
  }
  try {
    console.log(`${kind.title}: ${await run(name, kind, server?.where ?? '')}`);
  } finally {
    await server?.stop();
  }
}

async function run(name: string, kind: EngineKind, where: string): Promise<string> {
  const database = kind.store === 'Redis' ? await startRedis('always') : await startPostgres();
  const folder = mkdtempSync(join(tmpdir(), 'parley-executors-'));
  const ledger = join(folder, 'ledger');
  const words = [name, String(database.port), ledger];
  const { store, close } = openStore(kind.store, String(database.port));
  const executor = { start: () => {}, wake: () => {}, cancel: () => {} };
  const rateLimits = { tasks: { perSecond: 1e6, burst: 1e6 } };
  // It only looks: it has the name of the others, and claims nothing.
  const server = createServer({ name: 'worker', version: '1' }, { tasks: { store, executor }, rateLimits });
  server.tool('work', { task: 'required' }, () => '');
  const client = await taskClient(server, { revision: '2026-07-28', capabilities: extended });
  let child: ChildProcess | undefined;
  try {
    const first = await started([...words, String(count), where]);
    ({ child } = first);
    for (let kill = 1; kill <= kills; kill++) {
      await until(() => linesOf(ledger).length >= kill * 6, 'the ledger grows');
      child.kill('SIGKILL');
      await once(child, 'close');
      ({ child } = await started([...words, '0', where]));
    }
    const answered = new Set<string>();
    const by = child;
    const states = await until(async () => {
      const all = await statesOf(client, first.ids);
      for (const { taskId, status } of all) {
        if (status !== 'input_required' || answered.has(taskId)) continue;
        answered.add(taskId);
        by.stdin?.write(`answer ${taskId}\n`);
      }
      return all.every(({ status }) => status !== 'working' && status !== 'input_required') && all;
    }, 'all tasks end');
    return report(states, linesOf(ledger), answered.size);
  } finally {
    child?.kill('SIGKILL');
    await server.close();
    await close();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface State {
  readonly taskId: string;
  readonly status: unknown;
  readonly text: string;
}

async function statesOf(client: TaskClient, ids: readonly string[]): Promise<readonly State[]> {
  return await Promise.all(
    ids.map(async (taskId) => {
      const { status, result } = await client.ask('tasks/get', { taskId });
      return { taskId, status, text: JSON.stringify(result) };
    }),
  );
}

function report(states: readonly State[], lines: readonly string[], answered: number): string {
  assert.deepEqual([...new Set(states.map(({ status }) => status))], ['completed']);
  const effects = new Set(lines);
  // An effect that was repeated had the same id: one for each task.
  assert.equal(effects.size, states.length, 'each task has one id of its effect');
  const again = states.filter(({ text }) => !text.includes('run 1"')).length;
  return `${states.length} tasks completed, ${kills} times killed, ${again} run more than once, ${lines.length} effects under ${effects.size} ids, ${answered} answered`;
}

/** Starts a process, and waits until it works. */
async function started(
  words: readonly string[],
): Promise<{ readonly child: ChildProcess; readonly ids: readonly string[] }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'process.ts'), ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => {});
  const ids: string[] = [];
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [what, id = ''] = line.split(' ');
      if (what === 'begun') ids.push(id);
      else if (what === 'ready') resolve();
    });
    child.once('close', () => reject(new Error('the process ended before it worked')));
  });
  return { child, ids };
}

function linesOf(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}

async function until<Result>(look: () => Result | false | Promise<Result | false>, what: string): Promise<Result> {
  for (const end = performance.now() + limitMs; performance.now() < end; await sleep(200)) {
    const found = await look();
    if (found !== false) return found;
  }
  throw new Error(`${what}: not in ${limitMs} ms`);
}
