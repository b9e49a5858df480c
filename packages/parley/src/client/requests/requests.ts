import type { SubscribeOptions, Subscription, SubscriptionEvent, Topics } from '../api/subscription.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { McpError } from '../../protocol/error.ts';
import {
  methodOf,
  type ListItems,
  type ListMethod,
  type RequestMethod,
  type RequestTypes,
} from '../../protocol/catalogue.ts';
import type { Lenience } from '../../protocol/compile/from-wire.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Tool } from '../../protocol/features/tool.ts';
import { isCacheable } from '../cache/cache-key.ts';
import type { ResponseCache } from '../cache/cache.ts';
import { cacheableRequest, type PageOptions } from '../cache/cacheable-request.ts';
import type { Reconnecting } from './reconnecting.ts';
import { ToolHints } from '../connection/retry.ts';
import { namesElicitations } from '../input/elicitation-ids.ts';
import { answering, type Inputs } from '../input/inputs.ts';
import type { InputRounds } from '../input/rounds.ts';
import { isInputMethod, needsInput } from '../api/step.ts';
import { throughClientMiddleware } from '../middleware/late-passing.ts';
import { withoutInvalidHeaders, type KnownTools } from './known-tools.ts';
import { checkRequest } from './option-names.ts';
import type { ClientSettings } from './settings.ts';
import { hintOf, malformedIn, walkPages, type Page, type PageBounds } from '../api/pages.ts';
import { readResult } from '../api/read-result.ts';
import { ToleratedFaults, type MalformedEntry } from '../api/tolerated.ts';

/** Parts that a client is made of. */
export interface ClientParts {
  readonly connection: Reconnecting;
  readonly settings: ClientSettings;
  readonly known: KnownTools;
  readonly cache: ResponseCache;
  readonly subscriptions: {
    open(
      topics: Topics,
      onEvent: (event: SubscriptionEvent) => void,
      options?: SubscribeOptions,
    ): Promise<Subscription>;
  };
  readonly description: string;
  readonly carriesHeaders: boolean;
}

/** Limit of tools that are remembered as harmless to call again. */
const maxHints = 10_000;

/**
 * The requests of a client, in layers from the simplest: from the cache or sent, and continued until they are complete.
 */
export class Requests {
  readonly #parts: ClientParts;
  readonly #hints = new ToolHints(maxHints);
  readonly #tolerated: ToleratedFaults;

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.#tolerated = new ToleratedFaults((message) => parts.settings.onWarning?.(message));
  }

  /** Sends a request, and returns the received result. */
  async request(method: string, params?: JsonObject, options: PageOptions = {}): Promise<JsonObject> {
    checkRequest(options);
    // Recovery from failures happens behind middleware.
    if (this.#passes(options)) return await this.#send(method, params, options);
    try {
      return await this.#send(method, params, options);
    } catch (error) {
      return await this.#again(this.#learned(error), { method, params, options });
    }
  }

  /** Sends a request until it is complete, and returns the result in the newest form. */
  async call<Method extends RequestMethod>(
    method: Method,
    params: RequestTypes[Method]['params'],
    options?: PageOptions,
  ): Promise<RequestTypes[Method]['result']> {
    return await this.#read(method, params, options, this.#tolerated.in(method));
  }

  async #read<Method extends RequestMethod>(
    method: Method,
    params: RequestTypes[Method]['params'],
    options: PageOptions | undefined,
    lenience: Lenience,
  ): Promise<RequestTypes[Method]['result']> {
    const result = await this.complete(method, params, options);
    return readResult(this.#parts.connection.revision, method, result, lenience);
  }

  /** Sends a request until it is complete, and returns the received result. */
  async complete<Method extends RequestMethod>(
    method: Method,
    params: RequestTypes[Method]['params'],
    options?: PageOptions,
  ): Promise<JsonObject> {
    const { connection, settings } = this.#parts;
    // Interfaces of params are JSON objects.
    const given = params as JsonObject | undefined;
    const cached = { ...options, cache: options?.cache ?? settings.cache };
    const finish: PageOptions['finish'] = async (sent, result, following) => {
      if (!isInputMethod(method) || !needsInput(result, connection.revision)) return result;
      // A method that may need input has params.
      const request = { method, params: sent as unknown as RequestTypes[typeof method]['params'] };
      const rounds = await this.rounds();
      return await rounds.finish(request, result, following);
    };
    if (settings.chain.used) return await this.request(method, given, { ...cached, finish });
    return await finish(given, await this.request(method, given, cached), options ?? {});
  }

  async page<Method extends ListMethod>(
    method: Method,
    cursor: string | undefined,
    options?: PageOptions,
  ): Promise<Page<ListItems[Method]>> {
    const { settings } = this.#parts;
    const malformed: MalformedEntry[] = [];
    const lenience = this.#tolerated.in(method, undefined, (entry) => void malformed.push(entry));
    const result: unknown = await this.#read(method, cursor === undefined ? {} : { cursor }, options, lenience);
    const page = pageOf(method, result, (tools) =>
      this.#mirrors ? withoutInvalidHeaders(tools, (message) => settings.onWarning?.(message)) : tools,
    );
    if (malformed.length > 0) malformedIn.set(page, malformed);
    return page;
  }

  /** The bounds of a list. */
  bounds(method: ListMethod): PageBounds {
    const { maxPages, maxItems } = this.#parts.settings;
    return { maxPages, maxItems, repeats: () => this.#tolerated.repeats(method) };
  }

  /** Loads the rounds, which only requests that need input take. */
  async rounds(): Promise<InputRounds> {
    const { connection, settings } = this.#parts;
    const { createRounds } = await answering();
    return createRounds({
      inputs: settings.inputs,
      maxRounds: settings.maxRounds,
      revision: () => connection.revision,
      request: (method, params, options) => this.request(method, params, options),
    });
  }

  /** Remembers the definitions of tools. */
  learn(tools: readonly Tool[]): void {
    this.#parts.known.learn(tools);
    this.#hints.learn(tools);
  }

  /** Tells whether calls of tools mirror arguments in headers. */
  get #mirrors(): boolean {
    return this.#parts.carriesHeaders && this.#parts.connection.revision.mirroredHeaders;
  }

  #send(method: string, params: JsonObject | undefined, options: PageOptions): Promise<JsonObject> {
    return isCacheable(method, params)
      ? this.#sendOrTake(method, params, options)
      : this.#sendAnew(method, params, options);
  }

  /** Tells whether a request is to pass middleware. */
  #passes({ passed }: PageOptions): boolean {
    return this.#parts.settings.chain.used && passed !== true;
  }

  /** Lets a request pass middleware, with everything that is done to have it answered behind that. */
  async #pass(method: string, params: JsonObject | undefined, options: PageOptions): Promise<JsonObject> {
    const { connection, settings } = this.#parts;
    return await throughClientMiddleware((late) =>
      late.requestThrough(method, { params, options }, { chain: settings.chain, connection, requests: this }),
    );
  }

  #sendAnew(method: string, params: JsonObject | undefined, options: PageOptions): Promise<JsonObject> {
    if (this.#passes(options)) return this.#pass(method, params, options);
    const { connection, settings, known } = this.#parts;
    if (method !== 'tools/call') return connection.request(method, params, options);
    const harmless = settings.trustToolHints && this.#hints.has(params?.['name']);
    const mirrored = this.#mirrors ? withToolHeaders(known, params, options) : options;
    return connection.request(method, params, harmless ? { repeat: true, ...mirrored } : mirrored);
  }

  async #sendOrTake(method: string, params: JsonObject | undefined, options: PageOptions): Promise<JsonObject> {
    const request = cacheableRequest(method, params, options);
    const result = await this.#parts.cache.fetch(request, () => this.#sendAnew(method, params, options));
    if (method === 'tools/list') this.learn(toolsIn(result));
    return result;
  }

  /** Sends a request once more if that can fix its failure. */
  async #again(failure: unknown, { method, params, options }: Sent): Promise<JsonObject> {
    const mends = failure instanceof McpError && failure.kind === 'headerMismatch';
    if (method !== 'tools/call' || !this.#mirrors || !mends) throw failure;
    // Spec 2026-07-28, Streamable HTTP: the tool may have changed its mirrored arguments, so its definition is fetched
    // again.
    for await (const _ of walkPages(
      (cursor) => this.page('tools/list', cursor, { signal: options.signal, cache: 'refresh' }),
      this.#parts.settings,
    ));
    try {
      return await this.#send(method, params, options);
    } catch (error) {
      throw this.#learned(error);
    }
  }

  /** The error of a request, in the form of its revision. Elicitation ids in it are stored. */
  #learned(error: unknown): unknown {
    return learned(error, this.#parts.connection.revision, this.#parts.settings.inputs);
  }
}

interface Sent {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly options: PageOptions;
}

/** A result in the newest form as a page; for tools, only the valid ones. */
function pageOf<Method extends ListMethod>(
  method: Method,
  result: unknown,
  shown: (tools: readonly Tool[]) => readonly Tool[],
): Page<ListItems[Method]> {
  const { list } = methodOf(method) ?? {};
  // `fromWire` checked that the result has its entries there.
  const { nextCursor, ...page } = result as { readonly [key: string]: unknown; readonly nextCursor?: string };
  const listed = (list === undefined ? undefined : page[list.items]) ?? [];
  const items = method === 'tools/list' ? shown(listed as readonly Tool[]) : listed;
  return { ...hintOf(page), nextCursor, items: items as readonly ListItems[Method][] };
}

/**
 * An error in the form of its revision, whose elicitation ids are stored. Only some revisions define an error that
 * lists pages to visit. Elsewhere its code has no such meaning.
 */
export function learned(error: unknown, revision: Revision, inputs: Inputs): unknown {
  if (!(error instanceof McpError) || error.kind !== 'urlElicitationRequired') return error;
  if (!namesElicitations(revision)) return new McpError(error.code, error.message, { data: error.data });
  inputs.learn(error);
  return error;
}

function withToolHeaders(known: KnownTools, params: JsonObject | undefined, options: PageOptions): PageOptions {
  const headers = known.headers(String(params?.['name']), params?.['arguments']);
  return { ...options, headers: { ...options.headers, ...headers } };
}

/** The definitions in an unchecked list that are whole enough to be remembered. */
function toolsIn({ tools }: JsonObject): readonly Tool[] {
  // Only the name and the schemas are used, and those are read as unknown values.
  return Array.isArray(tools)
    ? tools.filter((tool): tool is Tool => isObject(tool) && typeof tool['name'] === 'string')
    : [];
}
