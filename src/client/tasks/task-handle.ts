/** Calls that may outlive their exchange, as programs see them. */

import type { InputRequests } from '../../protocol/features/rounds.ts';
import type { TaskStatus } from '../../protocol/features/tasks.ts';
import type { CallToolResult } from '../../protocol/features/tools.ts';
import type { ClientRequestOptions } from '../client.ts';
import type { InputAnswers } from '../input/rounds.ts';

/** The options of a tool call that is waited for, whatever the server makes of it. */
export interface ToolCallOptions extends ClientRequestOptions {
  /** Fate of a task whose call is given up: `cancel`, by default, tells the server to end it, `leave` leaves it. */
  readonly onGiveUp?: 'cancel' | 'leave' | undefined;
}

/** The options of `startTask`; its signal gives up to start it, not the task. */
export interface StartTaskOptions extends ClientRequestOptions {
  /**
   * Time that the task should be kept, from its creation, in milliseconds. A server may choose another one, and in revisions
   * since 2026-07-28 it alone does.
   */
  readonly ttlMs?: number | undefined;
}

/** The options of a wait for a task. */
export interface TaskWaitOptions {
  /** Gives the wait up, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Fate of a task whose wait is given up: `leave`, by default, or `cancel`, which tells the server to end it. */
  readonly onGiveUp?: 'cancel' | 'leave' | undefined;
}

/** The options of one request about a task. */
export interface TaskRequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Longest wait for the answer, in milliseconds; that of the client by default. */
  readonly timeoutMs?: number | undefined;
}

/** A task as JSON that can be stored: another process can take it up with `client.task`. */
export interface TaskReference {
  /** Name of the server: its URL without what follows the path, else the name that it gives itself; empty where neither is known. */
  readonly server: string;
  readonly taskId: string;
  /** The revision in which it was begun, by its date. */
  readonly revision: string;
  readonly tool: string;
  /** An ISO 8601 time, as the server told it. */
  readonly createdAt: string;
  /** Time that the task is kept from its creation, in milliseconds; null is without limit. */
  readonly ttlMs: number | null;
  /** The keys of inputs that the server has the answers to, so that nobody is asked twice. */
  readonly answered: readonly string[];
}

/** Standing of a task, as the server tells it. */
export interface TaskUpdate {
  readonly status: TaskStatus;
  /** Words for people; they may hold anything. */
  readonly statusMessage?: string;
  /** An ISO 8601 time. */
  readonly createdAt: string;
  /** An ISO 8601 time. */
  readonly lastUpdatedAt: string;
  /** Time that the task is kept from its creation, in milliseconds; null is without limit. */
  readonly ttlMs: number | null;
  /** Inputs that the task waits for and that are not answered yet, by their keys; since 2026-07-28. */
  readonly inputRequests?: InputRequests;
}

/**
 * A call of a tool that was begun. While somebody waits for its result or its updates, what it asks is answered by the handlers
 * that `connect` was given. Nothing has to be closed: who waits no more leaves the task to the server.
 */
export interface TaskHandle {
  /** The task as it can be stored, newly made each time; `undefined` where the server answered at once, and there is no task. */
  readonly reference: TaskReference | undefined;
  /** Words for the model until there is a result, where the server gave any; within 2025-11-25. */
  readonly immediate: string | undefined;
  /**
   * Waits for the result, which is that of a plain call; it may be asked for again and again.
   *
   * @throws McpError that a plain call would have had.
   * @throws TaskCancelledError when the task was cancelled, by whomever.
   * @throws TaskGoneError when the server does not know the task, or was not reached as long as it was to be kept.
   * @throws TaskInputRequiredError when the task wants input that nothing here gives; the task goes on.
   */
  result(options?: TaskWaitOptions): Promise<CallToolResult>;
  /**
   * Tells how the task stands, and again whenever that changes, until it has ended; of changes that come too fast the last. Where
   * the server answered at once there is nothing to tell.
   *
   * @throws TaskGoneError, and what else the wait may fail with; how the task itself ended is the last update.
   */
  updates(options?: TaskWaitOptions): AsyncGenerator<TaskUpdate, void, undefined>;
  /**
   * Asks the server once how the task stands, and answers nothing.
   *
   * @throws TypeError where there is no task.
   */
  poll(options?: TaskRequestOptions): Promise<TaskUpdate>;
  /**
   * Answers inputs of the task by hand; some of them will do. In 2025-11-25 the server asks by requests of its own, which only the
   * handlers of `connect` can answer.
   *
   * @param answers By the keys of `inputRequests` of the last update.
   * @throws TypeError for a key that the task does not wait for, an answer that does not fit, or where there is no such way.
   */
  answer(answers: InputAnswers, options?: TaskRequestOptions): Promise<void>;
  /**
   * Asks the server to cancel the task. Since 2026-07-28 a server may finish it all the same. Does nothing where it has ended.
   *
   * @throws McpError methodNotFound for a server that cancels none.
   * @throws TaskGoneError when the server does not know the task.
   */
  cancel(options?: TaskRequestOptions): Promise<void>;
}
