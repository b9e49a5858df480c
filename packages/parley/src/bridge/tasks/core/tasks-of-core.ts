import type { Client } from '../../../client/api/client.ts';
import { isObject } from '../../../jsonrpc/message.ts';
import { fromWire } from '../../../protocol/compile/from-wire.ts';
import { toWire } from '../../../protocol/compile/to-wire.ts';
import { McpError } from '../../../protocol/error.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { getTaskResultShape, type GetTaskResult, type Task } from '../../../protocol/features/tasks.ts';
import { methodOf } from '../../../protocol/catalogue.ts';
import { isBareResult } from '../../../protocol/task-answer.ts';
import { hasEnded } from '../../../protocol/task-status.ts';
import { failureFor } from '../../failure.ts';
import { revisionFor } from '../../forward.ts';
import type { Pool } from '../../upstream/pool.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { malformedTask } from '../attempt.ts';
import { withoutRelated } from '../task-forms.ts';
import { asOfExtension, type AboutTask } from '../forms.ts';
import type { HeldResults } from './held-results.ts';
import { ToldOfCore } from './core-progress.ts';

/** One task of the server, and the requesting client. */
export interface TaskOfClient {
  /** The id that the client knows. */
  readonly id: string;
  /** The id that the server knows. */
  readonly taskId: string;
  readonly call: AboutTask;
}

/** Tasks of a server of 2025-11-25, for clients that know them as those of the extension. */
export class TasksOfCore {
  /** News of the server beside its answers. */
  readonly told: ToldOfCore = new ToldOfCore();
  readonly #pool: Pool;
  readonly #held: HeldResults;

  constructor(pool: Pool, held: HeldResults) {
    this.#pool = pool;
    this.#held = held;
  }

  /** Serves a request about one task; the answer names the task by the id of the server. */
  async about(params: JsonObject, asked: TaskOfClient): Promise<JsonObject> {
    switch (asked.call.method) {
      case 'tasks/update':
        return await this.#update(params, asked);
      case 'tasks/cancel':
        return await this.#cancel(asked);
      default:
        return await this.get(asked);
    }
  }

  /**
   * Reads the state of a task, with its outcome or its questions.
   *
   * @throws McpError of the server; internalError if its result is lost.
   */
  async get(asked: TaskOfClient): Promise<JsonObject> {
    return await this.#on(asked, async (client, upstream) => {
      const got = await task(client, asked);
      const { status } = got;
      const flat = asOfExtension(got);
      if (hasEnded({ status })) {
        this.told.ended(asked.taskId);
        upstream.ended(asked.taskId);
      }
      if (status === 'completed' || status === 'failed') return await ended(client, flat, asked);
      const shown = status === 'cancelled' ? flat : this.told.shown(asked.taskId, flat);
      return status === 'input_required' ? await this.#asking(shown, asked, upstream) : { ...shown };
    });
  }

  /**
   * Spec ext-tasks, Input requests: answers to closed questions are ignored (SHOULD). Answers for an unknown task are
   * an error.
   */
  async #update({ inputResponses }: JsonObject, asked: TaskOfClient): Promise<JsonObject> {
    const isTaken = await this.#held.answer(asked.id, isObject(inputResponses) ? inputResponses : {});
    if (isTaken && this.#held.of(asked.id) !== undefined) return {};
    const { status } = await this.#on(asked, (client) => task(client, asked));
    if (isTaken || status !== 'input_required') return {};
    throw new McpError(
      'internalError',
      'the answers were not taken: the process of the bridge through which they were asked for cannot be reached; ask for the task again, and answer ' +
        'what it asks then. Processes of one bridge need a store that they share, or rounds.bus',
    );
  }

  /** Spec ext-tasks, Cancellation: a task that has ended is acknowledged too. In 2025-11-25 that is an error, as an unknown one is. */
  async #cancel(asked: TaskOfClient): Promise<JsonObject> {
    await this.#on(asked, async (client) => {
      try {
        await client.request('tasks/cancel', { taskId: asked.taskId }, optionsOf(asked));
      } catch (error) {
        if (!(error instanceof McpError) || error.kind !== 'invalidParams') throw error;
        await task(client, asked);
      }
    });
    this.#held.of(asked.id)?.end('the task was cancelled');
    return {};
  }

  /** A task whose questions have not arrived counts as working. */
  async #asking(flat: Task, { id, taskId, call }: TaskOfClient, upstream: Upstream): Promise<JsonObject> {
    const inputRequests = await this.#held.asked(id, taskId, { call, upstream });
    if (Object.keys(inputRequests).length === 0) return { ...flat, status: 'working' };
    return { ...flat, inputRequests };
  }

  async #on<T>({ call, taskId }: TaskOfClient, work: (client: Client, upstream: Upstream) => Promise<T>): Promise<T> {
    const upstream = this.#pool.preferredBy(call, call.within);
    return await upstream.during(async (client) => {
      try {
        return await work(client, upstream);
      } catch (error) {
        throw failureFor(error, { call, params: { taskId }, revision: revisionFor(client) });
      }
    });
  }
}

function optionsOf({ call }: TaskOfClient) {
  return { timeoutMs: 0, signal: call.signal, caller: call.auth };
}

async function task(client: Client, asked: TaskOfClient): Promise<GetTaskResult> {
  const got = await client.request('tasks/get', { taskId: asked.taskId }, optionsOf(asked));
  try {
    return fromWire(revisionFor(client), getTaskResultShape, got);
  } catch (error) {
    throw malformedTask(error);
  }
}

/**
 * A task with its outcome. If its tool answered with an error, it has failed in 2025-11-25, but is completed in the
 * extension, where only a protocol error fails a task.
 */
async function ended(client: Client, flat: Task, asked: TaskOfClient): Promise<JsonObject> {
  let given: JsonObject;
  try {
    given = await client.request('tasks/result', { taskId: asked.taskId }, optionsOf(asked));
  } catch (error) {
    if (!(error instanceof McpError) || error.kind === 'busy') throw error;
    const { code, message, data } = error;
    if (flat.status === 'failed')
      return { statusMessage: message, ...flat, error: { code, message, ...(data === undefined ? {} : { data }) } };
    const lost = `the upstream server completed the task and did not return its result: ${message}`;
    throw new McpError('internalError', lost, { cause: error });
  }
  try {
    return { ...flat, status: 'completed', result: resultOf(client, given, asked) };
  } catch (error) {
    // Some servers have no result of a failed task, and return an empty one.
    if (flat.status !== 'failed' || !(error instanceof McpError)) throw error;
    const message = typeof flat.statusMessage === 'string' ? flat.statusMessage : error.message;
    return { ...flat, error: { code: -32_603, message } };
  }
}

function resultOf(client: Client, given: JsonObject, { call }: TaskOfClient): JsonObject {
  const shape = methodOf('tools/call')?.result;
  const { _meta: meta, ...rest } = withoutRelated(given);
  const plain = isObject(meta) && Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest;
  if (shape === undefined) return plain;
  try {
    if (isBareResult(plain)) throw new McpError('internalError', 'it has no content');
    return toWire(call.facts, shape, fromWire(revisionFor(client), shape, plain)) as unknown as JsonObject;
  } catch (error) {
    throw malformedTask(error);
  }
}
