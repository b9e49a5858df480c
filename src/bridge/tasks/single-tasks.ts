/** Puts the tasks of one server behind a bridge together. It is loaded when the first of them is seen. */

import type { Call } from '../../host/call.ts';
import type { ServerSession } from '../../host/host.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { SubscriptionFilter } from '../../protocol/features/subscriptions.ts';
import type { Seal } from '../../seal/seal.ts';
import { revisionFor } from '../forward.ts';
import type { Pool } from '../upstream/pool.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { CarriedTasks } from './carried-tasks.ts';
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
  onWarning(message: string): void;
}

/** The tasks of one server behind a bridge. */
export class SingleTasks {
  readonly carried: CarriedTasks;
  readonly notices: TaskNotices;
  readonly #pool: Pool;
  readonly #ids: TaskIds;
  readonly #streams: TaskStreams;

  constructor({ pool, seal, member, onWarning }: SingleTasksOptions) {
    this.#pool = pool;
    this.#ids = new TaskIds(seal);
    this.carried = new CarriedTasks({ pool, ids: this.#ids, member });
    this.notices = new TaskNotices(this.carried);
    this.#streams = new TaskStreams(onWarning);
  }

  /** Serves `subscriptions/listen` that names tasks. */
  listen(asked: SubscriptionFilter, call: Call, listen: ListenWith): Promise<JsonObject> {
    const parts = { pool: this.#pool, ids: this.#ids, carried: this.carried, streams: this.#streams };
    return listenToTasks(parts, asked, { call, listen });
  }

  /** Hears what a server tells on a connection that several clients share. */
  heard(method: string, params: JsonObject, upstream: Upstream): void {
    this.#streams.heard(method, params, upstream);
  }

  /** Hears how a task of a session stands. */
  status(params: JsonObject, session: ServerSession): void {
    const { latest } = this.#pool.ownOf(session) ?? {};
    if (latest !== undefined) this.notices.status(params, session, revisionFor(latest));
  }
}
