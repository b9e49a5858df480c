/** Tasks as an author of a server writes them down. */

import type { SealingKey } from '../../sealing/sealing-key.ts';
import type { TaskAudit } from '../../tasks/audit.ts';
import type { TaskExecutor, TaskTurn } from '../../tasks/executor.ts';
import type { TaskLimits, TaskTimes } from '../../tasks/limits.ts';
import type { McpError } from '../../protocol/error.ts';
import type { TaskStore } from '../../storage/tasks.ts';

/** Use of tasks for a tool. */
export interface TaskUse {
  /** `required` refuses clients without tasks; `optional` answers them as any tool does. */
  readonly support: 'optional' | 'required';
  /**
   * Time after which a call of a client with the extension of 2026-07-28 becomes a task, in milliseconds. The default
   * is 500, so that quick calls stay calls, or 0 (at once) if the task is `required`. With `'background'` the handler
   * decides, by `ctx.background()`. In 2025-11-25 the client decides, and the call is a task at once.
   */
  readonly after?: number | 'background';
  /** Life of its tasks, from their creation, in milliseconds; that of the server's options by default. In 2025-11-25 the client may want another. */
  readonly ttlMs?: number | null;
  /** Poll interval that is sent to clients, in milliseconds; by default that of the server's options. */
  readonly pollIntervalMs?: number;
  /**
   * Number of runs that may begin if processes that work on it end before it does. The default is 1, or 3 for tools
   * with `readOnlyHint` or `idempotentHint`. A run that continues after an answer does not count.
   */
  readonly attempts?: number;
  /** Text that a client of 2025-11-25 may give its model until there is a result. */
  readonly immediate?: string;
}

/** Use of tasks for a tool, in short or whole. */
export type TaskSupport = TaskUse['support'] | TaskUse;

/** Options of the tasks of a server; every one has a default. */
export interface TaskOptions extends Partial<TaskTimes> {
  /**
   * Store for the tasks. By default the server's `store`, or `memoryTasks()` (of `parley-mcp`), whose tasks end with
   * the process.
   */
  readonly store?: TaskStore;
  /** Name of the queue, if several servers share a store; by default the name of the server. */
  readonly queue?: string;
  /** Limits of tasks; each has a default. */
  readonly limits?: Partial<TaskLimits>;
  /**
   * The keys that seal tasks in the store, 32 bytes each, as bytes or in base64: the first seals, any opens. Arguments,
   * questions, answers, `once` values and outcomes are then encrypted. Ids, owners and times are not. A task that no
   * key opens does not exist for clients and does not run. It is reported to `onError`. Without keys, tasks are stored
   * unencrypted.
   */
  readonly keys?: readonly SealingKey[];
  /** Receives an audit log of tasks: created, ended, retrieved, and requested in vain. */
  readonly onAudit?: (line: TaskAudit) => void;
  /**
   * Engine that schedules the work. Without one, each process looks for work by itself. With one, a process only runs
   * the tasks that the engine starts.
   */
  readonly executor?: TaskExecutor;
}

/** Task that a handler runs as. */
export interface TaskContext {
  /** The id of the task. */
  readonly id: string;
  /** Number of this run among those that began, from 1. */
  readonly attempt: number;
  /** Reports progress in the `statusMessage` of the task; up to 1024 characters. */
  say(message: string): void;
  /**
   * Leaves the work to an external system: return the value of this call. Later, end the task with
   * `server.tasks.finish` in any process that has the tool and the store, or with `.fail` in any that has the store.
   */
  leave(): never;
}

/** Tasks of a server, for what works on them outside of handlers. */
export interface ServerTasks {
  /**
   * Ends a task whose work was left to an external system.
   *
   * @param result The value that the handler would have returned.
   * @returns True if this call ended it; false if the task was cancelled, ended, expired, or never left.
   * @throws TypeError if the value is not a result of its tool, if this process does not have that tool, or if its JSON
   * has more characters than `limits.textLength`.
   */
  finish(id: string, result: unknown): Promise<boolean>;
  /** Ends such a task with an error. @returns Like `finish`. @throws TypeError if its JSON has too many characters. */
  fail(id: string, error: McpError): Promise<boolean>;
  /** Reports progress. @returns True if the task is still running. */
  say(id: string, message: string): Promise<boolean>;
  /**
   * Runs a task for an engine, from its stored state, and resolves when its run is over here. An engine may call it for
   * any id, at any time and as often as it likes. The task runs only if no other process runs it.
   *
   * @returns The outcome, which says whether to call again.
   * @throws Error if this process has no such tool, or drains; call it in another process, or later. Store failures
   * reject too.
   */
  run(id: string): Promise<TaskTurn>;
  /**
   * Begins no new run here, and waits for running ones. A run that does not end in time is abandoned as if the process
   * had died.
   *
   * @param options `timeoutMs` is 10,000 by default.
   */
  drain(options?: { readonly timeoutMs?: number }): Promise<void>;
}
