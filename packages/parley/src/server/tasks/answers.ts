import type { Call } from '../runtime/call.ts';
import type { Handler } from '../runtime/server-core.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { notFound } from '../../connection/gate.ts';
import { McpError } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { UpdateTaskRequestParams } from '../../protocol/features/tasks.ts';
import type { CallToolRequestParams } from '../../protocol/features/tools.ts';
import type { ServerParts } from '../parts/parts.ts';
import { mapMaybe, type MaybePromise } from '../../storage/maybe-promise.ts';
import { ofSubscription } from '../definition/subscriptions.ts';
import type { TaskCalls } from './calls.ts';
import type { TaskServing } from './serving.ts';

/** Answers the requests of a server that tasks concern. */
export class TaskAnswers {
  readonly serving: TaskServing;
  readonly #calls: TaskCalls;
  readonly #parts: ServerParts;

  constructor(serving: TaskServing, calls: TaskCalls, parts: ServerParts) {
    this.serving = serving;
    this.#calls = calls;
    this.#parts = parts;
  }

  /**
   * Answers a request whose parameters its method's row has read.
   *
   * @param plain The handler of a server without tasks.
   */
  answer(params: JsonObject, call: Call, plain: Handler | undefined): unknown {
    const { method } = call;
    if (method === 'tools/call') {
      const run = (face: Pick<Call, 'requester'> = call): unknown => plain?.(params, face as Call);
      return this.#calls.run(params as unknown as CallToolRequestParams, call, run);
    }
    if (method === 'subscriptions/listen') return this.#listen(params, call, plain);
    return mapMaybe(this.#count(call), () => this.#about(params, call));
  }

  /** @throws McpError busy if a client exceeds the rate limit. */
  #count(call: Call): MaybePromise<void> {
    return mapMaybe(
      mapMaybe(this.#parts.rated.rates(), (of) => of.tasks(call)),
      (mayAsk) => {
        if (!mayAsk) throw new McpError('busy', 'too many requests about tasks in a short time');
      },
    );
  }

  #about(params: JsonObject, call: Call): unknown {
    const taskId = String(params['taskId']);
    switch (call.method) {
      case 'tasks/get':
        return this.serving.get(taskId, call);
      case 'tasks/update':
        return this.serving.update(params as unknown as UpdateTaskRequestParams, call);
      case 'tasks/cancel':
        return this.serving.cancel(taskId, call);
      case 'tasks/result':
        return this.serving.result(taskId, call);
      case 'tasks/list': {
        const { cursor } = params as { readonly cursor?: string };
        return this.serving.list(cursor, call, this.#parts.options.pageSize);
      }
      default:
        throw notFound(call.method, 'is not served here');
    }
  }

  async #listen(params: JsonObject, call: Call, plain: Handler | undefined): Promise<unknown> {
    const filter = isObject(params['notifications']) ? params['notifications'] : {};
    const { taskIds } = filter as { readonly taskIds?: readonly string[] };
    if (taskIds === undefined) return plain?.(params, call);
    await this.#count(call);
    const { resourcesPerClient } = this.#parts.options.subscriptions;
    const followed = await this.serving.follow(taskIds.slice(0, resourcesPerClient), call, (task) =>
      call.send('notifications/tasks', { ...task, ...ofSubscription(call.requestId) }),
    );
    try {
      // The acknowledgement is sent before any task notification.
      const ended = plain?.({ ...params, notifications: { ...filter, taskIds: followed.taskIds } }, call);
      followed.begin();
      return await ended;
    } finally {
      followed.end();
    }
  }
}
