/** Temporal as the runs open it: a server, and a worker in each process. */

import { join } from 'node:path';
import type { TaskTurn } from 'parley-mcp/server';
import { folderOf, loaded, type EngineKind } from '../engine.ts';
import { temporalActivities, temporalExecutor, type ActivityContext, type TemporalClient } from './executor.ts';
import { serveTemporal } from './serve.ts';

const version = '1.24.0';
const packages = Object.fromEntries(
  ['activity', 'client', 'worker', 'workflow'].map((name) => [`@temporalio/${name}`, version]),
);
const taskQueue = 'tasks';

export const temporal: EngineKind = {
  title: 'Temporal 1.32.0',
  store: 'PostgreSQL',
  packages,
  serve: serveTemporal,
  async open({ server }, run) {
    const [address = '', namespace = ''] = server.split('/');
    const { Client, Connection } = await loaded<ClientModule>(packages, '@temporalio/client');
    const client = new Client({ connection: await Connection.connect({ address }), namespace });
    return { executor: temporalExecutor(client, taskQueue), launch: () => work(address, namespace, run) };
  },
};

/** Begins to work, as one worker. */
async function work(address: string, namespace: string, run: (id: string) => Promise<TaskTurn>): Promise<void> {
  const { DefaultLogger, NativeConnection, Runtime, Worker } = await loaded<WorkerModule>(
    packages,
    '@temporalio/worker',
  );
  const { Context } = await loaded<ActivityModule>(packages, '@temporalio/activity');
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const worker = await Worker.create({
    connection: await NativeConnection.connect({ address }),
    namespace,
    taskQueue,
    workflowsPath: join(import.meta.dirname, 'workflow.ts'),
    activities: temporalActivities(run, () => Context.current()),
    maxConcurrentActivityTaskExecutions: 16,
    bundlerOptions: { webpackConfigHook: withPackages },
  });
  worker.run().catch((error: unknown) => console.error(error));
}

/** The packages lie elsewhere than the workflow. */
function withPackages(config: { readonly resolve?: object }): object {
  return { ...config, resolve: { ...config.resolve, modules: [join(folderOf(packages), 'node_modules')] } };
}

interface ClientModule {
  readonly Client: new (options: object) => TemporalClient;
  readonly Connection: { connect(options: { readonly address: string }): Promise<unknown> };
}

interface WorkerModule {
  readonly DefaultLogger: new (level: string) => object;
  readonly NativeConnection: { connect(options: { readonly address: string }): Promise<unknown> };
  readonly Runtime: { install(options: object): unknown };
  readonly Worker: { create(options: object): Promise<{ run(): Promise<void> }> };
}

interface ActivityModule {
  readonly Context: { current(): ActivityContext };
}
