/** A run that lost its task begins no effect, whichever store keeps the task. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { memoryTasks } from '../../packages/parley/src/storage/memory-tasks.ts';
import type { TaskStore } from '../../packages/parley/src/storage/tasks.ts';
import { eventually } from '../../packages/parley/src/testing/tasks/checks.ts';
import { missing, startPostgres, startRedis } from '../support/engines.ts';
import { extended, taskClient, whenTask } from '../support/task-client.ts';
import { openStore, type OpenedStore } from './stores.ts';

/** Opens a store as two processes do. */
type Opening = (t: TestContext) => Promise<readonly [TaskStore, TaskStore]>;

function twice(t: TestContext, open: () => OpenedStore): readonly [TaskStore, TaskStore] {
  const [one, other] = [open(), open()];
  t.after(() => Promise.all([one.close(), other.close()]));
  return [one.store, other.store];
}

const kinds: Readonly<Record<string, { readonly skip: string | false; readonly open: Opening }>> = {
  memory: {
    skip: false,
    open: async () => {
      const store = memoryTasks();
      return [store, store];
    },
  },
  SQLite: {
    skip: false,
    open: async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'parley-lost-'));
      t.after(() => rmSync(folder, { recursive: true, force: true }));
      return twice(t, () => openStore('SQLite', join(folder, 'tasks.db')));
    },
  },
  Redis: {
    skip: missing('redis-server'),
    open: async (t) => {
      const { port, stop } = await startRedis('always');
      t.after(stop);
      return twice(t, () => openStore('Redis', String(port)));
    },
  },
  PostgreSQL: {
    skip: missing('postgres'),
    open: async (t) => {
      const { port, stop } = await startPostgres();
      t.after(stop);
      return twice(t, () => openStore('PostgreSQL', String(port)));
    },
  },
};

/** A store that tells nobody of changes, as where a bus lost them. */
function silent(store: TaskStore): TaskStore {
  return {
    add: (task, most) => store.add(task, most),
    get: (id) => store.get(id),
    swap: (task) => store.swap(task),
    claim: (queue, by) => store.claim(queue, by),
    renew: (leases, forMs) => store.renew(leases, forMs),
    list: (of, after, most) => store.list(of, after, most),
    sweep: (most) => store.sweep(most),
  };
}

/** What the tool `pay` did. */
interface Payments {
  paid: number;
  /** Whether its signal was aborted when `once` was refused. */
  refused: boolean | undefined;
}

interface Scene {
  readonly store: TaskStore;
  readonly payments: Payments;
  readonly taskId: string;
  readonly errors: string[];
  /** Lets the handler go on to its effect, and waits until the handler is through. */
  goOn(): Promise<void>;
  /** Cancels the task through the other process. */
  cancel(): Promise<void>;
}

const client = { revision: '2026-07-28', capabilities: extended, principal: 'ann' } as const;

/** A task that waits just before its effect. */
async function atEffect(
  t: TestContext,
  open: Opening,
  around = (store: TaskStore): TaskStore => store,
): Promise<Scene> {
  const [own, other] = await open(t);
  const payments: Payments = { paid: 0, refused: undefined };
  const errors: string[] = [];
  const [waits, goes, over] = [gate(), gate(), gate()];
  const serverOn = (store: TaskStore): Server => {
    const onError = (error: unknown): void => void errors.push(String(error));
    const server = createServer({ name: 's', version: '1' }, { tasks: { store }, onError });
    t.after(() => server.close());
    server.tool('pay', { task: { support: 'required', after: 0 } }, async (_, ctx) => {
      waits.open();
      await goes.opened;
      try {
        await ctx.once('pay', () => void payments.paid++);
        return 'paid';
      } catch (error) {
        payments.refused = ctx.signal.aborted;
        throw error;
      } finally {
        over.open();
      }
    });
    return server;
  };
  const [first, second] = await Promise.all([
    taskClient(serverOn(around(silent(own))), client),
    taskClient(serverOn(silent(other)), client),
  ]);
  const taskId = String((await first.ask('tools/call', { name: 'pay' }))['taskId']);
  await waits.opened;
  return {
    store: other,
    payments,
    taskId,
    errors,
    goOn: async () => (goes.open(), await over.opened),
    cancel: async () => {
      await second.ask('tasks/cancel', { taskId });
      await whenTask(second, taskId, ({ status }) => status === 'cancelled');
    },
  };
}

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

for (const [kind, { skip, open }] of Object.entries(kinds))
  describe(`a run whose task is in ${kind}`, { skip }, () => {
    test('runs its effect while it has the task', async (t) => {
      const { goOn, payments } = await atEffect(t, open);
      await goOn();
      assert.deepEqual(payments, { paid: 1, refused: undefined });
    });

    test('begins no effect once the task was cancelled through another process', async (t) => {
      const { goOn, cancel, payments } = await atEffect(t, open);
      await cancel();
      await goOn();
      assert.deepEqual(payments, { paid: 0, refused: true });
    });

    test('begins no effect once another process claimed the task', async (t) => {
      const { goOn, store, taskId, payments } = await atEffect(t, open);
      const task = (await store.get(taskId)) ?? assert.fail('the task is there');
      // A claim without the wait for the end of the lease.
      const claimed = { ...task, version: task.version + 1, epoch: task.epoch + 1, dueInMs: 60_000 };
      assert.equal(await store.swap(claimed), true);
      await goOn();
      assert.deepEqual(payments, { paid: 0, refused: true });
    });

    for (const [clock, jump] of [
      ['monotonic', (t: TestContext, ms: number) => advance(t, performance, ms)],
      ['wall', (t: TestContext, ms: number) => advance(t, Date, ms)],
    ] as const)
      test(`begins no effect after its lease by the ${clock} clock, though nobody took the task`, async (t) => {
        const { goOn, payments, errors } = await atEffect(t, open);
        jump(t, 30_001);
        await goOn();
        assert.deepEqual(payments, { paid: 0, refused: true });
        assert.match(errors.join(), /an effect of ctx\.once did not begin: .*for the whole lease of 30000 ms/);
      });

    test('begins no effect if it stood still while the store renewed its lease', async (t) => {
      let stall = (): void => undefined;
      const slow = (store: TaskStore): TaskStore => ({
        ...store,
        renew: async (leases, forMs) => {
          const lost = await store.renew(leases, forMs);
          stall();
          return lost;
        },
      });
      const { goOn, payments } = await atEffect(t, open, slow);
      stall = () => advance(t, performance, 30_001);
      await goOn();
      assert.deepEqual(payments, { paid: 0, refused: true });
    });
  });

test('a claimed task is given back if the process stood still after the claim', async (t) => {
  const store = memoryTasks();
  let runs = 0;
  const stalls: TaskStore = {
    ...silent(store),
    swap: async (task) => {
      const isSwapped = await store.swap(task);
      if (task.epoch === 1 && typeof task.dueInMs === 'number' && task.dueInMs > 0) advance(t, performance, 30_001);
      return isSwapped;
    },
  };
  const server = createServer({ name: 's', version: '1' }, { tasks: { store: stalls } });
  t.after(() => server.close());
  server.tool('pay', { task: { support: 'required', after: 0 } }, () => String(++runs));
  const { taskId } = await (await taskClient(server, client)).ask('tools/call', { name: 'pay' });
  await eventually(
    'it waits again',
    async () => (await store.get(String(taskId)))?.text.includes('"hand":"queued"') === true,
  );
  assert.equal(runs, 0);
});

/** Moves a clock on for the rest of a test. */
function advance(t: TestContext, clock: { now(): number }, ms: number): void {
  const now = clock.now.bind(clock);
  t.mock.method(clock, 'now', () => now() + ms);
}
