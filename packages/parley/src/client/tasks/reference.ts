import { shown } from '../../options/shown.ts';
import type { Reconnecting } from '../requests/reconnecting.ts';
import type { TaskReference } from '../api/task-handle.ts';

/** Limit of keys that a reference may hold. */
const maxKeys = 10_000;

const texts = ['server', 'taskId', 'revision', 'tool', 'createdAt'] as const;

/**
 * Name of a server that identifies it in a reference. For a URL it has only the location, since the rest may be secret.
 *
 * @param description The transport's description.
 */
export function serverName(description: string, connection: Pick<Reconnecting, 'server'>): string {
  const url = URL.canParse(description) ? new URL(description) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return `${url.origin}${url.pathname}`;
  return connection.server?.name ?? '';
}

/**
 * Checks a reference from any source.
 *
 * @param server Name of the current server; empty if it has none.
 * @throws TypeError with the reason.
 */
export function checkReference(reference: unknown, server: string): TaskReference {
  // Reading a key of any value but null and undefined is safe.
  const given = (reference ?? {}) as Partial<Record<keyof TaskReference, unknown>>;
  for (const name of texts)
    if (typeof given[name] !== 'string') throw malformed(`${name} must be a text, not ${shown(given[name])}`);
  const { ttlMs, answered } = given;
  if (ttlMs !== null && !(typeof ttlMs === 'number' && ttlMs >= 0))
    throw malformed(`ttlMs must be a number of milliseconds or null, not ${shown(ttlMs)}`);
  if (!Array.isArray(answered) || answered.length > maxKeys || !answered.every((key) => typeof key === 'string'))
    throw malformed('answered must be a list of texts');
  if (given.taskId === '') throw malformed('taskId is empty');
  if (given.server !== '' && server !== '' && given.server !== server)
    throw new TypeError(
      `the task belongs to the server ${shownServer(given.server)}, and this client is connected to ${shownServer(server)}`,
    );
  // As was just checked.
  return given as TaskReference;
}

/** The name of a server for messages. It may be a URL whose query is a key. */
function shownServer(name: unknown): string {
  return shown(typeof name === 'string' ? name.split('?', 1)[0] : name);
}

function malformed(why: string): TypeError {
  return new TypeError(`that is no reference of a task: ${why}`);
}
