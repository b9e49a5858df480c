/** The client: `connect` and what it gives. */
import { createConnect, type Connect } from './client/connect.ts';
import { httpTransport } from './transports/http/client/transport.ts';
import { transportOptionNames, type HttpTransportOptions } from './transports/http/client/request.ts';

/**
 * Connects to a server over HTTP by its URL, or over any transport, in the newest revision that both sides speak.
 *
 * @example
 * const client = await connect('http://127.0.0.1:3000/mcp');
 * const tools = await client.listTools();
 * await client.close();
 */
export const connect: Connect<HttpTransportOptions> = createConnect<HttpTransportOptions>({
  http: httpTransport,
  options: transportOptionNames,
});

export type {
  Client,
  ClientRequestOptions,
  CompleteOptions,
  ExtensionRequestOptions,
  TypedRequestOptions,
} from './client/api/client.ts';
export type { Extensions } from './protocol/extension.ts';
export type { AnySchema, InferOutput } from './schema/infer.ts';
export type { InputMethod, ListItems, ListMethod } from './protocol/catalogue.ts';
export type { CacheOptions } from './client/api/cache-options.ts';
export type { RecoverOptions } from './client/api/recover-options.ts';
export type { Connect } from './client/connect.ts';
export { InputRequiredError, OutputValidationError, TooManyRoundsError, urlElicitations } from './client/api/errors.ts';
export type { ElicitAnswer, InputAnswer, RootsAnswer, SampleAnswer } from './client/api/input-handlers.ts';
export type { ClientTasksOptions } from './client/api/client-tasks-options.ts';
export type { InputContext, InputHandlers, RootsSource } from './client/api/input-handlers.ts';
export type { UrlElicitation } from './client/api/input-handlers.ts';
export type { InputAnswers } from './client/api/input-handlers.ts';
export type { CompleteStep, InputRequiredStep, Step } from './client/api/step.ts';
export type { ConnectOptions, NotificationContext } from './client/api/options.ts';
export { TaskCancelledError, TaskGoneError, TaskInputRequiredError } from './client/api/task-errors.ts';
export type {
  StartTaskOptions,
  TaskHandle,
  TaskReference,
  TaskRequestOptions,
  TaskUpdate,
  TaskWaitOptions,
  ToolCallOptions,
} from './client/api/task-handle.ts';
export type { TaskStatus } from './protocol/features/tasks.ts';
export { combinedHint, type Page } from './client/api/pages.ts';
export type { Subscription, SubscriptionEnd, SubscriptionEvent, Topics } from './client/api/subscription.ts';
export type { ListKind } from './protocol/features/subscriptions.ts';
export type { SubscribeOptions } from './client/api/subscription.ts';
export type { CacheStore } from './storage/cache.ts';
export { memoryCacheStore, type MemoryCacheOptions } from './storage/memory/cache.ts';
export { httpTransport } from './transports/http/client/transport.ts';
export type { HttpTransportOptions } from './transports/http/client/request.ts';
export { ConnectionError, type ConnectionReason } from './jsonrpc/transport.ts';
export type { RequestOptions } from './client/api/request-options.ts';
export { IncompatibleError } from './client/connection/incompatible.ts';
export type { Negotiated } from './client/api/negotiated.ts';
export type { Progress } from './connection/progress.ts';
export type { ProgressToken } from './protocol/features/common.ts';
export { McpError, type ErrorName } from './protocol/error.ts';
export type { CacheHint } from './protocol/features/envelope.ts';
export type {
  Middleware,
  MiddlewareContext,
  MiddlewareAuth,
  MiddlewareSession,
  HasMiddleware,
} from './connection/middleware/middleware.ts';
