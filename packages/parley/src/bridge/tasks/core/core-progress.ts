/** News of the tasks of a server of 2025-11-25 beside its answers: progress, which clients of the extension read in the status message, and that something changed. */

import type { Task } from '../../../protocol/features/tasks.ts';

/** Limit of the tasks of which something is remembered; the oldest are forgotten. */
const most = 1_000;

/** Text about a task, with the status message that it replaces. */
interface Said {
  readonly words: string;
  /** The server's message when the text was first shown; `undefined` for none. Left out before that. */
  instead?: { readonly message: unknown };
}

/** Status text for the tasks of one server, by its ids. */
export class ToldOfCore {
  readonly #said = new Map<string, Said>();
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Takes how far a task got. */
  said(taskId: string, words: string): void {
    this.#said.delete(taskId);
    this.#said.set(taskId, { words });
    const [oldest] = this.#said.keys();
    if (this.#said.size > most && oldest !== undefined) this.#said.delete(oldest);
    this.changed(taskId);
  }

  /** Wakes the callers that wait for a change of a task. */
  changed(taskId: string): void {
    for (const wake of this.#waiting.get(taskId) ?? []) wake();
  }

  /** Calls a function at each change of a task. @returns Ends it. */
  watch(taskId: string, wake: () => void): () => void {
    const waiting = this.#waiting.get(taskId) ?? new Set();
    this.#waiting.set(taskId, waiting.add(wake));
    return () => {
      waiting.delete(wake);
      if (waiting.size === 0 && this.#waiting.get(taskId) === waiting) this.#waiting.delete(taskId);
    };
  }

  /** A task with its progress as its message, until its server sends a newer message. */
  shown(taskId: string, task: Task): Task {
    const said = this.#said.get(taskId);
    if (said === undefined) return task;
    said.instead ??= { message: task.statusMessage };
    if (said.instead.message === task.statusMessage) return { ...task, statusMessage: said.words };
    this.#said.delete(taskId);
    return task;
  }

  /** Forgets a task that has ended. */
  ended(taskId: string): void {
    this.#said.delete(taskId);
  }
}
