/** A process of a course of tasks: a server over HTTP, with tools that are tasks in a store that others share. Something may befall it at each step. */

import { appendFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { listen } from '../../../packages/parley/src/node.ts';
import { createServer, type ToolContext } from '../../../packages/parley/src/server.ts';
import type { SqliteHandle } from '../../../packages/parley/src/sqlite.ts';
import type { StoredTask, TaskStore } from '../../../packages/parley/src/storage/tasks.ts';
import { endNow, standStill } from '../../support/misfortunes.ts';
import { openStore } from '../stores.ts';
import { permitOf, type Entry, type Orders, type Said } from './messages.ts';
import { steps, type Step } from './plan.ts';

// Written by the course that started it.
const { name, kind, place, leaseTtlMs, permits, journal } = JSON.parse(process.argv[2] ?? '{}') as Orders;
/** Longer than it has a task, and shorter than it takes a client to give up altogether. */
const stillMs = leaseTtlMs * 1.7;
const workMs = 60;

// Without the course there is nothing to be shown.
process.on('disconnect', () => process.exit());
const server = createServer(
  { name: 'processes', version: '1' },
  {
    tasks: {
      store: deadly(openStore(kind, place, inTransactions).store),
      leaseTtlMs,
      pollIntervalMs: 50,
      limits: { ofNobody: 10_000 },
    },
    rateLimits: { tasks: { perSecond: 1e6, burst: 1e6 } },
    // A store that is away is part of it.
    onError: () => undefined,
  },
);
addTools();
const { url } = await listen(server, { port: 0 });
process.send?.({ url } satisfies Said);

/** Writes down what was done; the system keeps it, whatever becomes of this process. */
function enter(...entry: Entry): void {
  appendFileSync(journal, `${entry.join('\t')}\n`);
}

/** A place at which something may befall this process. */
function at(step: Step): void {
  const number = steps.indexOf(step);
  if (taken(permitOf(number, true))) {
    enter('befell', step, 'ended');
    endNow();
  }
  if (taken(permitOf(number, false))) {
    enter('befell', step, 'stood still');
    standStill(stillMs);
  }
}

function taken(permit: string): boolean {
  try {
    unlinkSync(join(permits, permit));
    return true;
  } catch {
    return false;
  }
}

/** A database of SQLite in whose transactions something may befall the process, which others wait for. */
function inTransactions(path: string): SqliteHandle {
  const handle = new DatabaseSync(path);
  return {
    exec: (sql) => {
      if (sql === 'commit') at('in a transaction');
      handle.exec(sql);
    },
    prepare: (sql) => handle.prepare(sql),
    close: () => handle.close(),
  };
}

/** The same store, with what may befall the process around each change. */
function deadly(store: TaskStore): TaskStore {
  return {
    add: async (task, most) => {
      at('before a task is added');
      const outcome = await store.add(task, most);
      at('when a task was added');
      return outcome;
    },
    get: (id) => store.get(id),
    swap: async (task) => {
      const { before, then } = stepsOf(task);
      if (before !== undefined) at(before);
      const done = await store.swap(task);
      if (done && !task.open) enter('ended', task.id, statusOf(task), String(Date.now()));
      if (done && then !== undefined) at(then);
      return done;
    },
    claim: async (queue, by) => {
      const claimed = await store.claim(queue, by);
      if (claimed.length > 0) at('when tasks of others were claimed');
      return claimed;
    },
    renew: (leases, forMs) => store.renew(leases, forMs),
    list: (of, after, most) => store.list(of, after, most),
    sweep: (most) => store.sweep(most),
    ...(store.bus === undefined ? {} : { bus: store.bus }),
  };
}

/** The steps before and after a change. */
function stepsOf(task: StoredTask): { readonly before?: Step; readonly then?: Step } {
  if (!task.open) return { before: 'before an end is committed', then: 'when an end was committed' };
  if (typeof task.dueInMs === 'number' && task.dueInMs > 0)
    return { before: 'before a new task is claimed', then: 'when a new task was claimed' };
  const { status, once, answers } = recordOf(task);
  if (status === 'input_required') return { then: 'when a question is kept' };
  if (Object.keys(answers).length > 0) return { then: 'when an answer is kept' };
  return Object.keys(once).length > 0 ? { then: 'when once is kept' } : {};
}

/** What the runtime keeps of a task, as far as it is of use here. */
interface Kept {
  readonly status: string;
  readonly once: object;
  readonly answers: object;
}

function recordOf({ text }: StoredTask): Kept {
  // The runtime wrote it.
  return JSON.parse(text) as Kept;
}

function statusOf(task: StoredTask): string {
  return recordOf(task).status;
}

async function working(): Promise<void> {
  await setTimeout(Math.random() * workMs);
  at('in the middle of a run');
  await setTimeout(Math.random() * workMs);
}

function addTools(): void {
  const input = { type: 'object', properties: { task: { type: 'string' } }, required: ['task'] } as const;
  const tool = (title: string, attempts: number, run: (task: string, ctx: ToolContext) => Promise<string>): void => {
    server.tool(title, { input, task: { support: 'required', attempts } }, async ({ task }, ctx) => {
      enter('run', task, String(ctx.task?.attempt), name);
      at('when a run begins');
      return await run(task, ctx);
    });
  };
  tool('once', 1, async (task) => (await working(), task));
  tool('again', 100, async (task) => (await working(), task));
  tool('cancelled', 100, async (task, ctx) => {
    await working();
    await kept(task, 'a', ctx);
    await kept(task, 'b', ctx);
    return task;
  });
  tool('kept', 100, async (task, ctx) => `${await kept(task, 'a', ctx)} ${await kept(task, 'b', ctx)}`);
  tool('asks', 100, async (_, ctx) => {
    await working();
    const first = await answerOf('first', ctx);
    await working();
    return `${first} ${await answerOf('second', ctx)}`;
  });
  // What leaves its work is not heeded any more.
  tool('left', 100, async (_, ctx) => (await working(), ctx.task?.leave() as unknown as string));
  const ending = { type: 'object', properties: { id: { type: 'string' }, text: { type: 'string' } } } as const;
  server.tool('end', { input: ending }, async ({ id = '', text = '' }) => String(await server.tasks.finish(id, text)));
}

async function kept(task: string, key: string, ctx: ToolContext): Promise<string> {
  const attempt = String(ctx.task?.attempt);
  at('before an effect');
  const value = await ctx.once(key, async () => {
    enter('begins', task, attempt, ctx.task?.id ?? '', String(Date.now()));
    await working();
    const effect = crypto.randomUUID();
    enter('effect', task, key, effect, attempt);
    at('in once, when its effect is done');
    return effect;
  });
  enter('kept', task, key, value, attempt);
  return value;
}

async function answerOf(message: string, ctx: ToolContext): Promise<string> {
  const schema = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] } as const;
  const answer = await ctx.elicit({ message, schema });
  return answer.action === 'accept' ? String(answer.content.word) : answer.action;
}
