import { hashOf } from '../connection/hash.ts';
import type { TaskStatus } from '../protocol/features/tasks.ts';
import type { TaskRecord } from './record.ts';

/** Line of a log of tasks: who did what with which. It has nothing that was said, and no id, which for a task of nobody is its key. */
export interface TaskAudit {
  /**
   * Kind of it. `created` and `ended` are told once for each task, by the process that did it; one that expires does not end. `retrieved` is an outcome
   * that was handed over, and `refused` a request for an id that is not there, or is somebody else's: its client cannot tell them apart.
   */
  readonly event: 'created' | 'ended' | 'retrieved' | 'refused';
  /** Digest of the id, the same in each line. */
  readonly task: string;
  /** Principal whose task it is; empty for nobody's, and left out where there is none. */
  readonly owner?: string;
  /** Principal who asked, of `retrieved` and `refused`; empty for nobody. */
  readonly by?: string;
  /** Tool of the task; left out where there is none. */
  readonly tool?: string;
  /** Status in which it ended. */
  readonly status?: TaskStatus;
}

/** Tells of a task. */
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

/** Tells of a request for an id that there is no task of. */
export function strangerAudit(id: string, by: string): TaskAudit {
  return { event: 'refused', task: hashOf(id), by };
}
