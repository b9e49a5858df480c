import { passedOn } from '../../server/runtime/extension-result.ts';
import type { Call } from '../../server/runtime/call.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { fromWire } from '../../protocol/compile/from-wire.ts';
import { toWire } from '../../protocol/compile/to-wire.ts';
import { McpError } from '../../protocol/error.ts';
import { extensionCapability } from '../../protocol/extension.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import {
  createTaskResultShape,
  taskShape,
  tasksExtension,
  type CreateTaskResult,
  type Task,
} from '../../protocol/features/tasks.ts';
import { metaKey } from '../../protocol/meta.ts';
import { revisionOf, type RevisionDate } from '../../protocol/revision.ts';
import type { ClientCapabilities } from '../../protocol/capability.ts';
import { unknownTask } from '../../tasks/core.ts';
import type { Pool } from '../upstream/pool.ts';
import { takesTasks, taskFormBehind, withoutRelated } from './task-forms.ts';
import type { TasksOfCore } from './core/tasks-of-core.ts';
import { asOfExtension, inPlaceOf } from './forms.ts';
import type { NamedTask, TaskIds } from './task-ids.ts';

/** Parts that carrying tasks needs. */
export interface ForwardedTasksOptions {
  readonly pool: Pool;
  readonly ids: TaskIds;
  /** Name of the server among several; empty for the only one. */
  readonly member: string;
  /** Serves them if the server's tasks have the form of 2025-11-25, and the client's the other. */
  readonly core: TasksOfCore;
}

/** The request that made a task, as stored in its id. */
type MadeBy = Pick<NamedTask, 'declared' | 'within'>;

/** Number of tasks of a list whose ids are sealed in parallel. */
const atOnce = 64;

/** Forwards tasks of one server to clients whose revision has the same form of tasks, under ids of its own. */
export class ForwardedTasks {
  readonly #options: ForwardedTasksOptions;

  constructor(options: ForwardedTasksOptions) {
    this.#options = options;
  }

  /** The result that announces a task, for the client of the call that became one. */
  async created(result: JsonObject, call: Call): Promise<unknown> {
    const nested = result['taskId'] === undefined && isObject(result['task']) ? result['task'] : undefined;
    if (nested !== undefined && call.facts.tasks === 'extension')
      return await this.#flattened(nested, call, this.#options.pool.madeOn(result));
    const flat = nested ?? result;
    checkTask(flat, call);
    const id = await this.seal(String(flat['taskId']), call.auth?.principal);
    const named = flat === result ? { ...result, taskId: id } : { ...result, task: { ...flat, taskId: id } };
    // It was read as a task; both revisions have the same form.
    const read = named as unknown as CreateTaskResult;
    return passedOn(toWire(call.facts, createTaskResultShape, withRelated(read as JsonObject, id) as never));
  }

  /**
   * Serves a request about one task.
   *
   * @throws McpError missingRequiredClientCapability for a client that did not declare the extension; invalidParams for an id that was not given
   *   to its principal, and for a task that the server does not have.
   */
  async about(params: JsonObject, call: Call): Promise<JsonObject> {
    requireTasks(call);
    if (call.method === 'tasks/list') return await this.#listed(params, call);
    const id = String(params['taskId']);
    const task = await this.open(id, call);
    const { taskId } = task;
    const isOfCore = call.facts.tasks === 'extension' && taskFormBehind(this.#options.pool) === 'core';
    try {
      if (isOfCore) {
        const by = inPlaceOf(call, task);
        return answered(await this.#options.core.about(params, { id, taskId, call: by }), id, call);
      }
      // Spec 2025-11-25, Tasks, Related Task Metadata: only the parameter identifies the task.
      const result = await this.#options.pool.carry({ ...withoutRelated(params), taskId }, call);
      return answered(result, id, call);
    } catch (error) {
      throw aboutTask(error, { id, taskId, call });
    }
  }

  /**
   * A new task of 2025-11-25 for a client of the extension. The immediate response for the model has no place there.
   */
  async #flattened(nested: JsonObject, call: Call, within: string | undefined): Promise<unknown> {
    // It was read as a task.
    const flat = asOfExtension(nested as unknown as Task);
    const taskId = await this.seal(flat.taskId, call.auth?.principal, { declared: askedOf(call), within });
    return passedOn(toWire(call.facts, createTaskResultShape, { ...flat, taskId, resultType: 'task' }));
  }

  /**
   * The id that a client gets for a task of the server.
   *
   * @param by Identifies the request that made it, if other requests carry its questions.
   */
  async seal(taskId: string, principal: string | undefined, by: MadeBy = {}): Promise<string> {
    const { ids, member } = this.#options;
    return await ids.seal({ member, taskId, revision: this.#revision(), ...by }, principal);
  }

  /** @throws McpError invalidParams for an id that was not given to the principal of the call for a task of this server. */
  async open(id: string, call: Call): Promise<NamedTask> {
    const task = await this.#options.ids.open(id, call.auth?.principal);
    if (task === undefined || !this.isHere(task)) throw unknownTask();
    return task;
  }

  /** Tells whether a task belongs to this server, in its present form. */
  isHere({ member, revision }: NamedTask): boolean {
    const { pool, member: own } = this.#options;
    return member === own && revisionOf(revision)?.tasks === taskFormBehind(pool);
  }

  async #listed(params: JsonObject, call: Call): Promise<JsonObject> {
    const result = await this.#options.pool.carry(params, call);
    // It was read as a list of tasks.
    const tasks = result['tasks'] as readonly JsonObject[];
    const named: JsonObject[] = [];
    for (let at = 0; at < tasks.length; at += atOnce) {
      const some = tasks.slice(at, at + atOnce).map(async (task) => ({
        ...task,
        taskId: await this.seal(String(task['taskId']), call.auth?.principal),
      }));
      named.push(...(await Promise.all(some)));
    }
    return { ...result, tasks: named };
  }

  #revision(): RevisionDate {
    const { latest } = this.#options.pool.main;
    if (latest === undefined) throw new McpError('internalError', 'the upstream server was not reached yet');
    return latest.revision;
  }
}

/**
 * (Spec ext-tasks, Capabilities: a client that did not declare the extension is rejected, whatever the id.)
 *
 * @throws McpError missingRequiredClientCapability.
 */
export function requireTasks(call: Call): void {
  if (call.facts.tasks !== 'extension' || takesTasks(call)) return;
  throw new McpError(
    'missingRequiredClientCapability',
    `${call.method} needs the extension ${tasksExtension}, which the client did not declare with this request`,
    { data: { requiredCapabilities: extensionCapability(tasksExtension) } },
  );
}

/** The longest capabilities that travel with an id whole, in characters of JSON: over HTTP ids are headers too. */
const maxDeclaredLength = 1_024;

/** Capabilities that decide what a task may ask, and on which connection: those of the request that made it. */
function askedOf({ client: { capabilities } }: Call): ClientCapabilities {
  if (JSON.stringify(capabilities).length <= maxDeclaredLength) return capabilities;
  const { elicitation, sampling, roots } = capabilities;
  const asked = { elicitation, sampling, roots };
  return JSON.parse(JSON.stringify(asked)) as ClientCapabilities;
}

/** A server must send more fields of a new task than reading it needs. */
function checkTask(task: JsonObject, { facts }: Call): void {
  try {
    fromWire(facts, taskShape, task);
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    throw new McpError('internalError', `the upstream server's new task is malformed: ${error.message}`, {
      cause: error,
    });
  }
}

/** An answer about a task, with the id by which its client knows it. */
function answered(result: JsonObject, id: string, { method, facts }: Call): JsonObject {
  const named = result['taskId'] === undefined ? result : { ...result, taskId: id };
  const related = withRelated(named, id);
  // The result of a call has no task id: it is forwarded unchanged.
  if (method === 'tasks/result') return withRelated(result, id);
  return facts.resultTypes ? { ...related, resultType: 'complete' } : related;
}

/** The params with the client's id, if their `_meta` names the task. */
export function withRelated(params: JsonObject, id: string): JsonObject {
  const { _meta: meta } = params;
  if (!isObject(meta) || meta[metaKey.relatedTask] === undefined) return params;
  return { ...params, _meta: { ...meta, [metaKey.relatedTask]: { taskId: id } } };
}

const shortestTold = 8;
const maxToldLength = 4_096;

/** Converts a server's error about a task for the client. A task that is gone gets the same error as an unknown one. */
function aboutTask(
  error: unknown,
  { id, taskId, call }: { readonly id: string; readonly taskId: string; readonly call: Call },
): unknown {
  if (!(error instanceof McpError)) return error;
  const { kind, code, message, data } = error;
  // Spec 2025-11-25, Tasks, Cancelling Tasks: an ended task cannot be cancelled, and the error says so.
  const mayHaveEnded = call.method === 'tasks/cancel' && call.facts.tasks === 'core';
  // `tasks/result` fails as the call did.
  const isOfCall = call.method === 'tasks/result';
  if (kind === 'invalidParams' && !mayHaveEnded && !isOfCall) return unknownTask();
  // An id that is no more than a letter names nothing in a text.
  if (taskId.length < shortestTold || message.length > maxToldLength || !message.includes(taskId)) return error;
  return new McpError(kind ?? code, message.replaceAll(taskId, id), { data, cause: error });
}
