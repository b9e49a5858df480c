/** Tasks in a file of SQLite, for the processes of one machine. */

export { sqliteTasks, type SqliteTasks } from './storage/sqlite/sqlite-tasks.ts';
export type { SqliteHandle, SqliteStatement, SqliteValue } from './storage/sqlite/handle.ts';
export type { StoredTask, TaskClaim, TaskLease, TaskOwner, TaskStore } from './storage/tasks.ts';
export type { Bus, SubscriberCount, Unsubscribe } from './storage/bus.ts';
