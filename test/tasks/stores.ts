/** Stores of tasks that several processes share, by what a process can be told on its command line. */

import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { postgresTasks } from '../../packages/parley/src/postgres.ts';
import { redisTasks } from '../../packages/parley/src/redis.ts';
import { sqliteTasks, type SqliteHandle } from '../../packages/parley/src/sqlite.ts';
import type { TaskStore } from '../../packages/parley/src/storage/tasks.ts';

/** A store, and what lets go of it. */
export interface OpenedStore {
  readonly store: TaskStore;
  close(): unknown;
}

/**
 * Opens a store: of SQLite by a path, of the others by a port of this machine.
 *
 * @param open Opens a file of SQLite in a way of its own.
 */
export function openStore(
  kind: string,
  place: string,
  open: (path: string) => string | SqliteHandle = (path) => path,
): OpenedStore {
  if (kind === 'SQLite') {
    const store = sqliteTasks(open(place));
    return { store, close: () => store.close() };
  }
  const port = Number(place);
  if (kind === 'Redis') {
    const client = new Redis(port, '127.0.0.1');
    client.on('error', () => {});
    return { store: redisTasks(client), close: () => client.disconnect() };
  }
  const pool = new Pool({ host: '127.0.0.1', port, user: 'parley', database: 'postgres' });
  pool.on('error', () => {});
  return { store: postgresTasks(pool), close: () => pool.end() };
}
