/** A task of the server that judges its client: what it is at any time, and what its client did about it. */

import { monotonicNow } from '../../../../parley/src/jsonrpc/timeout.ts';
import type { JsonObject } from '../../../../parley/src/protocol/features/common.ts';
import type { TaskStatus } from '../../../../parley/src/protocol/features/tasks.ts';
import { hasEnded } from '../../../../parley/src/protocol/task-status.ts';
import type { Prompted } from './client-session.ts';

/** Times of tasks, in milliseconds: between two polls, until it needs input, from then to its end, without an answer, of one that has no end, and of its keeping. */
export const ownTaskTimes = {
  poll: 250,
  work: 700,
  rest: 300,
  unanswered: 15_000,
  endless: 20_000,
  kept: 60_000,
} as const;

/** Parts that a task is made of. */
export interface TaskMade {
  readonly tool: string;
  /** Id of the call that it was made of. */
  readonly callId: unknown;
  /** Token under which its progress may be told; `undefined` for none, and for one that is long. */
  readonly progressToken?: unknown;
  /** Question that it asks its client; `undefined` for none. */
  readonly question: Prompted | undefined;
  /** Its declared lifetime. */
  readonly ttl: number;
}

/** A task. */
export class OwnTask {
  readonly id: string = crypto.randomUUID();
  readonly made: TaskMade;
  /** Key of its question, in the extension. */
  readonly key: string = `input-${this.id}`;
  readonly #began = monotonicNow();
  readonly #createdAt = new Date().toISOString();
  #updatedAt = this.#createdAt;
  #told: TaskStatus = 'working';
  #answeredAt: number | undefined;
  #isCancelled = false;
  /** Number of polls until it was reported as ended. */
  polls = 0;
  /** Number of reports that it needs input. */
  inputTold = 0;
  /** Times that its result was asked for, in the core. */
  results = 0;
  /** Times that its question was answered, in the extension. */
  updates = 0;
  /** Number of repetitions of its question after it was answered, which the extension allows. */
  repeats = 0;
  /** Resolves when its question was answered, in the core; `undefined` while no request fetches it. */
  asking: Promise<void> | undefined;

  constructor(made: TaskMade) {
    this.made = made;
  }

  /** Time since it was made, in milliseconds. */
  get elapsed(): number {
    return monotonicNow() - this.#began;
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  get isAnswered(): boolean {
    return this.#answeredAt !== undefined;
  }

  /** Status that it has now. */
  get status(): TaskStatus {
    if (this.#isCancelled) return 'cancelled';
    const { elapsed } = this;
    const { tool, question } = this.made;
    if (tool === 'endless') return elapsed < ownTaskTimes.endless ? 'working' : 'completed';
    if (elapsed < ownTaskTimes.work) return 'working';
    if (question === undefined) return elapsed < ownTaskTimes.work + ownTaskTimes.rest ? 'working' : 'completed';
    if (this.#answeredAt !== undefined)
      return monotonicNow() - this.#answeredAt < ownTaskTimes.rest ? 'working' : 'completed';
    return this.asking !== undefined || elapsed < ownTaskTimes.unanswered ? 'input_required' : 'completed';
  }

  get hasEnded(): boolean {
    return hasEnded(this);
  }

  /** Takes note that its question was answered. */
  answered(): void {
    this.#answeredAt ??= monotonicNow();
  }

  /** It is cancelled, unless it has ended. */
  cancel(): void {
    if (!this.hasEnded) this.#isCancelled = true;
  }

  /** The task in the form of one dialect. @param status A status that replaces its own. */
  view(surface: 'core' | 'extension', status: TaskStatus = this.status): JsonObject {
    if (status !== this.#told) this.#updatedAt = new Date().toISOString();
    this.#told = status;
    const { ttl } = this.made;
    return {
      taskId: this.id,
      status,
      createdAt: this.#createdAt,
      lastUpdatedAt: this.#updatedAt,
      ...(surface === 'core'
        ? { ttl, pollInterval: ownTaskTimes.poll }
        : { ttlMs: ttl, pollIntervalMs: ownTaskTimes.poll }),
    };
  }

  /**
   * Most polls that are allowed by now: one after each answer, and otherwise one for each interval, with a tolerance of
   * a fifth.
   */
  get maxPolls(): number {
    return 3 + this.updates + Math.floor(this.elapsed / (ownTaskTimes.poll * 0.8));
  }
}
