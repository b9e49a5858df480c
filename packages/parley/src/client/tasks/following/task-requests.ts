import type { Reconnecting, RepeatableOptions } from '../../requests/reconnecting.ts';
import { ConnectionError } from '../../../jsonrpc/transport.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import type { InputResponses } from '../../../protocol/features/rounds.ts';
import type { CallToolResult } from '../../../protocol/features/tools.ts';
import { metaKey } from '../../../protocol/meta.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { isBareResult } from '../../../protocol/task-answer.ts';
import { readResult } from '../../api/read-result.ts';
import { toldTask, type TaskState } from './task-state.ts';

/** Options that all requests about a task have in common with the call that it was made of. */
export type TaskSent = Pick<
  RepeatableOptions,
  'signal' | 'timeoutMs' | 'keepsAlive' | 'capabilities' | 'clientInfo' | 'headers' | 'caller'
>;

/** The part of a call's options that task requests use. */
export function sentOf(options: RepeatableOptions): TaskSent {
  const { timeoutMs, capabilities, clientInfo, headers, caller } = options;
  return { timeoutMs, capabilities, clientInfo, headers, caller };
}

/** The requests about tasks, on either surface. */
export class TaskRequests {
  readonly #connection: Reconnecting;

  constructor(connection: Reconnecting) {
    this.#connection = connection;
  }

  get revision(): Revision {
    return this.#connection.revision;
  }

  /** Asks how a task stands. */
  async get(taskId: string, sent: TaskSent): Promise<TaskState> {
    // Early servers set the result type `task` on this answer too.
    const options = { ...sent, resultTypes: ['task'], task: { offered: true } };
    const result = await this.#connection.request('tasks/get', { taskId }, options);
    return toldTask(this.revision, taskId, result);
  }

  /** Waits for the result of a task of 2025-11-25. */
  async result(taskId: string, sent: TaskSent): Promise<CallToolResult> {
    const result = await this.#connection.request('tasks/result', { taskId }, { ...sent, task: { offered: true } });
    if (isBareResult(result)) throw new ConnectionError('invalid-message', 'the result of tasks/result has no content');
    return readResult(this.revision, 'tools/call', unrelated(result));
  }

  /** Gives answers to a task of the extension. */
  async update(taskId: string, inputResponses: InputResponses, sent: TaskSent): Promise<void> {
    // The server ignores answers that it already has, so this may be repeated.
    const options = { ...sent, repeat: true, task: { offered: true } };
    await this.#connection.request('tasks/update', { taskId, inputResponses }, options);
  }

  /**
   * Cancels a task.
   *
   * @returns The state of the task, which 2025-11-25 returns; `undefined` if the server does not send it.
   */
  async cancel(taskId: string, sent: TaskSent): Promise<TaskState | undefined> {
    const { revision } = this;
    const offered = revision.tasks === 'extension';
    const options = { ...sent, repeat: true, task: { offered } };
    const result = await this.#connection.request('tasks/cancel', { taskId }, options);
    try {
      return toldTask(revision, taskId, result);
    } catch {
      // It was accepted. The state is polled.
      return undefined;
    }
  }
}

/** A result without the task metadata, as the plain call would have returned it. */
function unrelated(result: JsonObject): JsonObject {
  const { _meta, ...rest } = result;
  if (typeof _meta !== 'object' || _meta === null) return result;
  const { [metaKey.relatedTask]: _, ...own } = _meta as JsonObject;
  return Object.keys(own).length === 0 ? rest : { ...rest, _meta: own };
}
