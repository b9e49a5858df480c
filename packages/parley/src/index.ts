/** Names that most programs need; it runs anywhere. Node's edges are in `parley-mcp/node` and `parley-mcp/stdio`. */

export { createServer, type Server } from './server/server.ts';
export type { ServerOptions } from './server/definition/options.ts';
export type { ToolContext } from './server/definition/tool-context.ts';
export type {
  Handle,
  ToolDefinition,
  ResourceDefinition,
  ResourceTemplateDefinition,
  PromptDefinition,
} from './server/definition/definition.ts';
export { ToolError } from './server/definition/tool-result.ts';
export { connect } from './client.ts';
export type { Client } from './client/api/client.ts';
export type { ConnectOptions } from './client/api/options.ts';
export type { RequestOptions } from './client/api/request-options.ts';
export { createBridge } from './bridge.ts';
export { createHandler, type FetchHandler } from './transports/http/server/fetch.ts';
export { httpTransport } from './transports/http/client/transport.ts';
export type { HttpTransportOptions } from './transports/http/client/request.ts';
export type { HttpOptions } from './transports/http/server/exchanges/options.ts';
export { ConnectionError, type ConnectionReason, type Transport } from './jsonrpc/transport.ts';
export { McpError, type ErrorName } from './protocol/error.ts';
export { newestRevision, revisions, type Revision, type RevisionDate } from './protocol/revision.ts';
export type { Servable } from './server/runtime/request-handler.ts';
// Not among the names of a server, each of which a bundler would begin with it.
export { memoryTasks, type MemoryTasksOptions } from './storage/memory-tasks.ts';
export { memoryStore, type MemoryStoreOptions } from './storage/memory/store.ts';
export { StoreError, type Store } from './storage/store.ts';
export type { StoredRecord, Records } from './storage/records.ts';
export type { StoredEvent, StreamLog, StreamLogs, StreamTail, StreamWriter } from './storage/stream-log.ts';
export type { Bus, CountingBus, SubscriberCount, Unsubscribe } from './storage/bus.ts';
export type { Limits, RateLimit, RateDecision } from './storage/limits.ts';
export type { MaybePromise } from './storage/maybe-promise.ts';
export type { Middleware, MiddlewareContext } from './connection/middleware/middleware.ts';
