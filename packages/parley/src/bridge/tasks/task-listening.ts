import type { Call } from '../../server/runtime/call.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { SubscriptionFilter } from '../../protocol/features/subscriptions.ts';
import { maxResources, ownWords, subscribed } from '../changes.ts';
import { inPlaceOf, type AboutTask } from './forms.ts';
import type { Pool } from '../upstream/pool.ts';
import { requireTasks, type ForwardedTasks } from './forwarded-tasks.ts';
import type { TaskIds } from './task-ids.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { TaskListening, TaskStream } from './task-streams.ts';

/** Tasks that a listen stream is about. */
export interface FollowedTasks {
  readonly taskIds: readonly string[];
  /** Ends the stream in good order. */
  readonly until: Promise<unknown> | undefined;
  /** Called when the client has the acknowledgement. Nothing is sent before. */
  acknowledged(): void;
}

/** Serves a listen request, with the tasks that it is about. */
export type ListenWith = (asked: SubscriptionFilter, call: Call, followed: FollowedTasks) => Promise<JsonObject>;

/** Parts that listening to tasks needs. */
export interface TaskListeningParts {
  readonly pool: Pool;
  readonly ids: TaskIds;
  readonly forwarded: ForwardedTasks;
  readonly streams: { follow(upstream: Upstream, listening: TaskListening): Promise<TaskStream> };
}

/** Limit of messages that wait for the acknowledgement of a stream. */
const maxEarly = 1_000;

/**
 * Serves `subscriptions/listen` with tasks. Tasks of other clients do not exist for this one, and are left out of the
 * acknowledgement.
 *
 * @throws McpError missingRequiredClientCapability for a client that did not declare the extension.
 */
export async function listenToTasks(
  { pool, ids, forwarded, streams }: TaskListeningParts,
  { taskIds = [], ...others }: SubscriptionFilter,
  { call, listen }: { readonly call: Call; readonly listen: ListenWith },
): Promise<JsonObject> {
  requireTasks(call);
  const opened = await ids.openAll(taskIds.slice(0, maxResources), call.auth?.principal);
  const names = new Map(
    [...opened].filter(([, task]) => forwarded.isHere(task)).map(([id, { taskId }]) => [taskId, id]),
  );
  const callFor = (taskId: string): AboutTask => inPlaceOf(call, opened.get(names.get(taskId) ?? ''));
  let early: (readonly [method: string, params: JsonObject])[] | undefined = [];
  const send = (method: string, params: JsonObject): void => {
    if (early === undefined) call.send(method, subscribed(params, call));
    else if (early.length < maxEarly) early.push([method, params]);
  };
  const tell = (task: JsonObject): void =>
    send('notifications/tasks', { ...ownWords(task), taskId: names.get(String(task['taskId'])) });
  const { signal } = call;
  const stream =
    names.size === 0
      ? undefined
      : await streams.follow(pool.preferredBy(call), {
          call,
          signal,
          taskIds: [...names.keys()],
          names,
          callFor,
          tell,
          extension: (method, params) => send(method, ownWords(params)),
        });
  try {
    const agreed = [...names].filter(([taskId]) => stream?.agreed.has(taskId) === true).map(([, id]) => id);
    return await listen(others, call, {
      taskIds: agreed,
      until: agreed.length === 0 ? undefined : stream?.closed,
      acknowledged: () => {
        const waiting = early ?? [];
        early = undefined;
        for (const one of waiting) send(...one);
      },
    });
  } finally {
    stream?.close();
  }
}
