/** Puts the tasks of one server behind a bridge together. It is loaded when the first of them is seen. */

import type { Call } from '../../server/runtime/call.ts';
import type { ServerSession } from '../../server/runtime/server-core.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { SubscriptionFilter } from '../../protocol/features/subscriptions.ts';
import type { Seal } from '../../sealing/seal.ts';
import { revisionFor } from '../forward.ts';
import type { Bus } from '../../storage/bus.ts';
import type { Pool } from '../upstream/pool.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { taskFormBehind } from './task-forms.ts';
import { ForwardedTasks } from './forwarded-tasks.ts';
import { HeldResults } from './core/held-results.ts';
import { LookedAfter } from './core/looked-after.ts';
import { TasksOfCore } from './core/tasks-of-core.ts';
import { TasksOfClients } from './client-side/tasks-of-clients.ts';
import { TaskIds } from './task-ids.ts';
import { listenToTasks, type ListenWith } from './task-listening.ts';
import { TaskNotices } from './task-notices.ts';
import { TaskStreams } from './task-streams.ts';

/** Parts of a bridge that its tasks need. */
export interface SingleTasksOptions {
  readonly pool: Pool;
  readonly seal: Seal;
  /** Name of the server among several; empty for the only one. */
  readonly member: string;
  /** Time for which a client may stay away from a task that asks it, in milliseconds. */
  readonly ttlMs: number;
  /** Reaches results that other processes hold. */
  readonly bus?: Bus | undefined;
  onWarning(message: string): void;
}

/** The tasks of one server behind a bridge. */
export class SingleTasks {
  readonly forwarded: ForwardedTasks;
  readonly notices: TaskNotices;
  /** The tasks of clients. */
  readonly clientSideTasks: TasksOfClients;
  readonly #pool: Pool;
  readonly #ids: TaskIds;
  /** Sends changes of tasks of the extension. */
  readonly streams: TaskStreams;
  readonly #held: HeldResults;
  readonly #core: TasksOfCore;

  constructor({ pool, seal, member, ttlMs, bus, onWarning }: SingleTasksOptions) {
    this.#pool = pool;
    this.#ids = new TaskIds(seal);
    this.#held = new HeldResults({ ttlMs, bus, onWarning });
    this.#core = new TasksOfCore(pool, this.#held);
    this.forwarded = new ForwardedTasks({ pool, ids: this.#ids, member, core: this.#core });
    this.notices = new TaskNotices(this.forwarded);
    const { notices } = this;
    this.clientSideTasks = new TasksOfClients({ ids: new TaskIds(seal, 'client'), member, notices, by: pool });
    this.streams = new TaskStreams(onWarning);
  }

  /** Serves `subscriptions/listen` that names tasks. */
  listen(asked: SubscriptionFilter, call: Call, listen: ListenWith): Promise<JsonObject> {
    const streams = taskFormBehind(this.#pool) === 'core' ? new LookedAfter(this.#core) : this.streams;
    const parts = { pool: this.#pool, ids: this.#ids, forwarded: this.forwarded, streams };
    return listenToTasks(parts, asked, { call, listen });
  }

  /** Receives notifications of a server on a shared connection. */
  heard(method: string, params: JsonObject, upstream: Upstream): void {
    if (method === 'notifications/tasks/status') this.#core.told.changed(String(params['taskId']));
    else this.streams.heard(method, params, upstream);
  }

  /** Receives the progress of a server's task. */
  said(taskId: string, words: string): void {
    this.#core.told.said(taskId, words);
  }

  /** Aborts the waits for clients. */
  close(): void {
    this.#held.close();
  }

  /** Receives the status of a session's task. */
  status(params: JsonObject, session: ServerSession): void {
    const { latest } = this.#pool.ownOf(session) ?? {};
    if (latest !== undefined) this.notices.status(params, session, revisionFor(latest));
  }
}
