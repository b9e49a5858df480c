/** The words of the protocol: its types in the newest revision, its revisions, its errors, and messages as they travel. */

export type {
  RequestId,
  RequestMessage,
  NotificationMessage,
  ResultMessage,
  ErrorMessage,
  ResponseMessage,
  Message,
} from './jsonrpc/message.ts';
export { messageText, parseMessage, type MessageReading } from './jsonrpc/encode.ts';
export { JsonError } from './json/parse.ts';
export {
  ConnectionError,
  type Channel,
  type ConnectionReason,
  type MessageOrigin,
  type Receiver,
  type SendOptions,
  type TransportAuthorization,
  type Transport,
  type TransportFacts,
} from './jsonrpc/transport.ts';
export {
  chosenRevisions,
  newestRevision,
  revisionOf,
  revisions,
  type Era,
  type Revision,
  type RevisionDate,
} from './protocol/revision.ts';
export { McpError, type ErrorName, type ErrorObject } from './protocol/error.ts';
export { metaKey } from './protocol/meta-key.ts';
export type {
  MetaObject,
  NotificationMetaObject,
  RelatedTaskMetadata,
  RequestMetaObject,
  ResultMetaObject,
} from './protocol/meta.ts';
export type { Annotations, Icon, Implementation, JsonObject, ProgressToken, Role } from './protocol/features/common.ts';
export type {
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
} from './protocol/features/content.ts';
export type {
  ClientCapabilities,
  ClientFlag,
  ClientTasksCapability,
  ElicitationCapability,
  ListCapability,
  ResourcesCapability,
  RootsCapability,
  SamplingCapability,
  ServerCapabilities,
  ServerTasksCapability,
} from './protocol/capability.ts';
export type {
  CancelledNotificationParams,
  DiscoverResult,
  InitializeRequestParams,
  InitializeResult,
  ProgressNotificationParams,
} from './protocol/features/lifecycle.ts';
export type {
  CallToolRequestParams,
  CallToolResult,
  ListToolsResult,
  Tool,
  ToolAnnotations,
  ToolExecution,
  ToolInputSchema,
  ToolOutputSchema,
} from './protocol/features/tools.ts';
export type {
  BlobResourceContents,
  ListResourceTemplatesResult,
  ListResourcesResult,
  ReadResourceRequestParams,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  ResourceUpdatedNotificationParams,
  SubscribeRequestParams,
  TextResourceContents,
  UnsubscribeRequestParams,
} from './protocol/features/resources.ts';
export type {
  GetPromptRequestParams,
  GetPromptResult,
  ListPromptsResult,
  Prompt,
  PromptArgument,
  PromptMessage,
} from './protocol/features/prompts.ts';
export type {
  CompleteRequestParams,
  CompleteResult,
  Completion,
  CompletionArgument,
  CompletionContext,
  PromptReference,
  ResourceTemplateReference,
} from './protocol/features/completion.ts';
export { loggingLevels, type LoggingLevel } from './protocol/features/logging-level.ts';
export type { LoggingMessageNotificationParams, SetLevelRequestParams } from './protocol/features/logging.ts';
export type {
  CreateMessageRequest,
  CreateMessageRequestParams,
  CreateMessageResult,
  ModelHint,
  ModelPreferences,
  SamplingMessage,
  SamplingMessageContentBlock,
  ToolChoice,
  ToolResultContent,
  ToolUseContent,
} from './protocol/features/sampling.ts';
export type {
  ElicitRequest,
  ElicitRequestFormParams,
  ElicitRequestParams,
  ElicitRequestURLParams,
  ElicitResult,
  ElicitValue,
  ElicitationCompleteNotificationParams,
} from './protocol/features/elicitation.ts';
export type { ListRootsRequest, ListRootsRequestParams, ListRootsResult, Root } from './protocol/features/roots.ts';
export type {
  InputRequest,
  InputRequests,
  InputRequiredResult,
  InputResponse,
  InputResponseRequestParams,
  InputResponses,
} from './protocol/features/rounds.ts';
export type {
  SubscriptionFilter,
  SubscriptionsAcknowledgedNotificationParams,
  SubscriptionsListenRequestParams,
  SubscriptionsListenResult,
  SubscriptionsListenResultMetaObject,
} from './protocol/features/subscriptions.ts';
export type { Method, MethodTypes, NotificationMethod, RequestMethod, RequestTypes } from './protocol/catalogue.ts';
export type { AnyResourceContents } from './protocol/features/resource.ts';
export type {
  CacheableResult,
  EmptyResult,
  NotificationParams,
  PaginatedRequestParams,
  PaginatedResult,
  RequestParams,
  Result,
} from './protocol/features/envelope.ts';
export type {
  BooleanSchema,
  EnumSchema,
  LegacyTitledEnumSchema,
  MultiSelectEnumSchema,
  NumberSchema,
  PrimitiveSchemaDefinition,
  RequestedSchema,
  SingleSelectEnumSchema,
  StringSchema,
  TitledMultiSelectEnumSchema,
  TitledSingleSelectEnumSchema,
  UntitledMultiSelectEnumSchema,
  UntitledSingleSelectEnumSchema,
} from './protocol/features/elicitation-schema.ts';
export type { TaskMetadata } from './protocol/features/task-metadata.ts';
export type {
  CancelTaskRequestParams,
  CancelTaskResult,
  DetailedTask,
  GetTaskPayloadRequestParams,
  GetTaskPayloadResult,
  GetTaskRequestParams,
  GetTaskResult,
  ListTasksResult,
  Task,
  TaskError,
  TaskNotificationParams,
  TaskStatus,
  TaskStatusNotificationParams,
  UpdateTaskRequestParams,
} from './protocol/features/tasks.ts';
