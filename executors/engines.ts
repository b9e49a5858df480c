/** Engines as the runs open them. */

import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import type { TaskExecutor, TaskTurn } from 'parley-mcp/server';
import { cacheFolder } from '../scripts/package-cache.ts';
import { bullExecutor, bullProcessor, type BullQueue } from './bullmq.ts';
import { dbosExecutor, type DbosClass } from './dbos.ts';

/** An engine of which a process is one worker. */
export interface OpenEngine {
  readonly executor: TaskExecutor;
  /** Begins to work; the tools are registered by then. */
  launch(): Promise<void>;
}

/** What a run takes of an engine. */
export interface EngineKind {
  readonly title: string;
  /** Store of the tasks, as `openStore` names it; the engine keeps its own there too. */
  readonly store: 'PostgreSQL' | 'Redis';
  readonly packages: Readonly<Record<string, string>>;
  open(port: number, run: (id: string) => Promise<TaskTurn>): Promise<OpenEngine>;
}

export const engines: Readonly<Record<string, EngineKind>> = {
  dbos: {
    title: 'DBOS 5.3.0',
    store: 'PostgreSQL',
    packages: { '@dbos-inc/dbos-sdk': '5.3.0' },
    async open(port, run) {
      const { DBOS } = await loaded<{ DBOS: DbosClass & DbosLife }>('dbos', '@dbos-inc/dbos-sdk');
      const systemDatabaseUrl = `postgresql://parley@127.0.0.1:${port}/postgres`;
      DBOS.setConfig({ name: 'tasks', systemDatabaseUrl, applicationVersion: '1', logLevel: 'error' });
      return { executor: dbosExecutor(DBOS, run), launch: () => DBOS.launch() };
    },
  },
  bullmq: {
    title: 'BullMQ 6.7.0',
    store: 'Redis',
    packages: { bullmq: '6.7.0', ioredis: '6.0.0' },
    async open(port, run) {
      const { Queue, Worker, DelayedError } = await loaded<BullModule>('bullmq', 'bullmq');
      const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
      const executor = bullExecutor(new Queue('tasks', { connection }));
      const launch = async (): Promise<void> => {
        // A worker that died is found out by this.
        const life = { lockDuration: 3000, stalledInterval: 1500, maxStalledCount: 10, concurrency: 16 };
        const worker = new Worker('tasks', bullProcessor(run, DelayedError), { connection, ...life });
        worker.on('error', (error) => console.error(error));
      };
      return { executor, launch };
    },
  },
};

/** The folder of the packages of an engine. */
export function folderOf({ packages }: EngineKind): string {
  return cacheFolder('parley-executors', packages);
}

interface DbosLife {
  setConfig(config: object): void;
  launch(): Promise<void>;
}

interface BullModule {
  readonly Queue: new (name: string, options: object) => BullQueue;
  readonly Worker: new (
    name: string,
    run: unknown,
    options: object,
  ) => { on(event: 'error', hear: (error: Error) => void): void };
  readonly DelayedError: new () => Error;
}

/** The caller says what the module is. */
async function loaded<Module>(engine: string, name: string): Promise<Module> {
  const kind = engines[engine];
  if (kind === undefined) throw new Error(`there is no engine ${engine}`);
  const { load } = (await import(pathToFileURL(join(folderOf(kind), 'load.js')).href)) as {
    load(name: string): Promise<Module>;
  };
  return await load(name);
}
