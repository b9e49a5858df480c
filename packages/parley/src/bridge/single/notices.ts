import { jsonText } from '../../json/exact-number.ts';
import type { NotificationSender, ServerSession } from '../../server/runtime/server-core.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import { maySend } from '../../protocol/method.ts';
import { wordsOf } from '../failure.ts';
import { revisionFor } from '../forward.ts';
import type { LateTasks } from '../tasks/deferred-tasks.ts';
import type { Pool } from '../upstream/pool.ts';
import { ownerOf } from '../../auth/common/owner.ts';
import { progressFor } from './question-progress.ts';
import { Shares } from './shares.ts';

/** A notification of a client, as received. */
interface Notice {
  readonly method: string;
  readonly params: JsonObject;
}

/** Limit of the characters under way, half of which one client may use, and the least size of a notification. */
const maxText = 64 * 1024 * 1024;
const leastText = 64 * 1024;

/**
 * Forwards notifications of clients to the upstream, which may accept them slowly. Notifications beyond the limit are
 * dropped.
 */
export class Notices {
  readonly #pool: Pool;
  readonly #tasks: Pick<LateTasks, 'loaded'>;
  readonly #onWarning: (message: string) => void;
  readonly #text = new Shares(maxText);
  #underWay = 0;
  /** True after a drop was reported to the operator, until nothing is under way. */
  #told = false;

  constructor(pool: Pool, tasks: Pick<LateTasks, 'loaded'>, onWarning: (message: string) => void) {
    this.#pool = pool;
    this.#tasks = tasks;
    this.#onWarning = onWarning;
  }

  /**
   * Forwards a client's notification to the upstream. A protocol notification is only sent on the connection of the
   * client's session, if the upstream's revision has it. An upstream without sessions requests roots again each time,
   * so it needs no change notification. It never rejects.
   */
  async tell({ method, params }: Notice, from: NotificationSender): Promise<void> {
    const pool = this.#pool;
    try {
      const row = methodOf(method);
      if (row !== undefined) {
        const client = from.session === undefined ? undefined : pool.ownOf(from.session)?.latest;
        if (client === undefined || !maySend('client', row, revisionFor(client))) return;
      }
      const own = from.session === undefined ? params : this.#inWordsOf(method, params, from.session);
      if (own !== undefined) await this.#send({ method, params: own }, from);
    } catch (error) {
      this.#onWarning(`${shownMethod(method)} did not reach the upstream: ${wordsOf(error)}`);
    }
  }

  /**
   * Converts a client's notification for its server. Progress of a question and the status of a task are only for the
   * server that asked.
   */
  #inWordsOf(method: string, params: JsonObject, session: ServerSession): JsonObject | undefined {
    if (method === 'notifications/progress') return progressFor(session, params, this.#pool);
    return method === 'notifications/tasks/status' ? this.#tasks.loaded?.clientSideTasks.told(params, session) : params;
  }

  async #send({ method, params }: Notice, from: NotificationSender): Promise<void> {
    const owner = ownerOf(from.principal, from.address);
    // A large one has all of its client's share.
    const text = Math.min(Math.max(jsonText(params).length, leastText), maxText / 2);
    if (this.#text.exceeded(text, owner) !== undefined) return this.#drop(method);
    this.#text.add(text, owner);
    this.#underWay++;
    try {
      await this.#pool.notify(method, params, from);
    } finally {
      this.#text.add(-text, owner);
      if (--this.#underWay === 0) this.#told = false;
    }
  }

  #drop(method: string): void {
    if (this.#told) return;
    this.#told = true;
    this.#onWarning(`${shownMethod(method)} and what follows it is dropped: the upstream has too much to take already`);
  }
}

function shownMethod(method: string): string {
  return JSON.stringify(method.slice(0, 100));
}
