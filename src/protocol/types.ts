/** Every named type of the protocol. */

import type {
  ClientCapabilities,
  ClientTaskRequests,
  ClientTasksCapability,
  ElicitationCapability,
  ResourcesCapability,
  RootsCapability,
  SamplingCapability,
  ServerCapabilities,
  ServerTaskRequests,
  ServerTasksCapability,
} from './capability.ts';
import type { Annotations, Icon, Implementation } from './features/common.ts';
import type {
  CompleteRequestParams,
  CompleteResult,
  Completion,
  CompletionArgument,
  CompletionContext,
  PromptReference,
  ResourceTemplateReference,
} from './features/completion.ts';
import type {
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
} from './features/content.ts';
import type {
  BooleanSchema,
  LegacyTitledEnumSchema,
  NumberSchema,
  PrimitiveSchemaDefinition,
  RequestedSchema,
  StringSchema,
  TitledMultiSelectEnumSchema,
  TitledOption,
  TitledOptions,
  TitledSingleSelectEnumSchema,
  UntitledMultiSelectEnumSchema,
  UntitledOptions,
  UntitledSingleSelectEnumSchema,
} from './features/elicitation-schema.ts';
import type {
  ElicitRequest,
  ElicitRequestFormParams,
  ElicitRequestParams,
  ElicitRequestURLParams,
  ElicitResult,
  ElicitationCompleteNotificationParams,
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
import type { NotificationMetaObject, RelatedTaskMetadata, RequestMetaObject, ResultMetaObject } from './meta.ts';
import type {
  GetPromptRequestParams,
  GetPromptResult,
  ListPromptsResult,
  Prompt,
  PromptArgument,
  PromptMessage,
} from './features/prompts.ts';
import type {
  AnyResourceContents,
  BlobResourceContents,
  Resource,
  ResourceTemplate,
  TextResourceContents,
} from './features/resource.ts';
import type {
  ListResourceTemplatesResult,
  ListResourcesResult,
  ReadResourceRequestParams,
  ReadResourceResult,
  ResourceUpdatedNotificationParams,
  SubscribeRequestParams,
  UnsubscribeRequestParams,
} from './features/resources.ts';
import type { ListRootsRequest, ListRootsRequestParams, ListRootsResult, Root } from './features/roots.ts';
import type {
  InputRequest,
  InputRequests,
  InputRequiredResult,
  InputResponse,
  InputResponseRequestParams,
  InputResponses,
} from './features/rounds.ts';
import type {
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
} from './features/sampling.ts';
import type {
  SubscriptionFilter,
  SubscriptionsAcknowledgedNotificationParams,
  SubscriptionsListenRequestParams,
  SubscriptionsListenResult,
  SubscriptionsListenResultMetaObject,
} from './features/subscriptions.ts';
import type { TaskMetadata } from './features/task-metadata.ts';
import type {
  CancelTaskRequestParams,
  CancelTaskResult,
  CreateTaskResult,
  DetailedTask,
  GetTaskPayloadRequestParams,
  GetTaskPayloadResult,
  GetTaskRequestParams,
  GetTaskResult,
  ListTasksResult,
  Task,
  TaskError,
  TaskNotificationParams,
  TaskStatusNotificationParams,
  UpdateTaskRequestParams,
} from './features/tasks.ts';
import type { Tool, ToolAnnotations, ToolExecution, ToolInputSchema, ToolOutputSchema } from './features/tool.ts';
import type { CallToolRequestParams, CallToolResult, ListToolsResult } from './features/tools.ts';

/** The types of the canonical model by the name that `toWire`, `fromWire` and `check` take. */
export interface Types {
  readonly Annotations: Annotations;
  readonly AnyResourceContents: AnyResourceContents;
  readonly AudioContent: AudioContent;
  readonly BlobResourceContents: BlobResourceContents;
  readonly BooleanSchema: BooleanSchema;
  readonly CallToolRequestParams: CallToolRequestParams;
  readonly CallToolResult: CallToolResult;
  readonly CancelTaskRequestParams: CancelTaskRequestParams;
  readonly CancelTaskResult: CancelTaskResult;
  readonly CancelledNotificationParams: CancelledNotificationParams;
  readonly ClientCapabilities: ClientCapabilities;
  readonly ClientTaskRequests: ClientTaskRequests;
  readonly ClientTasksCapability: ClientTasksCapability;
  readonly CompleteRequestParams: CompleteRequestParams;
  readonly CompleteResult: CompleteResult;
  readonly Completion: Completion;
  readonly CompletionArgument: CompletionArgument;
  readonly CompletionContext: CompletionContext;
  readonly ContentBlock: ContentBlock;
  readonly CreateMessageRequest: CreateMessageRequest;
  readonly CreateMessageRequestParams: CreateMessageRequestParams;
  readonly CreateMessageResult: CreateMessageResult;
  readonly CreateTaskResult: CreateTaskResult;
  readonly DetailedTask: DetailedTask;
  readonly DiscoverResult: DiscoverResult;
  readonly ElicitRequest: ElicitRequest;
  readonly ElicitRequestFormParams: ElicitRequestFormParams;
  readonly ElicitRequestParams: ElicitRequestParams;
  readonly ElicitRequestURLParams: ElicitRequestURLParams;
  readonly ElicitResult: ElicitResult;
  readonly ElicitationCapability: ElicitationCapability;
  readonly ElicitationCompleteNotificationParams: ElicitationCompleteNotificationParams;
  readonly EmbeddedResource: EmbeddedResource;
  readonly EmptyResult: EmptyResult;
  readonly GetPromptRequestParams: GetPromptRequestParams;
  readonly GetPromptResult: GetPromptResult;
  readonly GetTaskPayloadRequestParams: GetTaskPayloadRequestParams;
  readonly GetTaskPayloadResult: GetTaskPayloadResult;
  readonly GetTaskRequestParams: GetTaskRequestParams;
  readonly GetTaskResult: GetTaskResult;
  readonly Icon: Icon;
  readonly ImageContent: ImageContent;
  readonly Implementation: Implementation;
  readonly InitializeRequestParams: InitializeRequestParams;
  readonly InitializeResult: InitializeResult;
  readonly InputRequest: InputRequest;
  readonly InputRequests: InputRequests;
  readonly InputRequiredResult: InputRequiredResult;
  readonly InputResponse: InputResponse;
  readonly InputResponseRequestParams: InputResponseRequestParams;
  readonly InputResponses: InputResponses;
  readonly LegacyTitledEnumSchema: LegacyTitledEnumSchema;
  readonly ListPromptsResult: ListPromptsResult;
  readonly ListResourceTemplatesResult: ListResourceTemplatesResult;
  readonly ListResourcesResult: ListResourcesResult;
  readonly ListRootsRequest: ListRootsRequest;
  readonly ListRootsRequestParams: ListRootsRequestParams;
  readonly ListRootsResult: ListRootsResult;
  readonly ListTasksResult: ListTasksResult;
  readonly ListToolsResult: ListToolsResult;
  readonly LoggingMessageNotificationParams: LoggingMessageNotificationParams;
  readonly ModelHint: ModelHint;
  readonly ModelPreferences: ModelPreferences;
  readonly NotificationMetaObject: NotificationMetaObject;
  readonly NotificationParams: NotificationParams;
  readonly NumberSchema: NumberSchema;
  readonly PaginatedRequestParams: PaginatedRequestParams;
  readonly PrimitiveSchemaDefinition: PrimitiveSchemaDefinition;
  readonly ProgressNotificationParams: ProgressNotificationParams;
  readonly Prompt: Prompt;
  readonly PromptArgument: PromptArgument;
  readonly PromptMessage: PromptMessage;
  readonly PromptReference: PromptReference;
  readonly ReadResourceRequestParams: ReadResourceRequestParams;
  readonly ReadResourceResult: ReadResourceResult;
  readonly RelatedTaskMetadata: RelatedTaskMetadata;
  readonly RequestMetaObject: RequestMetaObject;
  readonly RequestParams: RequestParams;
  readonly RequestedSchema: RequestedSchema;
  readonly Resource: Resource;
  readonly ResourceLink: ResourceLink;
  readonly ResourceTemplate: ResourceTemplate;
  readonly ResourceTemplateReference: ResourceTemplateReference;
  readonly ResourceUpdatedNotificationParams: ResourceUpdatedNotificationParams;
  readonly ResourcesCapability: ResourcesCapability;
  readonly ResultMetaObject: ResultMetaObject;
  readonly Root: Root;
  readonly RootsCapability: RootsCapability;
  readonly SamplingCapability: SamplingCapability;
  readonly SamplingMessage: SamplingMessage;
  readonly SamplingMessageContentBlock: SamplingMessageContentBlock;
  readonly ServerCapabilities: ServerCapabilities;
  readonly ServerTaskRequests: ServerTaskRequests;
  readonly ServerTasksCapability: ServerTasksCapability;
  readonly SetLevelRequestParams: SetLevelRequestParams;
  readonly StringSchema: StringSchema;
  readonly SubscribeRequestParams: SubscribeRequestParams;
  readonly SubscriptionFilter: SubscriptionFilter;
  readonly SubscriptionsAcknowledgedNotificationParams: SubscriptionsAcknowledgedNotificationParams;
  readonly SubscriptionsListenRequestParams: SubscriptionsListenRequestParams;
  readonly SubscriptionsListenResult: SubscriptionsListenResult;
  readonly SubscriptionsListenResultMetaObject: SubscriptionsListenResultMetaObject;
  readonly Task: Task;
  readonly TaskError: TaskError;
  readonly TaskMetadata: TaskMetadata;
  readonly TaskNotificationParams: TaskNotificationParams;
  readonly TaskStatusNotificationParams: TaskStatusNotificationParams;
  readonly TextContent: TextContent;
  readonly TextResourceContents: TextResourceContents;
  readonly TitledMultiSelectEnumSchema: TitledMultiSelectEnumSchema;
  readonly TitledOption: TitledOption;
  readonly TitledOptions: TitledOptions;
  readonly TitledSingleSelectEnumSchema: TitledSingleSelectEnumSchema;
  readonly Tool: Tool;
  readonly ToolAnnotations: ToolAnnotations;
  readonly ToolChoice: ToolChoice;
  readonly ToolExecution: ToolExecution;
  readonly ToolInputSchema: ToolInputSchema;
  readonly ToolOutputSchema: ToolOutputSchema;
  readonly ToolResultContent: ToolResultContent;
  readonly ToolUseContent: ToolUseContent;
  readonly UnsubscribeRequestParams: UnsubscribeRequestParams;
  readonly UntitledMultiSelectEnumSchema: UntitledMultiSelectEnumSchema;
  readonly UntitledOptions: UntitledOptions;
  readonly UntitledSingleSelectEnumSchema: UntitledSingleSelectEnumSchema;
  readonly UpdateTaskRequestParams: UpdateTaskRequestParams;
}

/** The name of a type of the protocol. */
export type TypeName = keyof Types;
