import type { Client } from '../../client/api/client.ts';
import type { ServerCore } from '../../server/runtime/server-core.ts';
import type { SingleOptions } from './single.ts';
import { isServerCapability, type ServerCapabilities, type ServerTasksCapability } from '../../protocol/capability.ts';
import { tasksExtension } from '../../protocol/features/tasks.ts';
import { revisionFor } from '../forward.ts';
import { taskFormOf } from '../tasks/task-forms.ts';

const offers = new WeakMap<ServerCapabilities, ServerCapabilities>();

/**
 * Capabilities that a bridge offers, from those of its upstream. Tasks follow its revision, and can be listed if the
 * server can separate the clients. It returns the same object until something changes.
 *
 * @param tellsApart Whether the server knows the owner of each task: each of its requestors is one client.
 */
export function offerOf(
  client: Pick<Client, 'capabilities' | 'revision'>,
  tellsApart: boolean = false,
): ServerCapabilities {
  const { capabilities } = client;
  const known = offers.get(capabilities);
  if (known !== undefined) return known;
  const { tasks, extensions = {}, ...rest } = capabilities;
  const form = taskFormOf(client);
  const own = Object.entries(extensions).filter(([id]) => id !== tasksExtension || form === 'extension');
  const isCalled = form === 'core' && tasks?.requests?.tools?.call !== undefined;
  const others: typeof own = isCalled ? [...own, [tasksExtension, {}]] : own;
  const offer: ServerCapabilities = {
    ...rest,
    ...(tasks === undefined || form !== 'core' ? {} : { tasks: tellsApart ? tasks : unlisted(tasks) }),
    ...(form === 'extension' ? { tasks: keptTasks } : {}),
    ...(others.length === 0 ? {} : { extensions: Object.fromEntries(others) }),
    ...undeclaredCompletions(client),
  };
  offers.set(capabilities, offer);
  return offer;
}

/** Tasks that a bridge keeps for clients that drive them. */
const keptTasks: ServerTasksCapability = { cancel: {}, requests: { tools: { call: {} } } };

/** Spec 2025-11-25, Tasks, Task Listing Security: a client should not list the tasks of others (SHOULD). */
function unlisted({ list: _, ...rest }: ServerTasksCapability): ServerTasksCapability {
  return rest;
}

/**
 * In the oldest revision, completions have no capability. A client that requests one learns whether the server supports
 * it.
 */
function undeclaredCompletions(client: Pick<Client, 'capabilities' | 'revision'>): ServerCapabilities {
  const { prompts, resources } = client.capabilities;
  const completable = prompts !== undefined || resources !== undefined;
  return completable && !isServerCapability(revisionFor(client), 'completions') ? { completions: {} } : {};
}

/**
 * Stored tasks can be listed if they outlive the connection that made them, and their owner is known: a principal, or
 * the only client of a process. (Spec 2025-11-25, Tasks, Security: SHOULD NOT.)
 */
export function keptOfferedTo(
  link: Parameters<ServerCore['capabilities']>[0],
  offer: ServerCapabilities,
  { tasks: { store }, ofPart }: Pick<SingleOptions, 'tasks' | 'ofPart'>,
): ServerCapabilities {
  const { tasks, extensions } = offer;
  if (store === undefined || ofPart === true || tasks === undefined || link === undefined) return offer;
  const isKnown = link.auth !== undefined || link.network === 'pipe' || link.network === 'inproc';
  const isKept = Object.hasOwn(extensions ?? {}, tasksExtension);
  return isKept && isKnown ? { ...offer, tasks: { list: {}, ...tasks } } : offer;
}
