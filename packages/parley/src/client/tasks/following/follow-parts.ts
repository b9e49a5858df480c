import type { ClientSettings } from '../../requests/settings.ts';
import type { TaskInputRequiredError } from '../../api/task-errors.ts';
import type { TaskEnd } from './task-outcome.ts';
import type { TaskReference } from '../../api/task-handle.ts';
import type { TaskListener } from './task-listener.ts';
import type { TaskProgress } from './task-progress.ts';
import type { TaskRequests, TaskSent } from './task-requests.ts';
import type { TaskState } from './task-state.ts';
import type { LimitedWork } from './limited-work.ts';

/** A caller that waits for a task. */
export interface TaskWatcher {
  /** The task is another than before. */
  told?(state: TaskState): void;
  /** A handler here is answering the task's questions, or stopped. */
  asks?(isAsking: boolean): void;
  /** No handler here can give the input that the task wants. */
  wants?(error: TaskInputRequiredError): void;
  /** The wait is over; `isOwn` is true if the task itself ended. */
  ended(outcome: TaskEnd, isOwn: boolean): void;
}

/** Parts of its client that following a task needs. */
export interface FollowParts {
  readonly settings: ClientSettings;
  readonly requests: TaskRequests;
  readonly listener: TaskListener;
  readonly turns: LimitedWork;
  /** Reason why the connection ended permanently. */
  over(): Error | undefined;
  /** A task is awaited, or no longer. */
  following(task: NudgedTask, isFollowed: boolean): void;
  /** The error that the task failed with, in the form of the revision. */
  learned(error: unknown): unknown;
}

/** A task that is followed. */
export interface FollowedTaskOptions {
  /** The last known state of the task; `undefined` for a task from a reference. */
  readonly state: TaskState | undefined;
  readonly reference: TaskReference;
  readonly sent: TaskSent;
  /** Receives progress. */
  readonly progress?: TaskProgress | undefined;
  /** Ends the reports of progress that go on. */
  readonly release?: (() => void) | undefined;
}

/** A task that may have changed. */
export interface NudgedTask {
  readonly taskId: string;
  /** The task may have changed: it is polled as soon as allowed. */
  nudge(): void;
}
