import type { Call } from '../runtime/call.ts';
import type { ServerSession } from '../runtime/server-core.ts';
import { isRequestId } from '../../jsonrpc/message.ts';
import type { LoggingLevel } from '../../protocol/features/logging.ts';
import { relatedTo } from '../../tasks/core.ts';
import type { TaskNotifier } from './task-call.ts';

/**
 * Ways to the clients of tasks of 2025-11-25. They receive progress and log messages of a task until it ends: on the
 * stream of a request that waits for its result, or on the session's own stream. Each message names its task. (Spec
 * 2025-11-25, Tasks, Related Task Metadata.)
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

  /** The request of a session that waits for the result of a task: those of others know nothing of its progress token. */
  #waitingIn(session: ServerSession, id: string): Call | undefined {
    for (const call of this.#waiting.get(id) ?? []) if (call.session === session) return call;
    return undefined;
  }

  /**
   * The notifier of a task, for the session that requested it.
   *
   * @param heard The `_meta` of its request, and the log level of the session.
   */
  of(
    id: string,
    session: ServerSession,
    heard: { readonly meta: Readonly<Record<string, unknown>>; admits(level: LoggingLevel): boolean },
  ): TaskNotifier {
    const { progressToken } = heard.meta;
    let last = Number.NEGATIVE_INFINITY;
    const send = (method: string, params: Readonly<Record<string, unknown>>): void => {
      const related = { ...params, _meta: relatedTo(id) };
      const call = this.#waitingIn(session, id);
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
        if (heard.admits(level))
          send('notifications/message', { level, data: data ?? null, ...(logger === undefined ? {} : { logger }) });
      },
    };
  }
}
