import type { ServerSession } from '../../server/runtime/server-core.ts';
import { fromWire } from '../../protocol/compile/from-wire.ts';
import { McpError } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { taskStatusNotificationParamsShape } from '../../protocol/features/tasks.ts';
import { metaKey } from '../../protocol/meta.ts';
import type { Revision } from '../../protocol/revision.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { relatedTaskOf } from './task-forms.ts';
import { withRelated, type ForwardedTasks } from './forwarded-tasks.ts';

const status = 'notifications/tasks/status';

/** Limit of messages that wait for one client. Further ones are dropped, since they are optional. */
const maxWaiting = 1_000;

/** Messages that wait for one client, in order. */
interface Line {
  waiting: number;
  last: Promise<void>;
}

/**
 * Sends status notifications of servers to the clients of sessions, with the task ids that the clients know, in their
 * original order.
 */
export class TaskNotices {
  readonly #forwarded: ForwardedTasks;
  readonly #lines = new WeakMap<ServerSession['state'], Line>();

  constructor(forwarded: ForwardedTasks) {
    this.#forwarded = forwarded;
  }

  /**
   * Sends a task's status to the client of a session. A malformed one is dropped, since these notifications are
   * optional.
   */
  status(params: JsonObject, session: ServerSession, revision: Revision): void {
    const task = readStatus(params, revision);
    if (task === undefined || session.revision.tasks !== 'core') return;
    this.#inLine(session, async () => {
      const taskId = await this.#forwarded.seal(String(task['taskId']), session.principal);
      return () => session.notify(status, { ...task, taskId });
    });
  }

  /** Tells something that belongs to a task. */
  related(params: JsonObject, session: ServerSession, tell: (named: JsonObject) => void): void {
    this.#inLine(session, async () => {
      const named = await this.#named(params, session);
      return () => tell(named);
    });
  }

  /**
   * Asks the client of a session a question of a task. The answer has the server's task id.
   *
   * @param ask Asks it.
   */
  async asked(
    params: JsonObject,
    session: ServerSession,
    ask: (named: JsonObject) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const answer = await ask(await this.#named(params, session));
    const taskId = relatedTaskOf(params);
    const meta = isObject(answer['_meta']) ? answer['_meta'] : {};
    // Spec 2025-11-25, Tasks, Related Task Metadata: the answer carries it too (MUST), whether the client knows or not.
    return { ...answer, _meta: { ...meta, [metaKey.relatedTask]: { taskId } } };
  }

  async #named(params: JsonObject, { principal }: ServerSession): Promise<JsonObject> {
    const taskId = relatedTaskOf(params);
    return taskId === undefined ? params : withRelated(params, await this.#forwarded.seal(taskId, principal));
  }

  #inLine({ state }: ServerSession, make: () => Promise<() => void>): void {
    const line = this.#lines.get(state) ?? { waiting: 0, last: Promise.resolve() };
    this.#lines.set(state, line);
    if (line.waiting >= maxWaiting) return;
    line.waiting++;
    const made = make();
    const told = async (): Promise<void> => {
      try {
        (await made)();
      } catch (error) {
        // An id that no client can be given.
        if (!(error instanceof McpError)) throw error;
      } finally {
        line.waiting--;
      }
    };
    line.last = line.last.then(told, told);
    // No caller waits for these messages.
    line.last.catch(() => undefined);
    made.catch(() => undefined);
  }
}

function readStatus(params: JsonObject, revision: Revision): JsonObject | undefined {
  try {
    return { ...fromWire(revision, taskStatusNotificationParamsShape, params) };
  } catch (error) {
    if (error instanceof McpError) return undefined;
    throw error;
  }
}
