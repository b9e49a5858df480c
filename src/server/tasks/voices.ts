import type { Call } from '../../host/call.ts';
import type { ServerSession } from '../../host/host.ts';
import { isRequestId } from '../../jsonrpc/message.ts';
import { relatedTo } from '../../tasks/core.ts';
import type { TaskVoice } from './task-call.ts';

/**
 * Ways to the clients of tasks of 2025-11-25, which hear progress and log messages of a task until it ends: on the stream of a request that
 * waits for its result, else beside all of them. Each message says which task it is of. (Spec 2025-11-25, Tasks, Related Task Metadata.)
 */
export class Voices {
  readonly #waiting = new Map<string, Set<Call>>();

  /** A request waits for the result of a task. @returns It does not any more. */
  enter(id: string, call: Call): () => void {
    const calls = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, calls.add(call));
    return () => {
      calls.delete(call);
      if (calls.size === 0 && this.#waiting.get(id) === calls) this.#waiting.delete(id);
    };
  }

  /** Number of requests that wait for results of tasks. */
  waiting(id: string): Call | undefined {
    const [first] = this.#waiting.get(id) ?? [];
    return first;
  }

  /** The voice of a task, for the session that asked for it. */
  of(id: string, session: ServerSession, meta: Readonly<Record<string, unknown>>): TaskVoice {
    const { progressToken } = meta;
    let last = Number.NEGATIVE_INFINITY;
    const send = (method: string, params: Readonly<Record<string, unknown>>): void => {
      const related = { ...params, _meta: relatedTo(id) };
      const call = this.waiting(id);
      if (call === undefined) session.notify(method, related);
      else call.send(method, related);
    };
    return {
      progress: (progress, total, message) => {
        // Spec 2025-11-25, Tasks, Progress: the token of the request that began it holds until it ends.
        if (!isRequestId(progressToken) || !Number.isFinite(progress) || progress <= last) return;
        last = progress;
        const words = message === undefined ? {} : { message };
        send('notifications/progress', {
          progressToken,
          progress,
          ...(Number.isFinite(total) ? { total } : {}),
          ...words,
        });
      },
      log: (level, data, logger) => {
        const admits = this.waiting(id)?.admits(level) ?? true;
        if (admits)
          send('notifications/message', { level, data: data ?? null, ...(logger === undefined ? {} : { logger }) });
      },
    };
  }
}
