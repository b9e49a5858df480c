/**
 * Requests that outlive their exchange. Two surfaces share the name: the core of 2025-11-25, which either side may
 * host and the requestor asks for, and the extension of 2026-07-28, where the server alone decides. Fields of one
 * are absent in the other; `ttl` and `pollInterval` of the core are `ttlMs` and `pollIntervalMs` of the extension.
 */

import { coreTasks } from '../capability.ts';
import type { JsonObject } from './common.ts';
import {
  notificationRows,
  requestRows,
  resultMeta,
  resultRows,
  resultType,
  type NotificationParams,
  type RequestParams,
  type Result,
  paginatedRequestParamsShape,
  emptyResultShape,
  type PaginatedRequestParams,
  type EmptyResult,
} from './envelope.ts';
import { from, never, type Lifetime } from '../lifetime.ts';
import type { ResultMetaObject } from '../meta.ts';
import type { MethodRows, NotificationOf, RequestOf } from '../method.ts';
import { inputRequests, inputResponse, type InputRequests, type InputResponses } from './rounds.ts';
import {
  any,
  array,
  between,
  filled,
  integer,
  literal,
  looseMap,
  nil,
  object,
  oneOf,
  optional,
  ref,
  requiredIn,
  shape,
  since,
  string,
  type Row,
  type RowsOf,
  type ShapeOf,
} from '../shape.ts';

export type { TaskMetadata } from './task-metadata.ts';
export type { RelatedTaskMetadata } from '../meta.ts';

/** The id of the extension. */
export const tasksExtension: 'io.modelcontextprotocol/tasks' = 'io.modelcontextprotocol/tasks';

/** The state of a task; the last three never change again. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** A task as both surfaces describe it. */
export interface Task {
  /** The id of the task. */
  readonly taskId: string;
  /** The status of the task. */
  readonly status: TaskStatus;
  /** A text about the status. */
  readonly statusMessage?: string;
  /** An ISO 8601 time. */
  readonly createdAt: string;
  /** An ISO 8601 time. */
  readonly lastUpdatedAt: string;
  /** Time that the task is kept from its creation, in milliseconds; null is without limit. Core; filled in as null. */
  readonly ttl?: number | null;
  /** Interval at which to ask, in milliseconds. Core. */
  readonly pollInterval?: number;
  /**
   * Time that the task is kept from its creation, in milliseconds; null is without limit. Extension; filled in as null.
   */
  readonly ttlMs?: number | null;
  /** Interval at which to ask, in milliseconds. Extension. */
  readonly pollIntervalMs?: number;
}

/** The JSON-RPC error that a task failed with. */
export interface TaskError {
  /** The code of the error. */
  readonly code: number;
  /** A short description of the failure. */
  readonly message: string;
  /** More about the error, as JSON. */
  readonly data?: unknown;
}

/** A task with its outcome, or what it waits for. The additions are the extension's. */
export interface DetailedTask extends Task {
  /** Everything that the task waits for; with `input_required`. */
  readonly inputRequests?: InputRequests;
  /** Result that the request would have had; with `completed`. */
  readonly result?: JsonObject;
  /** With `failed`. */
  readonly error?: TaskError;
}

/** The parameters of `tasks/get`. */
export interface GetTaskRequestParams extends RequestParams {
  /** The id of the task. */
  readonly taskId: string;
}

/** The parameters of `tasks/result`. Core. */
export interface GetTaskPayloadRequestParams extends RequestParams {
  /** The id of the task. */
  readonly taskId: string;
}

/** The parameters of `tasks/cancel`. */
export interface CancelTaskRequestParams extends RequestParams {
  /** The id of the task. */
  readonly taskId: string;
}

/** The parameters of `tasks/update`. Extension. */
export interface UpdateTaskRequestParams extends RequestParams {
  /** The id of the task. */
  readonly taskId: string;
  /** The answers, by the keys of the requests. */
  readonly inputResponses: InputResponses;
}

/** The result that stands for a task: nested in the core, flat in the extension. */
export interface CreateTaskResult extends Partial<Task> {
  /** Core. */
  readonly task?: Task;
  readonly _meta?: ResultMetaObject;
  /** Extension; filled in as `task`. */
  readonly resultType?: string;
}

/** The result of `tasks/get`. */
export interface GetTaskResult extends DetailedTask, Result {}

/** The result of `tasks/result`: that of the request that became a task. Core. */
export interface GetTaskPayloadResult {
  /** Metadata that the protocol or an extension defines. */
  readonly _meta?: ResultMetaObject;
}

/** The result of `tasks/list`. Core. */
export interface ListTasksResult {
  /** The tasks of this page. */
  readonly tasks: readonly Task[];
  /** The cursor of the next page; absent on the last one. */
  readonly nextCursor?: string;
  /** Metadata that the protocol or an extension defines. */
  readonly _meta?: ResultMetaObject;
}

/** The result of `tasks/cancel`: the task in the core, empty in the extension. */
export interface CancelTaskResult extends Partial<Task>, Result {}

/** The parameters of `notifications/tasks/status`. Core. */
export interface TaskStatusNotificationParams extends Task, NotificationParams {}

/** The parameters of `notifications/tasks`. Extension. */
export interface TaskNotificationParams extends DetailedTask, NotificationParams {}

const tasks: Lifetime = from('2025-11-25');
const extension: Lifetime = from('2026-07-28');
const status: Row<TaskStatus, 'required'> = literal('working', 'input_required', 'completed', 'failed', 'cancelled');
const lifespan: Row<number | null, 'required'> = oneOf(integer, nil);

const taskRows: RowsOf<Task> = {
  taskId: string,
  status,
  statusMessage: optional(string),
  createdAt: string,
  lastUpdatedAt: string,
  ttl: filled(between('2025-11-25', '2026-07-28', lifespan), null),
  pollInterval: between('2025-11-25', '2026-07-28', optional(integer)),
  ttlMs: filled(since('2026-07-28', lifespan), null),
  pollIntervalMs: since('2026-07-28', optional(integer)),
};

/** The rows of a task where one surface has it flat: `life` is that surface's. */
function flatTask(life: Lifetime): RowsOf<Partial<Task>> {
  const needed = <T>(of: Row<T>): Row<T, 'optional'> => ({ ...requiredIn(of, life), life });
  return {
    ...taskRows,
    taskId: needed(string),
    status: needed(status),
    statusMessage: { ...taskRows.statusMessage, life },
    createdAt: needed(string),
    lastUpdatedAt: needed(string),
  };
}

export const taskShape: ShapeOf<Task> = shape('Task', taskRows, tasks);

export const taskErrorShape: ShapeOf<TaskError> = shape(
  'TaskError',
  { code: integer, message: string, data: optional(any) },
  extension,
);

const detailedTaskRows: RowsOf<DetailedTask> = {
  ...taskRows,
  inputRequests: since('2026-07-28', optional(inputRequests)),
  result: since('2026-07-28', optional(object)),
  error: since('2026-07-28', optional(ref(taskErrorShape))),
};

export const detailedTaskShape: ShapeOf<DetailedTask> = shape('DetailedTask', detailedTaskRows, extension);

const byTask: RowsOf<GetTaskRequestParams> = { ...requestRows, taskId: string };

export const getTaskRequestParamsShape: ShapeOf<GetTaskRequestParams> = shape('GetTaskRequestParams', byTask, tasks);
export const cancelTaskRequestParamsShape: ShapeOf<CancelTaskRequestParams> = shape(
  'CancelTaskRequestParams',
  byTask,
  tasks,
);
export const getTaskPayloadRequestParamsShape: ShapeOf<GetTaskPayloadRequestParams> = shape(
  'GetTaskPayloadRequestParams',
  byTask,
  coreTasks,
);

export const updateTaskRequestParamsShape: ShapeOf<UpdateTaskRequestParams> = shape(
  'UpdateTaskRequestParams',
  { ...byTask, inputResponses: looseMap(inputResponse) },
  extension,
);

export const createTaskResultShape: ShapeOf<CreateTaskResult> = shape(
  'CreateTaskResult',
  {
    _meta: resultMeta,
    task: between('2025-11-25', '2026-07-28', requiredIn(ref(taskShape), coreTasks)),
    resultType: resultType('task'),
    ...flatTask(extension),
    ttl: { ...taskRows.ttl, life: never },
    pollInterval: { ...taskRows.pollInterval, life: never },
  },
  tasks,
);

export const getTaskResultShape: ShapeOf<GetTaskResult> = shape(
  'GetTaskResult',
  { ...resultRows, ...detailedTaskRows },
  tasks,
);

export const getTaskPayloadResultShape: ShapeOf<GetTaskPayloadResult> = shape(
  'GetTaskPayloadResult',
  { _meta: resultMeta },
  coreTasks,
);

export const listTasksResultShape: ShapeOf<ListTasksResult> = shape(
  'ListTasksResult',
  { tasks: array(ref(taskShape)), nextCursor: optional(string), _meta: resultMeta },
  coreTasks,
);

export const cancelTaskResultShape: ShapeOf<CancelTaskResult> = shape(
  'CancelTaskResult',
  {
    ...resultRows,
    ...flatTask(coreTasks),
    ttlMs: { ...taskRows.ttlMs, life: never },
    pollIntervalMs: { ...taskRows.pollIntervalMs, life: never },
  },
  tasks,
);

export const taskStatusNotificationParamsShape: ShapeOf<TaskStatusNotificationParams> = shape(
  'TaskStatusNotificationParams',
  { ...taskRows, ...notificationRows },
  coreTasks,
);

export const taskNotificationParamsShape: ShapeOf<TaskNotificationParams> = shape(
  'TaskNotificationParams',
  { ...detailedTaskRows, ...notificationRows },
  extension,
);

/** The methods of tasks, with what they carry. */
export interface TaskMethods {
  readonly 'tasks/get': RequestOf<GetTaskRequestParams, GetTaskResult>;
  readonly 'tasks/cancel': RequestOf<CancelTaskRequestParams, CancelTaskResult>;
  readonly 'tasks/result': RequestOf<GetTaskPayloadRequestParams, GetTaskPayloadResult>;
  readonly 'tasks/list': RequestOf<PaginatedRequestParams, ListTasksResult>;
  readonly 'tasks/update': RequestOf<UpdateTaskRequestParams, EmptyResult>;
  readonly 'notifications/tasks/status': NotificationOf<TaskStatusNotificationParams>;
  readonly 'notifications/tasks': NotificationOf<TaskNotificationParams>;
}

export const taskMethods: MethodRows<TaskMethods> = {
  'tasks/get': {
    kind: 'request',
    needs: 'tasks',
    from: 'both',
    narrowed: { from: 'client', lifetime: extension },
    lifetime: tasks,
    extension: { id: tasksExtension, lifetime: extension },
    params: getTaskRequestParamsShape,
    result: getTaskResultShape,
    nameParam: 'taskId',
    leaves: 'nothing',
  },
  'tasks/cancel': {
    kind: 'request',
    needs: 'tasks.cancel',
    from: 'both',
    narrowed: { from: 'client', lifetime: extension },
    lifetime: tasks,
    extension: { id: tasksExtension, lifetime: extension },
    params: cancelTaskRequestParamsShape,
    result: cancelTaskResultShape,
    nameParam: 'taskId',
  },
  'tasks/result': {
    kind: 'request',
    needs: 'tasks',
    from: 'both',
    lifetime: coreTasks,
    params: getTaskPayloadRequestParamsShape,
    result: getTaskPayloadResultShape,
    leaves: 'nothing',
  },
  'tasks/list': {
    kind: 'request',
    needs: 'tasks.list',
    from: 'both',
    lifetime: coreTasks,
    params: paginatedRequestParamsShape,
    result: listTasksResultShape,
    leaves: 'nothing',
  },
  'tasks/update': {
    kind: 'request',
    from: 'client',
    lifetime: extension,
    extension: { id: tasksExtension, lifetime: extension },
    params: updateTaskRequestParamsShape,
    result: emptyResultShape,
    nameParam: 'taskId',
  },
  'notifications/tasks/status': {
    kind: 'notification',
    from: 'both',
    lifetime: coreTasks,
    params: taskStatusNotificationParamsShape,
  },
  'notifications/tasks': {
    kind: 'notification',
    from: 'server',
    lifetime: extension,
    extension: { id: tasksExtension, lifetime: extension },
    params: taskNotificationParamsShape,
  },
};
