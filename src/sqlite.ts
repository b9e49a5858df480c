/** Tasks in a file of SQLite, for the processes of one machine. */

export { sqliteTasks, type SqliteTasks } from './sqlite/sqlite-tasks.ts';
export type { SqliteHandle, SqliteStatement, SqliteValue } from './sqlite/handle.ts';
export type { StoredTask, TaskClaim, TaskLease, TaskOwner, TaskStore } from './store/tasks.ts';
export type { Bus, Heard, Unsubscribe } from './store/bus.ts';
