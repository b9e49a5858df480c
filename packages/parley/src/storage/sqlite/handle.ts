/** Value of a column or a parameter here. */
export type SqliteValue = string | number | null;

/** Statement that was prepared, as `node:sqlite` and better-sqlite3 have it. */
export interface SqliteStatement {
  /** Runs the statement. */
  run(...values: SqliteValue[]): { readonly changes: number | bigint };
  /** Returns the first row. */
  get(...values: SqliteValue[]): unknown;
  /** Returns all rows. */
  all(...values: SqliteValue[]): unknown[];
}

/** Open database, as `node:sqlite` (`DatabaseSync`) and better-sqlite3 (`Database`) have it. */
export interface SqliteHandle {
  /** Runs statements without values. */
  exec(sql: string): unknown;
  /** Prepares a statement. */
  prepare(sql: string): SqliteStatement;
  /** Closes the database. */
  close(): unknown;
}

/**
 * Opens a database with the SQLite of the runtime.
 *
 * @throws Error if the runtime has none, such as Node 20.
 */
export function openDatabase(path: string): SqliteHandle {
  const sqlite = process.getBuiltinModule?.('node:sqlite');
  if (sqlite === undefined)
    throw new Error(
      'this runtime has no node:sqlite, which Node has from 22.13 on: open the file with better-sqlite3, and pass the handle: sqliteTasks(new Database(path))',
    );
  return new sqlite.DatabaseSync(path);
}

/** The first column of a row of one number. */
export function numberOf(row: unknown): number {
  const [value] = typeof row === 'object' && row !== null ? Object.values(row) : [];
  return Number(value);
}
