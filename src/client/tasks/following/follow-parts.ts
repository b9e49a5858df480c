import type { ClientSettings } from '../../options.ts';
import type { TaskInputRequiredError } from '../errors.ts';
import type { TaskEnd } from './task-outcome.ts';
import type { TaskReference } from '../task-handle.ts';
import type { TaskListener } from './task-listener.ts';
import type { TaskProgress } from './task-progress.ts';
import type { TaskRequests, TaskSent } from './task-requests.ts';
import type { TaskState } from './task-state.ts';
import type { LimitedWork } from './limited-work.ts';

/** Somebody who waits for a task. */
export interface TaskWatcher {
  /** The task is another than before. */
  told?(state: TaskState): void;
  /** Somebody here is asked for what the task wants, or nobody is any more. */
  asks?(isAsking: boolean): void;
  /** Nobody here can give what the task wants. */
  wants?(error: TaskInputRequiredError): void;
  /** The wait is over; `isOwn` says whether by the task's own outcome. */
  ended(outcome: TaskEnd, isOwn: boolean): void;
}

/** Parts of its client that following a task needs. */
export interface FollowParts {
  readonly settings: ClientSettings;
  readonly requests: TaskRequests;
  readonly listener: TaskListener;
  readonly turns: LimitedWork;
  /** Reason why the connection is over for good. */
  over(): Error | undefined;
  /** Somebody waits for a task, or nobody does any more. */
  following(task: NudgedTask, isFollowed: boolean): void;
  /** An error that the task failed with, in words of the revision. */
  learned(error: unknown): unknown;
}

/** A task that is followed. */
export interface FollowedTaskOptions {
  /** The task as it was told; `undefined` of one that is taken up. */
  readonly state: TaskState | undefined;
  readonly reference: TaskReference;
  readonly sent: TaskSent;
  /** Hears of progress. */
  readonly progress?: TaskProgress | undefined;
  /** Ends the reports of progress that go on. */
  readonly release?: (() => void) | undefined;
}

/** A task that may have changed. */
export interface NudgedTask {
  readonly taskId: string;
  /** The task may be another than it was told last: it is asked for as soon as that may be. */
  nudge(): void;
}
