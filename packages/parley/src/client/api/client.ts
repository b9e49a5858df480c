import type { ConnectionError } from '../../jsonrpc/transport.ts';
import type { RequestOptions } from './request-options.ts';
import type { Negotiated } from './negotiated.ts';
import type { Implementation, JsonObject } from '../../protocol/features/common.ts';
import type { ServerCapabilities } from '../../protocol/capability.ts';
import type {
  CompleteRequestParams,
  CompleteResult,
  CompletionArgument,
  CompletionContext,
} from '../../protocol/features/completion.ts';
import type { LoggingLevel } from '../../protocol/features/logging-level.ts';
import type { GetPromptResult, Prompt } from '../../protocol/features/prompts.ts';
import type { Resource, ResourceTemplate } from '../../protocol/features/resource.ts';
import type { ReadResourceResult } from '../../protocol/features/resources.ts';
import type { InputMethod, ListItems, ListMethod, RequestTypes } from '../../protocol/catalogue.ts';
import type { HasMiddleware } from '../../connection/middleware/middleware.ts';
import type { RevisionDate } from '../../protocol/revision.ts';
import type { Tool } from '../../protocol/features/tool.ts';
import type { CallToolResult } from '../../protocol/features/tools.ts';
import type { AnySchema, InferOutput } from '../../schema/infer.ts';
import type { RootsSource } from './input-handlers.ts';
import type { Page } from './pages.ts';
import type { InputAnswers } from './input-handlers.ts';
import type { InputRequiredStep, Step } from './step.ts';
import type { Subscription, SubscriptionEvent, Topics } from './subscription.ts';
import type { SubscribeOptions } from './subscription.ts';
import type { StartTaskOptions, TaskHandle, TaskReference, ToolCallOptions } from './task-handle.ts';

/** The options of one request of a client. */
export interface ClientRequestOptions extends RequestOptions {
  /**
   * Cache mode: whether a cached response may be returned, and whether the response is cached. Lists and reads use the
   * mode that `connect` got, other requests bypass the cache. So do all requests with `meta` or `headers` of their own.
   * Responses to requests that speak for another client, by `clientInfo` or `capabilities`, are cached for that client
   * alone.
   */
  readonly cache?: 'use' | 'refresh' | 'bypass' | undefined;
  /** True when the request may be sent again when its answer was lost on the way; by default the method decides. */
  readonly repeat?: boolean | undefined;
}

/** The options of a request whose result has a schema. */
export interface TypedRequestOptions<R extends AnySchema> extends ExtensionRequestOptions {
  /** Schema of the result; what every result may have beside its own fields is left out, unless the schema wants it. */
  readonly result: R;
}

/** The options of a request that may belong to an extension. */
export interface ExtensionRequestOptions extends ClientRequestOptions {
  /** The extension that the request belongs to: the client must have declared it, and the server too. */
  readonly extension?: string | undefined;
}

/** The options of a completion. */
export interface CompleteOptions extends ClientRequestOptions {
  /** Arguments that the user has filled in already. */
  readonly context?: CompletionContext;
}

/**
 * A connection to one server, in the revision that both support.
 *
 * Requests may run at the same time. A request rejects with the `McpError` of the server, or with a `ConnectionError`
 * if no valid answer came. If its signal is aborted, it rejects with the signal's reason, as `fetch` does. The caller
 * of `connect` closes the client.
 */
export interface Client extends HasMiddleware {
  /** The revision that both sides speak, by its date. */
  readonly revision: RevisionDate;
  /** Name of the server, for display only. It is `undefined` until the server sends it, which some servers never do. */
  readonly server: Implementation | undefined;
  /** The capabilities that the server declared. */
  readonly capabilities: ServerCapabilities;
  /**
   * Tells whether the server declared a capability, such as `'resources.subscribe'`, or an extension by its id,
   * wherever its revision has a place for that.
   */
  supports(flag: string): boolean;
  /** Instructions for using the server, for the model. */
  readonly instructions: string | undefined;
  /** Findings about the server: JSON that can be stored and given as `negotiated` next time. */
  readonly negotiated: Negotiated;
  /** Name that a person would give the server: a URL or a command line. */
  readonly description: string;

  /**
   * Lists every tool; empty if the server has no tools. Pages that the server allows to be cached are not fetched again
   * while they are fresh. `cache: 'refresh'` fetches all of them, which gives one consistent list. Malformed tools are
   * left out, as are malformed entries of the other lists. `onWarning` reports each once.
   */
  listTools(options?: ClientRequestOptions): Promise<readonly Tool[]>;
  /** Lists every resource; empty when the server has no resources. */
  listResources(options?: ClientRequestOptions): Promise<readonly Resource[]>;
  /** Lists every resource template; empty when the server has no resources. */
  listResourceTemplates(options?: ClientRequestOptions): Promise<readonly ResourceTemplate[]>;
  /** Lists every prompt; empty when the server has no prompts. */
  listPrompts(options?: ClientRequestOptions): Promise<readonly Prompt[]>;
  /** Reads a list page by page, with the cache lifetime of each page. */
  pages<Method extends ListMethod>(
    method: Method,
    options?: ClientRequestOptions,
  ): AsyncGenerator<Page<ListItems[Method]>, void, undefined>;
  /**
   * Calls a tool. If the tool failed, the result has `isError`, which is for the model.
   *
   * The handlers of `connect` answer requests that the server sends meanwhile. The same holds for reads of resources
   * and for prompts. If a handler throws and the server cannot be notified of it, the call rejects with that error.
   *
   * If the server makes a task of the call, this waits for its result without a time limit and survives lost
   * connections. `timeoutMs` then limits each request about the task, and `maxTotalTimeoutMs` of the call limits the
   * whole wait. The task's status messages arrive as progress. An abort cancels the task, unless `onGiveUp` is `leave`.
   *
   * @throws OutputValidationError if the structured result does not match the output schema that this client knows from
   * `listTools` or `primeTools`. Results of unknown tools are not validated.
   * @throws InputRequiredError if the server wants input that no handler here gives, or that was not declared.
   * @throws TooManyRoundsError if the server requests input too many times.
   * @throws TaskCancelledError if the call became a task that was cancelled.
   * @throws TaskGoneError if the call became a task that the server no longer knows, or that expired before the server
   * answered.
   * @throws TaskInputRequiredError if the call became a task that wants input which no handler here gives. The task is
   * then cancelled.
   */
  callTool(
    name: string,
    argumentsOfCall?: Readonly<Record<string, unknown>>,
    options?: ToolCallOptions,
  ): Promise<CallToolResult>;
  /**
   * Begins a call of a tool as a task, if the server supports that, and resolves when it has begun. In 2025-11-25 a
   * task is requested if the tool allows one. In later revisions the server decides. If it answers at once, its answer
   * is the result of the handle.
   *
   * @throws McpError methodNotFound, before anything is sent, if the revision has no tasks or, in 2025-11-25, the
   * server or the tool does not support them.
   * @throws TypeError if `connect` got `tasks: false`.
   * @example const task = await client.startTask('report', { year: 2026 }); await
   * store(JSON.stringify(task.reference)); for await (const { status, statusMessage } of task.updates())
   * console.log(status, statusMessage); const result = await task.result();
   */
  startTask(
    name: string,
    argumentsOfCall?: Readonly<Record<string, unknown>>,
    options?: StartTaskOptions,
  ): Promise<TaskHandle>;
  /**
   * Returns a handle for a task that was begun elsewhere: in another process, or by another client of the same server.
   * It sends nothing until you use the handle. A server knows a task only for the client that created it.
   *
   * @param reference The `reference` of a handle. It may have been stored.
   * @throws TypeError if it is not a reference or belongs to another server, and if the revision has no tasks.
   */
  task(reference: TaskReference): Promise<TaskHandle>;
  /** Adds tools that were listed elsewhere, so that calls mirror and validate what their schemas say. */
  primeTools(tools: readonly Tool[]): void;
  /** Reports a change that another connection was notified of. The client then fetches stale data again. */
  invalidate(method: string, params?: JsonObject): void;
  /** Reads a resource; one that does not exist rejects with the kind `resourceNotFound` or `invalidParams`. */
  readResource(uri: string, options?: ClientRequestOptions): Promise<ReadResourceResult>;
  /** Fills a prompt in. */
  getPrompt(
    name: string,
    argumentsOfPrompt?: Readonly<Record<string, string>>,
    options?: ClientRequestOptions,
  ): Promise<GetPromptResult>;
  /**
   * Sends a request that may need input, without answering the requested input. `resume` does that.
   *
   * @returns The state of the request, as JSON. It is complete at once if the server sends requests of its own.
   * @example const step = await client.begin('tools/call', { name: 'book', arguments: { seat: '12A' } }); if
   * (step.status === 'input_required') await store(JSON.stringify(step));
   */
  begin<Method extends InputMethod>(
    method: Method,
    params: RequestTypes[Method]['params'],
    options?: ClientRequestOptions,
  ): Promise<Step<Method>>;
  /**
   * Continues a request that needed input, even if another process began it.
   *
   * @param answers An answer to each of `step.inputRequests`, by the same keys.
   * @throws TypeError if an answer is missing, was not requested or does not match, or if this client's revision has
   * no such rounds. Then nothing is sent.
   */
  resume<Method extends InputMethod>(
    step: InputRequiredStep<Method>,
    answers: InputAnswers,
    options?: ClientRequestOptions,
  ): Promise<Step<Method>>;
  /**
   * Changes the roots, and notifies the server if it wants to know.
   *
   * @throws TypeError for a root that is not a `file://` URI, or if the client of a session did not declare roots at
   * the beginning.
   */
  setRoots(roots: RootsSource): Promise<void>;
  /**
   * Tells the server that the roots changed, for roots that a function finds. Does nothing where servers ask for them
   * afresh each time, or where changes were not declared.
   */
  notifyRootsListChanged(): Promise<void>;
  /**
   * Suggests values for an argument of a prompt or of a resource template.
   *
   * @param options May carry `context`: the arguments that are settled already, for revisions that know of it.
   */
  complete(
    ref: CompleteRequestParams['ref'],
    argument: CompletionArgument,
    options?: CompleteOptions,
  ): Promise<CompleteResult>;
  /** Resolves when the server answers. If the revision has no `ping`, it sends `server/discover` instead. */
  ping(options?: ClientRequestOptions): Promise<void>;
  /**
   * Sets the least severe level of log messages to receive. In revisions where each request carries the level, all
   * later requests do; then `undefined` requests none.
   *
   * @throws TypeError for an unknown level, and for `undefined` if the level belongs to the session, which cannot unset
   * it.
   *
   * @deprecated Since 2026-07-28 (SEP-2577): logging still works; a revision from 2027-07-28 on may remove it.
   */
  setLogLevel(level: LoggingLevel | undefined): Promise<void>;
  /**
   * Sends any request, such as one of an extension, and reads its result by a schema.
   *
   * @param params In the newest form for methods of the protocol, otherwise in wire form.
   * @throws TypeError for an `extension` that `connect` did not get.
   * @throws McpError methodNotFound, before anything is sent, for an extension that the server did not declare.
   * @throws ConnectionError `invalid-message` for an invalid result, or a result type that is not among `resultTypes`.
   * @example const { hits } = await client.request('com.example/search', { text: 'x' }, { result: z.object({ hits:
   * z.array(z.string()) }) });
   */
  request<const R extends AnySchema>(
    method: string,
    params: JsonObject | undefined,
    options: TypedRequestOptions<R>,
  ): Promise<InferOutput<R>>;
  /**
   * Sends any request. It throws the same errors.
   *
   * @returns The received result. It is neither validated nor converted to the newest form.
   */
  request(method: string, params?: JsonObject, options?: ExtensionRequestOptions): Promise<JsonObject>;
  /**
   * Sends any notification.
   *
   * @throws ConnectionError `timeout` when the server does not take it within `timeoutMs` of the client.
   */
  notify(method: string, params?: JsonObject): Promise<void>;

  /**
   * Subscribes to changes, in the way of the connection's revision. If a subscription breaks off, or a server ends it
   * because it stops, the client opens it again and sends an event `reopened`.
   *
   * @param onEvent Called in order. The client does not wait for it. Its errors become warnings.
   * @throws TypeError if there are no topics, or too many.
   * @example const subscription = await client.subscribe({ tools: true, updates: ['file:///x'] }, async (event) => {
   * if (event.type !== 'update') await client.listTools(); }); if (subscription.honored.updates === undefined)
   * console.error('the server does not watch resources');
   */
  subscribe(
    topics: Topics,
    onEvent: (event: SubscriptionEvent) => void,
    options?: SubscribeOptions,
  ): Promise<Subscription>;

  /**
   * Calls a listener when the server's side ends the connection permanently, not when it is lost and opened again.
   * Returns a function that removes the listener.
   */
  onClose(listener: (error: ConnectionError) => void): () => void;
  /** Calls a listener whenever a lost connection was opened again, with why it was lost. */
  onReconnect(listener: (after: ConnectionError) => void): () => void;
  /** Resolves when the connection ended permanently: with the reason, or with `undefined` if this side closed it. */
  readonly closed: Promise<ConnectionError | undefined>;
  /** Ends the connection. Pending requests reject. Closing twice is fine. */
  close(): Promise<void>;
}
