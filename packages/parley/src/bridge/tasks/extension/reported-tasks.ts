import type { Upstream } from '../../upstream/upstream.ts';
import type { TaskStream, TaskWish } from '../task-streams.ts';

/** Limit of open streams to one server, each of which may take a connection. Tasks beyond it are only polled. */
const maxStreams = 16;

/**
 * Number of consecutive streams on which a server agreed to no task, after which it counts as one that sends no task
 * notifications.
 */
const maxEmpty = 3;

/** Subscribes to tasks at a server. The stream covers only the tasks that it agreed to. */
export type FollowTasks = (upstream: Upstream, wish: TaskWish) => Promise<TaskStream>;

/**
 * Tasks whose changes a server sends, in addition to polling. (Spec ext-tasks, Notifications: a client may not rely on
 * them.)
 */
export class ToldTasks {
  readonly #follow: FollowTasks;
  #open = 0;
  #empty = 0;

  constructor(follow: FollowTasks) {
    this.#follow = follow;
  }

  /**
   * Subscribes to a task. Resolves when the server refuses or ends the subscription.
   *
   * @param changed Called when the task may have changed: first when the subscription starts.
   * @param signal Ends the stream.
   */
  async hear(
    upstream: Upstream,
    wish: Omit<TaskWish, 'tell'>,
    changed: () => void,
    signal: AbortSignal,
  ): Promise<void> {
    if (this.#empty >= maxEmpty || this.#open >= maxStreams || signal.aborted) return;
    this.#open++;
    try {
      const { agreed, closed, close } = await this.#follow(upstream, { ...wish, tell: changed });
      this.#empty = agreed.size === 0 && !signal.aborted ? this.#empty + 1 : 0;
      signal.addEventListener('abort', close);
      if (agreed.size === 0 || signal.aborted) close();
      else changed();
      await closed;
      signal.removeEventListener('abort', close);
    } finally {
      this.#open--;
    }
  }
}
