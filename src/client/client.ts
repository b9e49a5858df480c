import type { ConnectionError } from '../jsonrpc/transport.ts';
import type { RequestOptions } from './connection/request-options.ts';
import type { Negotiated } from './connection/negotiate.ts';
import type { Implementation, JsonObject } from '../protocol/features/common.ts';
import type { ServerCapabilities } from '../protocol/capability.ts';
import type {
  CompleteRequestParams,
  CompleteResult,
  CompletionArgument,
  CompletionContext,
} from '../protocol/features/completion.ts';
import type { LoggingLevel } from '../protocol/features/logging-level.ts';
import type { GetPromptResult, Prompt } from '../protocol/features/prompts.ts';
import type { Resource, ResourceTemplate } from '../protocol/features/resource.ts';
import type { ReadResourceResult } from '../protocol/features/resources.ts';
import type { InputMethod, ListItems, ListMethod, RequestTypes } from '../protocol/catalogue.ts';
import type { Uses } from '../connection/middleware/middleware.ts';
import type { RevisionDate } from '../protocol/revision.ts';
import type { Tool } from '../protocol/features/tool.ts';
import type { CallToolResult } from '../protocol/features/tools.ts';
import type { AnySchema, InferOutput } from '../schema/infer.ts';
import type { CacheMode } from './cache/cache.ts';
import type { RootsSource } from './input/inputs.ts';
import type { Page } from './pages.ts';
import type { InputAnswers } from './input/rounds.ts';
import type { InputRequiredStep, Step } from './input/step.ts';
import type { Subscription, SubscriptionEvent, Topics } from './subscriptions/subscription.ts';
import type { SubscribeOptions } from './subscriptions/subscriptions.ts';
import type { StartTaskOptions, TaskHandle, TaskReference, ToolCallOptions } from './tasks/task-handle.ts';

/** The options of one request of a client. */
export interface ClientRequestOptions extends RequestOptions {
  /**
   * Use of the cache: whether a kept response may do, and whether the response is kept. Lists and reads use what
   * `connect` was told, other requests bypass the cache; so do all that carry `meta` or `headers` of their own. What is
   * kept for requests that speak for another client, by `clientInfo` or `capabilities`, is for that one alone.
   */
  readonly cache?: CacheMode | undefined;
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
  readonly context?: CompletionContext;
}

/**
 * A connection to one server, whatever revision it speaks.
 *
 * Requests may run at the same time. They reject with the `McpError` that the server answered with, with a
 * `ConnectionError` when no valid answer came, or, once their signal is aborted, with its reason, as `fetch` does. Who
 * connected closes.
 */
export interface Client extends Uses {
  /** The revision that both sides speak, by its date. */
  readonly revision: RevisionDate;
  /** Name of the server as it gives it, for display alone; `undefined` until a server that need not say so said it. */
  readonly server: Implementation | undefined;
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
   * Lists every tool; empty when the server has no tools. Pages that the server allows to be kept are not fetched again
   * while they are fresh; `cache: 'refresh'` fetches all of them, which gives one consistent list. Tools that are malformed are
   * left out, as are entries of the other lists; `onWarning` hears of each once.
   */
  listTools(options?: ClientRequestOptions): Promise<readonly Tool[]>;
  /** Lists every resource; empty when the server has no resources. */
  listResources(options?: ClientRequestOptions): Promise<readonly Resource[]>;
  /** Lists every resource template; empty when the server has no resources. */
  listResourceTemplates(options?: ClientRequestOptions): Promise<readonly ResourceTemplate[]>;
  /** Lists every prompt; empty when the server has no prompts. */
  listPrompts(options?: ClientRequestOptions): Promise<readonly Prompt[]>;
  /** Walks a list page by page, with how long each page may be kept. */
  pages<Method extends ListMethod>(
    method: Method,
    options?: ClientRequestOptions,
  ): AsyncGenerator<Page<ListItems[Method]>, void, undefined>;
  /**
   * Calls a tool. A tool that failed gives a result with `isError`, which is for the model.
   *
   * What the server asks for meanwhile is answered by the handlers that `connect` was given; so it is of reads of
   * resources and of prompts. What a handler throws rejects the request where the server cannot be told of it.
   *
   * Where the server makes a task of the call, this waits for it, however long it takes: a lost connection is waited out,
   * `timeoutMs` is for each request about it, `maxTotalTimeoutMs` of the call for all of it, and what the server says about
   * the task is heard as progress. Giving up cancels the task, unless `onGiveUp` is `leave`.
   *
   * @throws OutputValidationError when the structured result does not fit the output schema that this client has listed, by `listTools` or `learnTools`; of a tool that it has not nothing is checked.
   * @throws InputRequiredError when the server wants input that nothing here gives, or that was not declared.
   * @throws TooManyRoundsError when the server wants input again and again.
   * @throws TaskCancelledError when it became a task that somebody cancelled.
   * @throws TaskGoneError when it became a task that the server does not know any more, or that was not heard of until it expired.
   * @throws TaskInputRequiredError when it became a task that wants input which nothing here gives; it is cancelled then.
   */
  callTool(
    name: string,
    argumentsOfCall?: Readonly<Record<string, unknown>>,
    options?: ToolCallOptions,
  ): Promise<CallToolResult>;
  /**
   * Begins a call of a tool as a task, where the server has it so, and resolves when it has begun. In 2025-11-25 the task is asked
   * for where the tool may be one; in later revisions the server decides, and what it answers at once is the result of the handle.
   *
   * @throws McpError methodNotFound, before anything is sent, where the revision has no tasks, or, in 2025-11-25, the server or the tool.
   * @throws TypeError when `connect` was told `tasks: false`.
   * @example
   * const task = await client.startTask('report', { year: 2026 });
   * await store(JSON.stringify(task.reference));
   * for await (const { status, statusMessage } of task.updates()) console.log(status, statusMessage);
   * const result = await task.result();
   */
  startTask(
    name: string,
    argumentsOfCall?: Readonly<Record<string, unknown>>,
    options?: StartTaskOptions,
  ): Promise<TaskHandle>;
  /**
   * Takes up a task that was begun elsewhere: in another process, or by another client of the same server. Nothing is sent until the
   * handle is asked; a server knows a task only for whom it was made.
   *
   * @param reference The `reference` of a handle, which may have been stored.
   * @throws TypeError for what is no reference, or is one of another server, and where the revision has no tasks.
   */
  task(reference: TaskReference): Promise<TaskHandle>;
  /** Tells of tools that were listed elsewhere, so that calls mirror and check what their schemas say. */
  learnTools(tools: readonly Tool[]): void;
  /** Tells of a change that was heard elsewhere, by its notification, so that what it makes stale is fetched anew. */
  learnChange(method: string, params?: JsonObject): void;
  /** Reads a resource; one that does not exist rejects with the kind `resourceNotFound` or `invalidParams`. */
  readResource(uri: string, options?: ClientRequestOptions): Promise<ReadResourceResult>;
  /** Fills a prompt in. */
  getPrompt(
    name: string,
    argumentsOfPrompt?: Readonly<Record<string, string>>,
    options?: ClientRequestOptions,
  ): Promise<GetPromptResult>;
  /**
   * Sends a request that may need input, without answering what it asks for: that is left to `resume`.
   *
   * @returns Where the request stands, as JSON. It is complete at once where the server sends requests of its own.
   * @example
   * const step = await client.begin('tools/call', { name: 'book', arguments: { seat: '12A' } });
   * if (step.status === 'input_required') await store(JSON.stringify(step));
   */
  begin<Method extends InputMethod>(
    method: Method,
    params: RequestTypes[Method]['params'],
    options?: ClientRequestOptions,
  ): Promise<Step<Method>>;
  /**
   * Goes on with a request that needed input, perhaps begun in another process.
   *
   * @param answers An answer to each of `step.inputRequests`, by the same keys.
   * @throws TypeError when an answer is missing, was not asked for or does not fit, or when this client's revision has
   *   no such rounds; nothing is sent then.
   */
  resume<Method extends InputMethod>(
    step: InputRequiredStep<Method>,
    answers: InputAnswers,
    options?: ClientRequestOptions,
  ): Promise<Step<Method>>;
  /**
   * Changes the roots, and tells the server where it wants to know.
   *
   * @throws TypeError for a root that is no `file://` URI, or when a server of a handshake revision was not told at
   *   the beginning that there are roots.
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
  /** Resolves when the server answers; where there is no `ping`, `server/discover` takes its place. */
  ping(options?: ClientRequestOptions): Promise<void>;
  /**
   * Sets the least severe log message to hear. Where requests say so themselves, all later ones do; then
   * `undefined` asks for none.
   *
   * @throws TypeError for what is no level, and for `undefined` where the level is the session's, which cannot be unset.
   *
   * @deprecated Since 2026-07-28 (SEP-2577): logging still works; a revision from 2027-07-28 on may remove it.
   */
  setLogLevel(level: LoggingLevel | undefined): Promise<void>;
  /**
   * Sends any request, such as one of an extension, and reads its result by a schema.
   *
   * @param params In the newest words for methods of the protocol, else as they go on the wire.
   * @throws TypeError for an `extension` that `connect` was not given.
   * @throws McpError methodNotFound, before anything is sent, for one that the server did not declare.
   * @throws ConnectionError `invalid-message` for a result that does not fit, or of a kind that is not among `resultTypes`.
   * @example
   * const { hits } = await client.request('com.example/search', { text: 'x' }, { result: z.object({ hits: z.array(z.string()) }) });
   */
  request<const R extends AnySchema>(
    method: string,
    params: JsonObject | undefined,
    options: TypedRequestOptions<R>,
  ): Promise<InferOutput<R>>;
  /**
   * Sends any request; errors are as above.
   *
   * @returns The result as it came: neither checked nor lifted to the newest words.
   */
  request(method: string, params?: JsonObject, options?: ExtensionRequestOptions): Promise<JsonObject>;
  /**
   * Sends any notification.
   *
   * @throws ConnectionError `timeout` when the server does not take it within `timeoutMs` of the client.
   */
  notify(method: string, params?: JsonObject): Promise<void>;

  /**
   * Hears of changes, in the way of whatever revision the server speaks. A subscription that breaks off, or that a
   * server which stops ends in good order, is opened again and says so with an event `reopened`.
   *
   * @param onEvent Called in order, and not waited for; what it throws, or rejects with, becomes a warning.
   * @throws TypeError when there is nothing, or too much, to hear of.
   * @example
   * const subscription = await client.subscribe({ tools: true, updates: ['file:///x'] }, async (event) => {
   *   if (event.type !== 'update') await client.listTools();
   * });
   * if (subscription.honored.updates === undefined) console.error('the server does not watch resources');
   */
  subscribe(
    topics: Topics,
    onEvent: (event: SubscriptionEvent) => void,
    options?: SubscribeOptions,
  ): Promise<Subscription>;

  /**
   * Calls a listener when the connection ends from the other side for good, not when it is lost and opened again;
   * returns what takes the listener away.
   */
  onClose(listener: (error: ConnectionError) => void): () => void;
  /** Calls a listener whenever a lost connection was opened again, with why it was lost. */
  onReconnect(listener: (after: ConnectionError) => void): () => void;
  /** Resolves when the connection ended for good: with why, or with nothing when it was closed here. */
  readonly closed: Promise<ConnectionError | undefined>;
  /** Ends the connection; what waits for an answer rejects. Closing twice is fine. */
  close(): Promise<void>;
}
