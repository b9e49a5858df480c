/** Tasks in PostgreSQL, for any number of processes. */

export { postgresTasks, type PostgresTasksOptions } from './postgres/postgres-tasks.ts';
export { postgresTasksSchema } from './postgres/statements.ts';
export type { PostgresClient, PostgresNotification, PostgresPool, PostgresResult } from './postgres/pool.ts';
export type { StoredTask, TaskClaim, TaskLease, TaskOwner, TaskStore } from './store/tasks.ts';
export type { Bus, Heard, Unsubscribe } from './store/bus.ts';
