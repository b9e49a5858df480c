import type { Upstream } from '../../upstream/upstream.ts';
import type { TaskStream, TaskWish } from '../task-streams.ts';

/** Limit of streams that are open at once before one server, each of which may take a connection: what is beyond it is looked at alone. */
const mostStreams = 16;

/** Number of streams in a row on which a server would tell of nothing, after which it is taken for one that tells of no tasks. */
const mostEmpty = 3;

/** Asks a server to tell of tasks; the stream has none that it does not tell of. */
export type FollowTasks = (upstream: Upstream, wish: TaskWish) => Promise<TaskStream>;

/** Tasks of which a server tells, beside being looked at. (Spec ext-tasks, Notifications: a client may not rely on them.) */
export class ToldTasks {
  readonly #follow: FollowTasks;
  #open = 0;
  #empty = 0;

  constructor(follow: FollowTasks) {
    this.#follow = follow;
  }

  /**
   * Hears of a task as long as the server tells of it; resolves when it does not, or not any more.
   *
   * @param changed Hears that the task may be another than it was: first when the server begins to tell of it.
   * @param signal Ends the stream.
   */
  async hear(
    upstream: Upstream,
    wish: Omit<TaskWish, 'tell'>,
    changed: () => void,
    signal: AbortSignal,
  ): Promise<void> {
    if (this.#empty >= mostEmpty || this.#open >= mostStreams || signal.aborted) return;
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
