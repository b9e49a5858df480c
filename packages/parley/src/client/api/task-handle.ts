/** Calls that may outlive their exchange, as programs see them. */

import type { InputRequests } from '../../protocol/features/rounds.ts';
import type { TaskStatus } from '../../protocol/features/tasks.ts';
import type { CallToolResult } from '../../protocol/features/tools.ts';
import type { ClientRequestOptions } from './client.ts';
import type { InputAnswers } from './input-handlers.ts';

/** The options of a tool call that is waited for, whatever the server makes of it. */
export interface ToolCallOptions extends ClientRequestOptions {
  /**
   * Fate of the task if its call is aborted: `cancel`, the default, asks the server to end it, `leave` lets it
   * run.
   */
  readonly onGiveUp?: 'cancel' | 'leave' | undefined;
}

/** The options of `startTask`. Its signal aborts the start, not the task. */
export interface StartTaskOptions extends ClientRequestOptions {
  /**
   * Requested lifetime of the task from its creation, in milliseconds. A server may choose another one. In revisions
   * since 2026-07-28 only the server decides.
   */
  readonly ttlMs?: number | undefined;
}

/** The options of a wait for a task. */
export interface TaskWaitOptions {
  /** Gives the wait up, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Fate of the task if its wait is aborted: `leave`, the default, lets it run, `cancel` asks the server to end
   * it.
   */
  readonly onGiveUp?: 'cancel' | 'leave' | undefined;
}

/** The options of one request about a task. */
export interface TaskRequestOptions {
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
  /** Longest wait for the answer, in milliseconds; that of the client by default. */
  readonly timeoutMs?: number | undefined;
}

/** A task as JSON that can be stored: another process can take it up with `client.task`. */
export interface TaskReference {
  /** Name of the server: its URL up to the path, or the name that it reports; empty if neither is known. */
  readonly server: string;
  /** The id of the task. */
  readonly taskId: string;
  /** The revision in which it was begun, by its date. */
  readonly revision: string;
  /** The name of the called tool. */
  readonly tool: string;
  /** An ISO 8601 time, as the server sent it. */
  readonly createdAt: string;
  /** Lifetime of the task from its creation, in milliseconds; null means no limit. */
  readonly ttlMs: number | null;
  /** The keys of inputs that the server has the answers to, so that the user is not asked twice. */
  readonly answered: readonly string[];
}

/** Standing of a task, as the server tells it. */
export interface TaskUpdate {
  /** The status of the task. */
  readonly status: TaskStatus;
  /** Text for people. It may hold anything. */
  readonly statusMessage?: string;
  /** An ISO 8601 time. */
  readonly createdAt: string;
  /** An ISO 8601 time. */
  readonly lastUpdatedAt: string;
  /** Lifetime of the task from its creation, in milliseconds; null means no limit. */
  readonly ttlMs: number | null;
  /** Inputs that the task waits for and that are not answered yet, by their keys; since 2026-07-28. */
  readonly inputRequests?: InputRequests;
}

/**
 * A started call of a tool. While you wait for its result or its updates, the handlers of `connect` answer its
 * questions. There is nothing to close: if you stop waiting, the server continues the task.
 */
export interface TaskHandle {
  /**
   * The task in a form that can be stored, a new object each time; `undefined` if the server answered at once, and
   * there is no task.
   */
  readonly reference: TaskReference | undefined;
  /** Text for the model until there is a result, if the server sent any; only in 2025-11-25. */
  readonly immediate: string | undefined;
  /**
   * Waits for the result, which is that of a plain call. You can call it several times.
   *
   * @throws McpError that a plain call would have had.
   * @throws TaskCancelledError if the task was cancelled, by any client.
   * @throws TaskGoneError if the server does not know the task, or could not be reached until it expired.
   * @throws TaskInputRequiredError if the task wants input that no handler here gives. The task continues.
   */
  result(options?: TaskWaitOptions): Promise<CallToolResult>;
  /**
   * Yields the task's state, and each change until it has ended. If changes come too fast, it yields the latest. If the
   * server answered at once, it yields nothing.
   *
   * @throws TaskGoneError, and other failures of the wait. The outcome of the task itself is the last update.
   */
  updates(options?: TaskWaitOptions): AsyncGenerator<TaskUpdate, void, undefined>;
  /**
   * Reads the state of the task once, and answers no questions.
   *
   * @throws TypeError if there is no task.
   */
  poll(options?: TaskRequestOptions): Promise<TaskUpdate>;
  /**
   * Answers some or all inputs of the task yourself. In 2025-11-25 the server sends its own requests, which only the
   * handlers of `connect` can answer.
   *
   * @param answers By the keys of `inputRequests` of the last update.
   * @throws TypeError for a key that the task does not wait for, for an invalid answer, and in revisions without such
   * answers.
   */
  answer(answers: InputAnswers, options?: TaskRequestOptions): Promise<void>;
  /**
   * Asks the server to cancel the task. Since 2026-07-28 a server may still finish it. Does nothing if it has ended.
   *
   * @throws McpError methodNotFound if the server cannot cancel tasks.
   * @throws TaskGoneError if the server does not know the task.
   */
  cancel(options?: TaskRequestOptions): Promise<void>;
}
