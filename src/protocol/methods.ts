/** What each method carries, for the compiler. */

import type { CompleteRequestParams, CompleteResult } from './features/completion.ts';
import type {
  ElicitationCompleteNotificationParams,
  ElicitRequestParams,
  ElicitResult,
} from './features/elicitation.ts';
import type { EmptyResult, NotificationParams, PaginatedRequestParams, RequestParams } from './features/envelope.ts';
import type {
  CancelledNotificationParams,
  DiscoverResult,
  InitializeRequestParams,
  InitializeResult,
  ProgressNotificationParams,
} from './features/lifecycle.ts';
import type { LoggingMessageNotificationParams, SetLevelRequestParams } from './features/logging.ts';
import type { GetPromptRequestParams, GetPromptResult, ListPromptsResult } from './features/prompts.ts';
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceRequestParams,
  ReadResourceResult,
  ResourceUpdatedNotificationParams,
  SubscribeRequestParams,
  UnsubscribeRequestParams,
} from './features/resources.ts';
import type { ListRootsRequestParams, ListRootsResult } from './features/roots.ts';
import type { CreateMessageRequestParams, CreateMessageResult } from './features/sampling.ts';
import type {
  SubscriptionsAcknowledgedNotificationParams,
  SubscriptionsListenRequestParams,
  SubscriptionsListenResult,
} from './features/subscriptions.ts';
import type {
  CancelTaskRequestParams,
  CancelTaskResult,
  GetTaskPayloadRequestParams,
  GetTaskPayloadResult,
  GetTaskRequestParams,
  GetTaskResult,
  ListTasksResult,
  TaskNotificationParams,
  TaskStatusNotificationParams,
  UpdateTaskRequestParams,
} from './features/tasks.ts';
import type { CallToolRequestParams, CallToolResult, ListToolsResult } from './features/tools.ts';

/** The parameters and result of every request. */
export interface RequestTypes {
  readonly initialize: { readonly params: InitializeRequestParams; readonly result: InitializeResult };
  readonly 'server/discover': { readonly params: RequestParams; readonly result: DiscoverResult };
  readonly ping: { readonly params: RequestParams; readonly result: EmptyResult };
  readonly 'tools/list': { readonly params: PaginatedRequestParams; readonly result: ListToolsResult };
  readonly 'tools/call': { readonly params: CallToolRequestParams; readonly result: CallToolResult };
  readonly 'resources/list': { readonly params: PaginatedRequestParams; readonly result: ListResourcesResult };
  readonly 'resources/templates/list': {
    readonly params: PaginatedRequestParams;
    readonly result: ListResourceTemplatesResult;
  };
  readonly 'resources/read': { readonly params: ReadResourceRequestParams; readonly result: ReadResourceResult };
  readonly 'resources/subscribe': { readonly params: SubscribeRequestParams; readonly result: EmptyResult };
  readonly 'resources/unsubscribe': { readonly params: UnsubscribeRequestParams; readonly result: EmptyResult };
  readonly 'prompts/list': { readonly params: PaginatedRequestParams; readonly result: ListPromptsResult };
  readonly 'prompts/get': { readonly params: GetPromptRequestParams; readonly result: GetPromptResult };
  readonly 'completion/complete': { readonly params: CompleteRequestParams; readonly result: CompleteResult };
  readonly 'logging/setLevel': { readonly params: SetLevelRequestParams; readonly result: EmptyResult };
  readonly 'sampling/createMessage': {
    readonly params: CreateMessageRequestParams;
    readonly result: CreateMessageResult;
  };
  readonly 'elicitation/create': { readonly params: ElicitRequestParams; readonly result: ElicitResult };
  readonly 'roots/list': { readonly params: ListRootsRequestParams; readonly result: ListRootsResult };
  readonly 'subscriptions/listen': {
    readonly params: SubscriptionsListenRequestParams;
    readonly result: SubscriptionsListenResult;
  };
  readonly 'tasks/get': { readonly params: GetTaskRequestParams; readonly result: GetTaskResult };
  readonly 'tasks/result': { readonly params: GetTaskPayloadRequestParams; readonly result: GetTaskPayloadResult };
  readonly 'tasks/list': { readonly params: PaginatedRequestParams; readonly result: ListTasksResult };
  readonly 'tasks/cancel': { readonly params: CancelTaskRequestParams; readonly result: CancelTaskResult };
  readonly 'tasks/update': { readonly params: UpdateTaskRequestParams; readonly result: EmptyResult };
}

/** The parameters of every notification. */
export interface NotificationTypes {
  readonly 'notifications/initialized': { readonly params: NotificationParams };
  readonly 'notifications/cancelled': { readonly params: CancelledNotificationParams };
  readonly 'notifications/progress': { readonly params: ProgressNotificationParams };
  readonly 'notifications/message': { readonly params: LoggingMessageNotificationParams };
  readonly 'notifications/tools/list_changed': { readonly params: NotificationParams };
  readonly 'notifications/resources/list_changed': { readonly params: NotificationParams };
  readonly 'notifications/resources/updated': { readonly params: ResourceUpdatedNotificationParams };
  readonly 'notifications/prompts/list_changed': { readonly params: NotificationParams };
  readonly 'notifications/roots/list_changed': { readonly params: NotificationParams };
  readonly 'notifications/elicitation/complete': { readonly params: ElicitationCompleteNotificationParams };
  readonly 'notifications/subscriptions/acknowledged': { readonly params: SubscriptionsAcknowledgedNotificationParams };
  readonly 'notifications/tasks/status': { readonly params: TaskStatusNotificationParams };
  readonly 'notifications/tasks': { readonly params: TaskNotificationParams };
}

/** What every method carries. */
export interface MethodTypes extends RequestTypes, NotificationTypes {}

/** The name of a request. */
export type RequestMethod = keyof RequestTypes;

/** The name of a notification. */
export type NotificationMethod = keyof NotificationTypes;

/** The name of a method of the protocol. */
export type Method = keyof MethodTypes;
