/** Tasks as an author of a server writes them down. */

import type { SealingKey } from '../sealing/sealing-key.ts';
import type { TaskAudit } from '../tasks/audit.ts';
import type { TaskExecutor, TaskTurn } from '../tasks/executor.ts';
import type { TaskLimits, TaskTimes } from '../tasks/limits.ts';
import type { McpError } from '../protocol/error.ts';
import type { TaskStore } from '../storage/tasks.ts';

/** Use of tasks for a tool. */
export interface TaskUse {
  /** `required` refuses clients without tasks; `optional` answers them as any tool does. */
  readonly support: 'optional' | 'required';
  /**
   * Time after which a call of a client with the extension of 2026-07-28 becomes a task, in milliseconds; 500 by default, so that quick
   * calls stay calls, and 0 (at once) where it is `required`. With `'background'` the handler says when, by `ctx.background()`. In
   * 2025-11-25 the client decides, and the call is a task at once.
   */
  readonly after?: number | 'background';
  /** Life of its tasks, from their creation, in milliseconds; that of the server's options by default. In 2025-11-25 the client may want another. */
  readonly ttlMs?: number | null;
  /** Interval at which clients are told to ask, in milliseconds; that of the server's options by default. */
  readonly pollIntervalMs?: number;
  /**
   * Number of runs that may begin, where processes that work on it end before it does; 1 by default, and 3 for tools that say `readOnlyHint` or
   * `idempotentHint`. A run that goes on after an answer is none.
   */
  readonly attempts?: number;
  /** Text that a client of 2025-11-25 may give its model until there is a result. */
  readonly immediate?: string;
}

/** Use of tasks for a tool, in short or whole. */
export type TaskSupport = TaskUse['support'] | TaskUse;

/** Options of the tasks of a server; every one has a default. */
export interface TaskOptions extends Partial<TaskTimes> {
  /** Store that keeps them; that of the server's `store` by default, or `memoryTasks()` (of `parley-mcp`), whose tasks end with the process. */
  readonly store?: TaskStore;
  /** Names whose tasks they are, where several servers share a store; the name of the server by default. */
  readonly queue?: string;
  readonly limits?: Partial<TaskLimits>;
  /**
   * The keys that seal tasks in the store, 32 bytes each, as bytes or in base64: the first seals, any opens. Arguments, questions, answers, what `once`
   * keeps and outcomes are then readable with a key alone; ids, owners and times are as they are. A task that none opens is unknown to clients, and told
   * to `onError`; nothing runs it. Without keys tasks are kept as they are.
   */
  readonly keys?: readonly SealingKey[];
  /** Hears what is done with tasks, for a log: that they were created, ended and retrieved, and asked for in vain. */
  readonly onAudit?: (line: TaskAudit) => void;
  /** Engine that has the work done; without one each process looks for work by itself. With one none does: each runs what the engine says. */
  readonly executor?: TaskExecutor;
}

/** Task that a handler runs as. */
export interface CtxTask {
  readonly id: string;
  /** Number of this run among those that began, from 1. */
  readonly attempt: number;
  /** Says how far it is, in the `statusMessage` of the task; up to 1024 characters. */
  say(message: string): void;
  /**
   * Leaves the work to something else: return what it gives, and end the task with `server.tasks.finish` in any process that has the tool and the
   * store, or `.fail` in any that has the store.
   */
  leave(): never;
}

/** Tasks of a server, for what works on them outside of handlers. */
export interface ServerTasks {
  /**
   * Ends a task that its handler left.
   *
   * @param result What the handler would have returned.
   * @returns Whether it was still to be ended; false for one that was cancelled, ended, expired, or never left.
   * @throws TypeError for what is no result of its tool, where this process does not have that tool, or for what has more characters of JSON than `limits.textLength`.
   */
  finish(id: string, result: unknown): Promise<boolean>;
  /** Ends a task that its handler left with an error. @returns The same. @throws TypeError for one with more characters of JSON. */
  fail(id: string, error: McpError): Promise<boolean>;
  /** Says how far it is. @returns Whether anybody may still hear of it. */
  say(id: string, message: string): Promise<boolean>;
  /**
   * Runs a task for an engine, with what is kept of it, and resolves when its run is over here. An engine may call it for any id, at any time and as
   * often as it likes: the task runs where nobody else runs it.
   *
   * @returns What became of it, which says whether to call again.
   * @throws Error where this process has no such tool, or drains; call it in another, or later. So do faults of the store.
   */
  run(id: string): Promise<TaskTurn>;
  /**
   * Begins nothing more here, and waits for what runs; what does not end in time is left as if the process had died.
   *
   * @param options `timeoutMs` is 10,000 by default.
   */
  drain(options?: { readonly timeoutMs?: number }): Promise<void>;
}
