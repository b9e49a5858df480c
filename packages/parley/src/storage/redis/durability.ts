import type { RedisConnection } from './connection.ts';

/** Finds the ways in which a server may lose confirmed data; each is a sentence. */
export async function waysToForget(connection: RedisConnection): Promise<readonly string[]> {
  let settings: ReadonlyMap<string, string>;
  try {
    settings = new Map([...(await connection.settings('append*')), ...(await connection.settings('maxmemory*'))]);
  } catch (error) {
    return [`tasks in Redis: its settings cannot be read, so it may lose tasks without a warning (${String(error)})`];
  }
  const [file, sync, policy] = ['appendonly', 'appendfsync', 'maxmemory-policy'].map((name) => settings.get(name));
  const ways: string[] = [];
  if (file === 'no')
    ways.push('tasks in Redis: it has no append-only file (appendonly no), and forgets tasks when it ends');
  else if (sync !== undefined && sync !== 'always')
    ways.push(
      `tasks in Redis: its append-only file is not synced with each write (appendfsync ${sync}), so that it may forget tasks of the last seconds that clients know of; appendfsync always keeps them`,
    );
  if (policy !== undefined && policy !== 'noeviction')
    ways.push(
      `tasks in Redis: it drops tasks when its memory is full (maxmemory-policy ${policy}); noeviction refuses new ones`,
    );
  return ways;
}
