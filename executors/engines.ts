/** Engines as the runs open them. */

import { bullExecutor, bullProcessor, type BullQueue } from './bullmq.ts';
import { dbosExecutor, type DbosClass } from './dbos.ts';
import { loaded, type EngineKind } from './engine.ts';
import { temporal } from './temporal/engine.ts';

const dbos: EngineKind = {
  title: 'DBOS 5.3.0',
  store: 'PostgreSQL',
  packages: { '@dbos-inc/dbos-sdk': '5.3.0' },
  async open({ port }, run) {
    const { DBOS } = await loaded<{ DBOS: DbosClass & DbosLife }>(dbos.packages, '@dbos-inc/dbos-sdk');
    const systemDatabaseUrl = `postgresql://parley@127.0.0.1:${port}/postgres`;
    DBOS.setConfig({ name: 'tasks', systemDatabaseUrl, applicationVersion: '1', logLevel: 'error' });
    return { executor: dbosExecutor(DBOS, run), launch: () => DBOS.launch() };
  },
};

const bullmq: EngineKind = {
  title: 'BullMQ 6.7.0',
  store: 'Redis',
  packages: { bullmq: '6.7.0', ioredis: '6.0.0' },
  async open({ port }, run) {
    const { Queue, Worker, DelayedError } = await loaded<BullModule>(bullmq.packages, 'bullmq');
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
};

export const engines: Readonly<Record<string, EngineKind>> = { dbos, bullmq, temporal };

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
