/** The two forms in which revisions have tasks, each made of the other. */

import type { ClientCapabilities } from '../../protocol/capability.ts';
import type { ForwardedCall } from '../upstream/forwarded-call.ts';
import type { NamedTask } from './task-ids.ts';
import { tasksExtension, type DetailedTask, type Task } from '../../protocol/features/tasks.ts';

/** A task of 2025-11-25 in the form of the extension: its times have other names. */
export function asOfExtension({ ttl = null, pollInterval, ...task }: DetailedTask): Task {
  const { ttlMs: _, pollIntervalMs: __, inputRequests: ___, result: ____, error: _____, ...said } = task;
  return { ...said, ttlMs: ttl, ...(pollInterval === undefined ? {} : { pollIntervalMs: pollInterval }) };
}

/** Capabilities with the tasks extension: a bridge that waits for a task accepts one, for any client. */
export function takingTasks(capabilities: ClientCapabilities = {}): ClientCapabilities {
  return { ...capabilities, extensions: { ...capabilities.extensions, [tasksExtension]: {} } };
}

/** Parts of a request about a task that bringing it to its server needs. */
export interface AboutTask extends Pick<ForwardedCall, 'method' | 'facts' | 'client' | 'address' | 'auth' | 'signal'> {
  /** Name of the connection on which the task was made. */
  readonly within?: string | undefined;
}

/**
 * The same request on behalf of the request that made the task. Any client that knows the id may send it, whatever it
 * declares.
 */
export function inPlaceOf(call: AboutTask, task: NamedTask | undefined): AboutTask {
  const { declared: capabilities, within } = task ?? {};
  if (capabilities === undefined) return call;
  const { method, facts, client, address, auth, signal } = call;
  return { method, facts, client: { ...client, capabilities }, address, auth, signal, within };
}
