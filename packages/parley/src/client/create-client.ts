import { ConnectionError } from '../jsonrpc/transport.ts';
import type { Negotiated } from './api/negotiated.ts';
import type { JsonObject } from '../protocol/features/common.ts';
import { hasServerCapability, isExtensionFlag, type ServerCapabilities } from '../protocol/capability.ts';
import { projectClientCapabilities } from '../protocol/compile/capabilities.ts';
import { declaresExtension } from '../protocol/extension.ts';
import type { Implementation } from '../protocol/features/common.ts';
import type { CompleteRequestParams, CompleteResult, CompletionArgument } from '../protocol/features/completion.ts';
import { McpError } from '../protocol/error.ts';
import type { LoggingLevel } from '../protocol/features/logging-level.ts';
import {
  mayAsk,
  methodOf,
  type InputMethod,
  type ListItems,
  type ListMethod,
  type RequestTypes,
} from '../protocol/catalogue.ts';
import type { GetPromptResult, Prompt } from '../protocol/features/prompts.ts';
import type { Resource, ResourceTemplate } from '../protocol/features/resource.ts';
import type { ReadResourceResult } from '../protocol/features/resources.ts';
import type { RevisionDate } from '../protocol/revision.ts';
import type { Tool } from '../protocol/features/tool.ts';
import type { CallToolResult } from '../protocol/features/tools.ts';
import type {
  Client,
  ClientRequestOptions,
  CompleteOptions,
  ExtensionRequestOptions,
  TypedRequestOptions,
} from './api/client.ts';
import { refuseNearMethod } from '../options/near-method.ts';
import { methodNames } from '../protocol/catalogue.ts';
import type { AnySchema, InferOutput } from '../schema/infer.ts';
import { notFound } from '../connection/gate.ts';
import { readTyped } from './typed-result.ts';
import { givingUp, givingUpSteps } from './api/giving-up.ts';
import type { RootsSource } from './api/input-handlers.ts';
import { checkLevel } from './requests/option-names.ts';
import { throughClientMiddleware } from './middleware/late-passing.ts';
import type { MiddlewareStack } from '../connection/middleware/middleware-stack.ts';
import type { Middleware } from '../connection/middleware/middleware.ts';
import { namedOf, requiredName, textsOf } from './given.ts';
import { walkPages, type Page } from './api/pages.ts';
import { undeclaredList } from './undeclared-list.ts';
import { Requests, type ClientParts } from './requests/requests.ts';
import type { InputAnswers } from './api/input-handlers.ts';
import type { InputRequiredStep, Step } from './api/step.ts';
import type { Subscription, SubscriptionEvent, Topics } from './api/subscription.ts';
import { TaskDoor } from './tasks/door.ts';
import type { StartTaskOptions, TaskHandle, TaskReference, ToolCallOptions } from './api/task-handle.ts';
import type { SubscribeOptions } from './api/subscription.ts';

/** Makes the client of a settled connection. */
export function createClient(parts: ClientParts): Client {
  return new SessionClient(parts);
}

/** Puts the middleware of a bridge around that of a client of it. */
export function useWithin(client: Client, outer: MiddlewareStack): void {
  if (client instanceof SessionClient) client.within(outer);
}

/** Lets a bridge learn when notifications may have been lost, though the connection continues. */
export function hearGaps(client: Client, hear: () => void): void {
  if (client instanceof SessionClient) client.hearGaps(hear);
}

class SessionClient implements Client {
  readonly description: string;
  readonly #parts: ClientParts;
  readonly #requests: Requests;
  readonly #tasks: TaskDoor;

  constructor(parts: ClientParts) {
    this.description = parts.description;
    this.#parts = parts;
    this.#requests = new Requests(parts);
    this.#tasks = new TaskDoor(parts, this.#requests);
  }

  get revision(): RevisionDate {
    return this.#parts.connection.revision.date;
  }

  get server(): Implementation | undefined {
    return this.#parts.connection.server;
  }

  get capabilities(): ServerCapabilities {
    return this.#parts.connection.capabilities;
  }

  get instructions(): string | undefined {
    return this.#parts.connection.instructions;
  }

  get negotiated(): Negotiated {
    return this.#parts.connection.negotiated;
  }

  get closed(): Promise<ConnectionError | undefined> {
    return this.#parts.connection.closed;
  }

  listTools(options?: ClientRequestOptions): Promise<readonly Tool[]> {
    return this.#list('tools/list', options);
  }

  listResources(options?: ClientRequestOptions): Promise<readonly Resource[]> {
    return this.#list('resources/list', options);
  }

  listResourceTemplates(options?: ClientRequestOptions): Promise<readonly ResourceTemplate[]> {
    return this.#list('resources/templates/list', options);
  }

  listPrompts(options?: ClientRequestOptions): Promise<readonly Prompt[]> {
    return this.#list('prompts/list', options);
  }

  pages<Method extends ListMethod>(
    method: Method,
    options?: ClientRequestOptions,
  ): AsyncGenerator<Page<ListItems[Method]>, void, undefined> {
    const stamp = this.#parts.cache.stamp(method);
    const { connection } = this.#parts;
    let scope: unknown;
    const walk = walkPages<ListItems[Method]>(async (cursor) => {
      if (cursor !== undefined && connection.cursorScope !== scope)
        throw new ConnectionError('session-lost', 'the session of this list has ended; start the list again');
      const page = await this.#requests.page(method, cursor, { ...options, stamp });
      // Only now it is known which session the list was begun in.
      if (cursor === undefined) scope = connection.cursorScope;
      return page;
    }, this.#requests.bounds(method));
    return options?.signal === undefined ? walk : givingUpSteps(options, walk);
  }

  callTool(name: string, argumentsOfCall?: JsonObject, options?: ToolCallOptions): Promise<CallToolResult> {
    return givingUp(options, async () =>
      this.#callTool(requiredName("callTool('add', { a: 1 })", name), namedOf(argumentsOfCall), options),
    );
  }

  async #callTool(name: string, argumentsOfCall?: JsonObject, options?: ToolCallOptions): Promise<CallToolResult> {
    const making = this.#outputCheck(name);
    const check = making && (await making);
    const params = { name, ...(argumentsOfCall && { arguments: argumentsOfCall }) };
    const result = await this.#tasks.call(params, options).catch((error: unknown) => {
      throw this.#parts.known.explained(error, name);
    });
    check?.(result);
    return result;
  }

  startTask(name: string, argumentsOfCall?: JsonObject, options: StartTaskOptions = {}): Promise<TaskHandle> {
    return givingUp(options, async () => {
      const params = {
        name: requiredName("startTask('report', { year: 2026 })", name),
        ...(argumentsOfCall && { arguments: namedOf(argumentsOfCall) }),
      };
      const check = await this.#outputCheck(name);
      return await (await this.#tasks.load()).start(params, options, check);
    });
  }

  async task(reference: TaskReference): Promise<TaskHandle> {
    return (await this.#tasks.load()).takeUp(reference, (tool) => this.#outputCheck(tool));
  }

  async begin<Method extends InputMethod>(
    method: Method,
    params: RequestTypes[Method]['params'],
    options?: ClientRequestOptions,
  ): Promise<Step<Method>> {
    const begin = async (): Promise<Step<Method>> =>
      await (await this.#requests.rounds()).begin(method, params, options);
    return await givingUp(options, () => this.#checked({ method, params }, begin));
  }

  async resume<Method extends InputMethod>(
    step: InputRequiredStep<Method>,
    answers: InputAnswers,
    options?: ClientRequestOptions,
  ): Promise<Step<Method>> {
    const resume = async (): Promise<Step<Method>> =>
      await (await this.#requests.rounds()).resume(step, answers, options);
    return await givingUp(options, () => this.#checked(step, resume));
  }

  async setRoots(roots: RootsSource): Promise<void> {
    const { connection, settings } = this.#parts;
    const { inputs } = settings;
    if (connection.revision.clientDescribed === 'once' && inputs.capabilities.roots === undefined)
      throw new TypeError('roots were not declared: give `roots` to connect');
    inputs.roots = roots;
    await this.notifyRootsListChanged();
  }

  async notifyRootsListChanged(): Promise<void> {
    const { connection, settings } = this.#parts;
    const declared = projectClientCapabilities(connection.revision, settings.capabilities);
    if (declared.roots?.listChanged === true) await this.notify('notifications/roots/list_changed', undefined);
  }

  primeTools(tools: readonly Tool[]): void {
    this.#requests.learn(tools);
  }

  invalidate(method: string, params: JsonObject = {}): void {
    this.#parts.cache.heard(method, params);
  }

  readResource(uri: string, options?: ClientRequestOptions): Promise<ReadResourceResult> {
    return givingUp(options, async () =>
      this.#requests.call('resources/read', { uri: requiredName("readResource('file:///x')", uri) }, options),
    );
  }

  getPrompt(
    name: string,
    argumentsOfPrompt?: Readonly<Record<string, string>>,
    options?: ClientRequestOptions,
  ): Promise<GetPromptResult> {
    const params = (): RequestTypes['prompts/get']['params'] => ({
      name: requiredName("getPrompt('review', { language: 'Go' })", name),
      ...(argumentsOfPrompt && { arguments: textsOf(argumentsOfPrompt) }),
    });
    return givingUp(options, async () => this.#requests.call('prompts/get', params(), options));
  }

  complete(
    ref: CompleteRequestParams['ref'],
    argument: CompletionArgument,
    options: CompleteOptions = {},
  ): Promise<CompleteResult> {
    const { context } = options;
    const params = { ref, argument, ...(context && { context }) };
    return givingUp(options, () => this.#requests.call('completion/complete', params, options));
  }

  async ping(options?: ClientRequestOptions): Promise<void> {
    const pings = mayAsk(this.#parts.connection.revision, 'ping');
    await this.request(pings ? 'ping' : 'server/discover', undefined, options);
  }

  async setLogLevel(level: LoggingLevel | undefined): Promise<void> {
    const { connection } = this.#parts;
    checkLevel(level);
    if (connection.revision.logging === 'request') connection.logLevel = level;
    else if (level === undefined) throw new TypeError('the log level of a session cannot be unset');
    else await this.#requests.call('logging/setLevel', { level });
  }

  supports(flag: string): boolean {
    const { revision, capabilities } = this.#parts.connection;
    return isExtensionFlag(flag)
      ? declaresExtension(revision, capabilities, flag)
      : hasServerCapability(capabilities, flag);
  }

  request<const R extends AnySchema>(
    method: string,
    params: JsonObject | undefined,
    options: TypedRequestOptions<R>,
  ): Promise<InferOutput<R>>;
  request(method: string, params?: JsonObject, options?: ExtensionRequestOptions): Promise<JsonObject>;
  request(method: string, params?: JsonObject, given?: Partial<TypedRequestOptions<AnySchema>>): Promise<unknown> {
    if (given === undefined || !('result' in given || 'extension' in given))
      return givingUp(given, () => this.#requests.request(method, params, given));
    const { result, extension, ...options } = given;
    return givingUp(options, async () => {
      if (extension !== undefined) this.#require(extension, method);
      const raw = await this.#requests.request(method, params, options);
      return result === undefined ? raw : await readTyped(result, method, raw);
    });
  }

  /** Refuses what belongs to an extension that either side did not declare. */
  #require(extension: string, method: string): void {
    const { capabilities, extensions } = this.#parts.settings;
    const shown = JSON.stringify(extension);
    if (!Object.hasOwn({ ...capabilities.extensions, ...extensions }, extension))
      throw new TypeError(
        `${method} belongs to the extension ${shown}, which is not declared: give it to connect in \`extensions\``,
      );
    if (!this.supports(extension))
      throw notFound(method, `belongs to the extension ${shown}, which this server does not have`);
  }

  async notify(method: string, params?: JsonObject): Promise<void> {
    const { connection, settings } = this.#parts;
    const { chain } = settings;
    if (chain.used) await throughClientMiddleware((late) => late.notifyThrough(method, params, { chain, connection }));
    else await connection.notify(method, params);
  }

  use(first: string | Middleware, second?: Middleware): void {
    refuseNearMethod(first, methodNames);
    this.#parts.settings.chain.use(first, second);
  }

  /** Puts other middleware around that of the client. */
  within(outer: MiddlewareStack): void {
    this.#parts.settings.chain.within(outer);
  }

  hearGaps(gap: () => void): void {
    this.#parts.connection.observe({ gap });
  }

  onClose(listener: (error: ConnectionError) => void): () => void {
    return this.#parts.connection.onClose(listener);
  }

  onReconnect(listener: (after: ConnectionError) => void): () => void {
    return this.#parts.connection.onReconnect(listener);
  }

  subscribe(
    topics: Topics,
    onEvent: (event: SubscriptionEvent) => void,
    options?: SubscribeOptions,
  ): Promise<Subscription> {
    return givingUp(options, () => this.#parts.subscriptions.open(topics, onEvent, options));
  }

  close(): Promise<void> {
    this.#parts.settings.inputs.stop();
    return this.#parts.connection.close();
  }

  #outputCheck(name: string): Promise<(result: CallToolResult) => void> | undefined {
    const { known, settings, connection } = this.#parts;
    const checked = settings.validateOutput && connection.revision.structuredContent !== 'none';
    return checked ? known.check(name) : undefined;
  }

  /** Holds a step that completes the call of a tool against the tool's output schema. */
  async #checked<Method extends InputMethod>(
    { method, params }: Pick<InputRequiredStep<Method>, 'method' | 'params'>,
    run: () => Promise<Step<Method>>,
  ): Promise<Step<Method>> {
    const check = method === 'tools/call' && 'name' in params ? await this.#outputCheck(params.name) : undefined;
    const step = await run();
    // Only the result of a tool call is checked.
    if (step.status === 'complete') check?.(step.result as CallToolResult);
    return step;
  }

  async #list<Method extends ListMethod>(
    method: Method,
    options: ClientRequestOptions | undefined,
  ): Promise<readonly ListItems[Method][]> {
    const needed = methodOf(method)?.needs;
    const { capabilities } = this;
    if (needed !== undefined && !hasServerCapability(capabilities, needed))
      return await undeclaredList({ capabilities, method }, options, (some) => this.#whole(method, some));
    return await this.#whole(method, options);
  }

  async #whole<Method extends ListMethod>(
    method: Method,
    options: ClientRequestOptions | undefined,
  ): Promise<readonly ListItems[Method][]> {
    let cursor: string | undefined;
    const drain = async (mode: ClientRequestOptions): Promise<readonly ListItems[Method][]> => {
      const items: ListItems[Method][] = [];
      cursor = undefined;
      for await (const page of this.pages(method, mode)) {
        // One by one: a page may have more items than a call may have arguments.
        for (const item of page.items) items.push(item);
        cursor = page.nextCursor;
      }
      return items;
    };
    try {
      return await drain({ ...options });
    } catch (error) {
      const isLost = cursor !== undefined && error instanceof ConnectionError && error.reason === 'session-lost';
      if (isLost) return await drain({ ...options });
      const invalid = cursor !== undefined && error instanceof McpError && error.kind === 'invalidParams';
      if (!invalid || !this.#parts.connection.revision.cacheHints || options?.cache === 'bypass') throw error;
      // Spec 2026-07-28, Caching: a cursor that became invalid takes all cached pages with it.
      this.#parts.cache.forget(method);
      return await drain({ ...options, cache: 'refresh' });
    }
  }
}
