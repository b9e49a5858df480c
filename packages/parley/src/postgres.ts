/** Tasks in PostgreSQL, for any number of processes. */

export { postgresTasks, type PostgresTasksOptions } from './storage/postgres/postgres-tasks.ts';
export { postgresTasksSchema } from './storage/postgres/statements.ts';
export type { PostgresClient, PostgresPool, PostgresResult } from './storage/postgres/pool.ts';
export type { StoredTask, TaskClaim, TaskLease, TaskOwner, TaskStore } from './storage/tasks.ts';
export type { Bus, SubscriberCount, Unsubscribe } from './storage/bus.ts';
