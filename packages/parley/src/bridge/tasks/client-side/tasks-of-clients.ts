import type { ServerSession } from '../../../server/runtime/server-core.ts';
import { isObject } from '../../../jsonrpc/message.ts';
import { quiet } from '../../../connection/client-request.ts';
import { hasClientCapability } from '../../../protocol/capability.ts';
import { methodOf } from '../../../protocol/catalogue.ts';
import { McpError } from '../../../protocol/error.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { hasEnded } from '../../../protocol/task-status.ts';
import { unknownTask } from '../../../tasks/core.ts';
import { relayedQuestion } from '../../single/question-progress.ts';
import type { ForwardedCall } from '../../upstream/forwarded-call.ts';
import { relatedTaskOf, withoutRelated } from '../task-forms.ts';
import { withRelated } from '../forwarded-tasks.ts';
import type { TaskIds } from '../task-ids.ts';
import type { TaskNotices } from '../task-notices.ts';

/** Parts that the tasks of clients need. */
export interface TasksOfClientsOptions {
  readonly ids: TaskIds;
  /** Name of the server among several; empty for the only one. */
  readonly member: string;
  readonly notices: TaskNotices;
  /** Identifies the server, whose progress tokens are separate. */
  readonly by: object;
}

/** Request of a server for a task of its client, or about one. */
export interface AskedOfHost {
  readonly method: string;
  readonly params: JsonObject;
  readonly session: ServerSession;
  /** Withdraws it. */
  readonly signal: AbortSignal;
  /** The call whose stream carries it. */
  readonly on: ForwardedCall | undefined;
}

/** Task of a client that has not ended, as far as is known here. */
interface Known {
  /** The id by which the server knows it. */
  readonly id: string;
  /** Called when its progress is no longer reported. */
  done(): void;
}

/** Limit of the tasks of one session whose status is forwarded. For older tasks, the server can still ask. */
const maxKnown = 1_000;

/**
 * Forwards the tasks of a session's client to the server that requested them, under ids of the bridge, which need no
 * table. Running tasks are recorded while the session lasts, so that a server only gets notifications of its own.
 */
export class TasksOfClients {
  readonly #options: TasksOfClientsOptions;
  readonly #known = new WeakMap<ServerSession['state'], Map<string, Known>>();

  constructor(options: TasksOfClientsOptions) {
    this.#options = options;
  }

  /** @throws McpError from the client; invalidParams for an id that this server did not get for this principal. */
  async ask(asked: AskedOfHost): Promise<JsonObject> {
    return asked.params['task'] === undefined ? await this.#about(asked) : await this.#wished(asked);
  }

  /** Converts a client's status notification for this server; `undefined` if this server did not request the task. */
  told(params: JsonObject, { state }: ServerSession): JsonObject | undefined {
    const taskId = String(params['taskId']);
    const known = this.#known.get(state)?.get(taskId);
    if (known === undefined) return undefined;
    if (hasEnded(params)) this.#forget(state, taskId);
    return { ...params, taskId: known.id };
  }

  /** Requests a task. A client may still answer directly. */
  async #wished({ method, params, session, signal, on }: AskedOfHost): Promise<JsonObject> {
    const { by, notices } = this.#options;
    const question = relayedQuestion(session, { method, params }, by);
    let isTask = false;
    // Spec 2025-11-25, Cancellation: such a request is cancelled by `tasks/cancel`, once it is known of which task.
    const late = ({ task }: JsonObject): void => {
      if (isObject(task))
        void quiet(session.ask('tasks/cancel', { taskId: task['taskId'] }, new AbortController().signal));
    };
    const ask = (named: JsonObject): Promise<JsonObject> =>
      session.ask(method, named, signal, { ...(on === undefined ? {} : streamOf(on)), late });
    try {
      const isOfTask = relatedTaskOf(params) !== undefined;
      const answer = await (isOfTask ? notices.asked(question.params, session, ask) : ask(question.params));
      const { task } = answer;
      if (!isObject(task)) return answer;
      const taskId = String(task['taskId']);
      const id = await this.#seal(taskId, session);
      isTask = true;
      if (hasEnded(task)) question.done();
      else this.#note(session, taskId, { id, done: question.done });
      return { ...answer, task: { ...task, taskId: id } };
    } finally {
      // Spec 2025-11-25, Tasks, Progress: the token is good until the task has ended.
      if (!isTask) question.done();
    }
  }

  async #about({ method, params, session, signal, on }: AskedOfHost): Promise<JsonObject> {
    const { needs = '' } = methodOf(method) ?? {};
    // The server received the client's capabilities, except the list of tasks.
    if (needs === 'tasks.list' || !hasClientCapability(session.client.capabilities, needs))
      throw new McpError('methodNotFound', `${method} is not answered by this client`);
    const id = String(params['taskId']);
    const task = await this.#options.ids.open(id, session.principal);
    if (task?.member !== this.#options.member) throw unknownTask();
    const { taskId } = task;
    const answer = await session.ask(method, { ...withoutRelated(params), taskId }, signal, on && streamOf(on));
    if (method === 'tasks/result') {
      this.#forget(session.state, taskId);
      return withRelated(answer, id);
    }
    if (hasEnded(answer)) this.#forget(session.state, taskId);
    else if (this.#known.get(session.state)?.has(taskId) !== true) this.#note(session, taskId, { id, done: nothing });
    return { ...answer, taskId: id };
  }

  async #seal(taskId: string, { principal, revision }: ServerSession): Promise<string> {
    const { ids, member } = this.#options;
    return await ids.seal({ member, taskId, revision: revision.date }, principal);
  }

  #note({ state }: ServerSession, taskId: string, known: Known): void {
    const all = this.#known.get(state) ?? new Map<string, Known>();
    this.#known.set(state, all);
    // A client may name two of its tasks alike.
    this.#forget(state, taskId);
    const [oldest] = all.size < maxKnown ? [] : all.keys();
    if (oldest !== undefined) this.#forget(state, oldest);
    all.set(taskId, known);
  }

  #forget(state: ServerSession['state'], taskId: string): void {
    const all = this.#known.get(state);
    all?.get(taskId)?.done();
    all?.delete(taskId);
  }
}

/** The stream of a call, and its end. */
function streamOf({ signal, requestId }: ForwardedCall): Pick<ForwardedCall, 'signal' | 'requestId'> {
  return { signal, requestId };
}

function nothing(): void {}
