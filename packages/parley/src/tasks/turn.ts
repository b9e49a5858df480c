import { hasEnded } from '../protocol/task-status.ts';
import type { TaskTurn } from './executor.ts';
import type { HeldTask } from './keeper.ts';
import { claimed, leaseEnded, type Next } from './machine.ts';
import type { TaskRecord } from './record.ts';

/**
 * Takes a task that waits to run, or whose run is dead since its lease ended. If that uses its last attempt, the task
 * ends.
 */
export function takenUp({ record, dueInMs }: HeldTask, now: number): Next {
  const free = record.hand === 'running' && dueInMs === 0 ? leaseEnded(record, now) : record;
  if (typeof free === 'string') return free;
  if (free.hand === 'queued' && free.status === 'working') return claimed(free);
  return free === record ? 'held' : free;
}

/**
 * Begins the run of a task that the caller has leased. A task that waits for an answer, or must not run again, changes
 * all the same.
 */
export function begunBy(record: TaskRecord, now: number): Next {
  const free = record.hand === 'running' ? leaseEnded(record, now) : record;
  if (typeof free === 'string') return free;
  const begun = claimed(free);
  return typeof begun === 'string' && free !== record ? free : begun;
}

/** Result of one turn of an engine. */
export function turnOf(record: TaskRecord): TaskTurn {
  if (hasEnded(record)) return 'ended';
  if (record.hand === 'left') return 'left';
  return record.hand === 'queued' && record.status === 'input_required' ? 'asks' : 'later';
}
