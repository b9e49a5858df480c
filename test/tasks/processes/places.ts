/** Places of tasks that several processes share, each started for one course. */

import { join } from 'node:path';
import process from 'node:process';
import { missing, startPostgres, startRedis, type Engine } from '../../support/engines.ts';

/** The kinds of stores. */
export const kinds = ['SQLite', 'PostgreSQL', 'Redis'] as const;

/** One of them. */
export type Kind = (typeof kinds)[number];

/** A place, by what a process can be told on its command line. */
export interface Place {
  readonly place: string;
  /** The database itself, where it is a process. */
  readonly engine: Engine | undefined;
}

/** Reason why there is no such place here; false where there is. */
export function absent(kind: Kind): string | false {
  if (kind === 'SQLite')
    return process.getBuiltinModule?.('node:sqlite') === undefined ? 'this runtime has no node:sqlite' : false;
  return missing(kind === 'Redis' ? 'redis-server' : 'postgres');
}

/** Makes a place; a file is in the folder, which goes with it. */
export async function placeOf(kind: Kind, folder: string): Promise<Place> {
  if (kind === 'SQLite') return { place: join(folder, 'tasks.db'), engine: undefined };
  const engine = kind === 'Redis' ? await startRedis('always') : await startPostgres();
  return { place: String(engine.port), engine };
}
