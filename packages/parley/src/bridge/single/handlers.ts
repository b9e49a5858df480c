import type { Handler, ServerSession } from '../../server/runtime/server-core.ts';
import type { Call } from '../../server/runtime/call.ts';
import { methodsWith, type RequestTypes } from '../../protocol/catalogue.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { SubscriptionFilter } from '../../protocol/features/subscriptions.ts';
import { tasksExtension } from '../../protocol/features/tasks.ts';
import type { Tool } from '../../protocol/features/tool.ts';
import type { MethodRow } from '../../protocol/method.ts';
import type { Changes } from '../changes.ts';
import type { UpstreamTools } from '../known-tools.ts';
import { isTask, keepsTasks, taskFormBehind, wished, type TasksAsked } from '../tasks/task-forms.ts';
import type { LateTasks } from '../tasks/deferred-tasks.ts';
import type { LateKept } from '../tasks/stored/deferred-stored.ts';
import type { FollowedTasks } from '../tasks/task-listening.ts';
import type { Pool } from '../upstream/pool.ts';
import type { UpstreamWatches } from './watches.ts';

/** Parts that the handlers of a bridge work with. */
export interface BridgeParts {
  readonly pool: Pool;
  readonly tools: UpstreamTools;
  readonly changes: Changes;
  readonly watches: UpstreamWatches;
  readonly tasks: LateTasks;
  readonly kept: LateKept;
  /** Tools that run as tasks for clients of the extension. */
  readonly asked: TasksAsked;
}

type Handlers = {
  readonly [Method in keyof RequestTypes]?: (params: RequestTypes[Method]['params'], call: Call) => unknown;
};

/** The handlers of a bridge, by method. */
export function bridgeHandlers(parts: BridgeParts): ReadonlyMap<string, Handler> {
  const { pool, tools, watches, tasks, kept } = parts;
  const isKept = ({ facts }: Call): boolean => keepsTasks(facts, taskFormBehind(pool));
  const carry: Handler = (params, call) => pool.carry(params, call);
  const ofTasks: Handler = async (params, call) =>
    isKept(call) ? (await kept.load()).about(params, call) : (await tasks.load()).forwarded.about(params, call);
  const own: Handlers = {
    'tools/list': async (params, call) => {
      const page = tools.seen(await pool.carry({ ...params }, call));
      return isKept(call) ? asOptional(page) : page;
    },
    'tools/call': async (params, call) => {
      if (params.task !== undefined && isKept(call)) return (await kept.load()).created(params, call);
      const { asked } = parts;
      const form = taskFormBehind(pool);
      const sent = wished({ ...params }, call, { form, support: tools.taskSupport(params.name), tasks: asked });
      const result = await pool.carry(sent, call);
      if (isTask(result, taskFormBehind(pool), sent['task']))
        return (await tasks.load()).forwarded.created(result, call);
      return tools.fitted(result, params.name, call.facts);
    },
    'logging/setLevel': async ({ level }, call) => {
      // Before its first call, a session has no connection yet. The level is sent when that opens.
      await pool.setLevel(level, sessionOf(call), call);
      return {};
    },
    'resources/subscribe': ({ uri }, call) => watches.watch(uri, sessionOf(call), call.signal),
    'resources/unsubscribe': ({ uri }, call) => watches.unwatch(uri, sessionOf(call)),
    'subscriptions/listen': ({ notifications }, call) => {
      const listen = listening(parts);
      const isOfTasks = notifications.taskIds !== undefined && taskFormBehind(pool) !== 'none';
      if (!isOfTasks) return listen(notifications, call);
      return tasks.load().then((loaded) => loaded.listen(notifications, call, listen));
    },
  };
  return new Map([
    ...methodsWith(({ carried }) => carried !== undefined).map((method): [string, Handler] => [method, carry]),
    ...requestsAboutTasks.map((method): [string, Handler] => [method, ofTasks]),
    // Each handler gets the parameters of its own method: the conversation read them by the method's row.
    ...(Object.entries(own) as [string, Handler][]),
  ]);
}

/** A page of tools each of which may be called as a task. (Spec 2025-11-25, Tasks, Tool-Level Negotiation.) */
function asOptional(page: JsonObject): JsonObject {
  // The page was read as the result of tools/list.
  const tools = page['tools'] as readonly Tool[];
  return { ...page, tools: tools.map((tool) => ({ ...tool, execution: { taskSupport: 'optional' } })) };
}

/** The requests about tasks. */
export const requestsAboutTasks: readonly string[] = methodsWith((row) => row.kind === 'request' && isOfTasks(row));

function isOfTasks({ needs, extension }: MethodRow): boolean {
  return extension?.id === tasksExtension || needs?.split('.')[0] === 'tasks';
}

/** Serves listen requests, with the tasks that they are about. */
function listening({ changes, watches }: BridgeParts) {
  return (asked: SubscriptionFilter, call: Call, followed?: FollowedTasks): Promise<JsonObject> => {
    const { resourceSubscriptions = [], ...others } = changes.honored(asked);
    const filter = { ...others, ...(followed === undefined ? {} : { taskIds: followed.taskIds }) };
    if (resourceSubscriptions.length > 0) return watches.listen(call, { ...filter, resourceSubscriptions }, followed);
    const ended = changes.listen(call, filter, followed?.until);
    followed?.acknowledged();
    return ended;
  };
}

/** The session of a call whose method exists only in session-based revisions. */
function sessionOf({ session }: Call): ServerSession {
  // The gate lets such a method pass in a session alone.
  return session as ServerSession;
}
