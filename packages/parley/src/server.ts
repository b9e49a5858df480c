/** Offering tools, resources and prompts to clients of every revision. */

export { McpError, type ErrorName } from './protocol/error.ts';
export { createServer, type Server } from './server/server.ts';
export type { RoundOptions, ServerOptions } from './server/definition/options.ts';
export type { RateLimits } from './server/rates/rate-limit.ts';
export type { RateLimit } from './storage/limits.ts';
export type {
  AskAsTaskOptions,
  AskedTask,
  AskOptions,
  CompleterContext,
  ToolContext,
  ClientInfo,
  Elicited,
  ElicitedUrl,
  RequestContext,
} from './server/definition/tool-context.ts';
export { extensionResult, type ExtensionResult } from './server/runtime/extension-result.ts';
export type { Extensions } from './protocol/extension.ts';
export type { ClientFlag } from './protocol/capability.ts';
export type {
  TaskContext,
  ServerTasks,
  TaskOptions,
  TaskSupport,
  TaskUse,
} from './server/definition/task-definition.ts';
export { runTasks, type RunTasksOptions } from './server/run-tasks.ts';
export type { TaskAudit } from './tasks/audit.ts';
export type { TaskExecutor, TaskTurn } from './tasks/executor.ts';
export type { TaskLimits, TaskTimes } from './tasks/limits.ts';
export { inputRequired, type InputRequired, type InputRequiredOptions } from './server/definition/input-required.ts';
export type {
  CommonDefinition,
  Completer,
  Completions,
  Definitions,
  Handle,
  InferArgs,
  InferParams,
  InferPromptArgs,
  MethodDefinition,
  MethodHandler,
  MethodReturn,
  PromptArguments,
  PromptDefinition,
  PromptHandler,
  PromptReturn,
  ReadReturn,
  ResourceDefinition,
  ResourceReader,
  ResourceTemplateDefinition,
  ResourceTemplateReader,
  ScopesFor,
  ToolDefinition,
  ToolHandler,
  ToolReturn,
} from './server/definition/definition.ts';
export type { SealingKey, SealingKeys } from './sealing/sealing-key.ts';
export type { SubscriptionLimits } from './server/definition/subscriptions.ts';
export type { ListKind } from './protocol/features/subscriptions.ts';
export { requireScopesOf } from './server/runtime/middleware/require-scopes-of.ts';
export { ToolError } from './server/definition/tool-result.ts';
export { urlElicitationRequired, type RequiredUrlElicitation } from './server/url-elicitation.ts';
export type { AnySchema, InferInput, InferOutput, JsonSchema, Written } from './schema/infer.ts';
export type { StandardSchema } from './schema/standard.ts';
export { answerReceived, toText, type BatchAnswer } from './server/runtime/batch.ts';
export type {
  UpstreamIdentityPolicy,
  AuthInfo,
  ClientConnection,
  RequestHandler,
  ReplyChannel,
  Servable,
  Exposure,
} from './server/runtime/request-handler.ts';
export type { CacheHint } from './protocol/features/envelope.ts';
export type { EventOfSession, OnEvent, RefusalReason, ServiceEvent } from './server/runtime/events/service-event.ts';
export type {
  Middleware,
  MiddlewareContext,
  MiddlewareAuth,
  MiddlewareSession,
  HasMiddleware,
} from './connection/middleware/middleware.ts';
