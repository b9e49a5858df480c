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
export {
  ConnectionError,
  type Channel,
  type ConnectionErrorOptions,
  type ConnectionReason,
  type MessageOrigin,
  type Receiver,
  type SendOptions,
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
export { McpError, type ErrorName, type ErrorObject, type McpErrorOptions } from './protocol/error.ts';
export { metaKey } from './protocol/meta-key.ts';
export type { MetaObject } from './protocol/meta.ts';
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
  ElicitationCapability,
  ResourcesCapability,
  RootsCapability,
  SamplingCapability,
  ServerCapabilities,
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
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceRequestParams,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  ResourceUpdatedNotificationParams,
  TextResourceContents,
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
  CompletionContext,
  PromptReference,
  ResourceTemplateReference,
} from './protocol/features/completion.ts';
export { loggingLevels, type LoggingLevel } from './protocol/features/logging-level.ts';
export type { LoggingMessageNotificationParams } from './protocol/features/logging.ts';
export type {
  CreateMessageRequestParams,
  CreateMessageResult,
  SamplingMessage,
  SamplingMessageContentBlock,
  ToolResultContent,
  ToolUseContent,
} from './protocol/features/sampling.ts';
export type {
  ElicitRequestFormParams,
  ElicitRequestParams,
  ElicitRequestURLParams,
  ElicitResult,
} from './protocol/features/elicitation.ts';
export type { ListRootsResult, Root } from './protocol/features/roots.ts';
export type {
  InputRequest,
  InputRequests,
  InputRequiredResult,
  InputResponse,
  InputResponses,
} from './protocol/features/rounds.ts';
export type { SubscriptionFilter } from './protocol/features/subscriptions.ts';
export type { MethodTypes } from './protocol/catalogue.ts';
