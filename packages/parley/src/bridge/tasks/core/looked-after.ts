import { plainNumber } from '../../../json/exact-number.ts';
import { PollInterval } from '../../../connection/poll-interval.ts';
import { McpError } from '../../../protocol/error.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { hasEnded } from '../../../protocol/task-status.ts';
import { pause } from '../../changes.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { TaskListening, TaskStream } from '../task-streams.ts';
import type { TaskOfClient, TasksOfCore } from './tasks-of-core.ts';

/** Number of tasks that are polled in parallel when a client begins to listen. */
const atOnce = 16;

/** Shortest pause between two polls, however many notifications a server sends, in milliseconds. */
const leastMs = 100;

/**
 * Sends task changes of a 2025-11-25 server to listeners by polling: a server need not send notifications. (Spec
 * 2025-11-25, Tasks, Task Status Notification.)
 */
export class LookedAfter {
  readonly #core: TasksOfCore;

  constructor(core: TasksOfCore) {
    this.#core = core;
  }

  /** Polls tasks until the stream is closed. Tasks that the server does not have are not agreed to. */
  async follow(_: Upstream, { callFor, taskIds, names, tell }: TaskListening): Promise<TaskStream> {
    const left = new AbortController();
    const { signal } = left;
    const agreed = new Set<string>();
    const begin = async (taskId: string): Promise<void> => {
      const asked = { id: names.get(taskId) ?? taskId, taskId, call: callFor(taskId) };
      const first = await this.#core.get(asked).catch(() => undefined);
      if (first === undefined) return;
      agreed.add(taskId);
      tell({ ...first, taskId });
      // It never rejects.
      void this.#look(asked, first, { signal, tell });
    };
    for (let at = 0; at < taskIds.length; at += atOnce) await Promise.all(taskIds.slice(at, at + atOnce).map(begin));
    const closed = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    return { agreed, closed, close: () => left.abort() };
  }

  async #look(
    asked: TaskOfClient,
    first: JsonObject,
    { signal, tell }: { readonly signal: AbortSignal; readonly tell: (task: JsonObject) => void },
  ): Promise<void> {
    const pace = new PollInterval();
    let last = first;
    while (!hasEnded(last)) {
      const told = plainNumber(last['pollIntervalMs']);
      await this.#rest(asked.taskId, pace.next(typeof told === 'number' ? told : undefined, Math.random()), signal);
      if (signal.aborted) return;
      // A failure may be temporary. A client that wants the reason can request the task.
      const next = await this.#core.get(asked).catch((error: unknown) => (isGone(error) ? undefined : last));
      if (next === undefined || signal.aborted) return;
      if (standing(next) === standing(last)) continue;
      pace.changed();
      last = next;
      tell({ ...next, taskId: asked.taskId });
    }
  }

  /** Waits, but less if the server sends a notification of the task meanwhile. It need not. */
  async #rest(taskId: string, ms: number, signal: AbortSignal): Promise<void> {
    const told = new AbortController();
    const unwatch = this.#core.told.watch(taskId, () => told.abort());
    try {
      await pause(leastMs, signal);
      await pause(ms - leastMs, AbortSignal.any([signal, told.signal]));
    } finally {
      unwatch();
    }
  }
}

/** Tells whether the server no longer has a task. */
function isGone(error: unknown): boolean {
  return error instanceof McpError && error.kind === 'invalidParams';
}

/** The part of a task whose change is reported. */
function standing({ status, statusMessage, lastUpdatedAt, inputRequests }: JsonObject): string {
  return JSON.stringify([status, statusMessage, lastUpdatedAt, Object.keys(inputRequests ?? {})]);
}
