import { hashOf } from '../connection/hash.ts';
import type { TaskStatus } from '../protocol/features/tasks.ts';
import type { TaskRecord } from './record.ts';

/**
 * Line of an audit log of tasks: the principal, the action and the task. It contains no content and no id, since the id
 * is the key of a task without a principal.
 */
export interface TaskAudit {
  /**
   * Kind of event. `created` and `ended` are logged once for each task, by the process that caused them. A task that
   * expires does not end. `retrieved` means that an outcome was returned. `refused` is a request for an unknown id, or
   * for another principal's task: the client cannot tell them apart.
   */
  readonly event: 'created' | 'ended' | 'retrieved' | 'refused';
  /** Digest of the id, the same in each line. */
  readonly task: string;
  /** Principal that owns the task; empty without a principal, and left out if there is no task. */
  readonly owner?: string;
  /** Requesting principal, for `retrieved` and `refused`; empty without one. */
  readonly by?: string;
  /** Tool of the task; left out if there is none. */
  readonly tool?: string;
  /** Status in which it ended. */
  readonly status?: TaskStatus;
}

/** Makes the line for a task. */
export function auditLine(event: TaskAudit['event'], record: TaskRecord, by?: string): TaskAudit {
  const { id, owner, request, status } = record;
  return {
    event,
    task: hashOf(id),
    owner,
    ...(by === undefined ? {} : { by }),
    tool: request.name,
    ...(event === 'ended' || event === 'retrieved' ? { status } : {}),
  };
}

/** Makes the line for a request with an unknown id. */
export function strangerAudit(id: string, by: string): TaskAudit {
  return { event: 'refused', task: hashOf(id), by };
}
