import { isObject } from '../jsonrpc/message.ts';
import type { JsonObject } from '../peer/waiting.ts';
import { McpError } from '../protocol/error.ts';
import type { RequestMethod, RequestTypes } from '../protocol/methods.ts';
import type { Revision } from '../protocol/revision.ts';
import type { Tool } from '../protocol/tool.ts';
import type { CacheMode, ResponseCache } from './cache.ts';
import type { ClientRequestOptions, ListItems, ListMethod } from './client.ts';
import { namesElicitations, type Inputs } from './inputs.ts';
import { withoutInvalidHeaders, type KnownTools } from './known-tools.ts';
import { lift } from './lift.ts';
import type { ClientSettings } from './options.ts';
import { hintOf, walkPages, type Page } from './pages.ts';
import { createRounds, type Rounds } from './rounds.ts';
import { ToolHints } from './recover.ts';
import type { Session } from './session.ts';
import { isInputMethod, needsInput, stepOf } from './step.ts';
import type { Subscriptions } from './subscriptions.ts';

/** What a client is made of. */
export interface ClientParts {
  readonly session: Session;
  readonly settings: ClientSettings;
  readonly known: KnownTools;
  readonly cache: ResponseCache;
  readonly subscriptions: Subscriptions;
  readonly description: string;
  readonly overHttp: boolean;
}

/** The options of one page of a list. */
export interface PageOptions extends ClientRequestOptions {
  /** What the cache says of the list when its first page is asked for. */
  readonly stamp?: number | undefined;
}

/** How many tools are remembered as harmless to call again. */
const mostHints = 10_000;

/** The ways to ask, from the plainest up. */
export interface Requests {
  /** The result as it came. */
  request(method: string, params?: JsonObject, options?: PageOptions): Promise<JsonObject>;
  /** The result in the newest words. */
  call<Method extends RequestMethod>(
    method: Method,
    params: RequestTypes[Method]['params'],
    options?: PageOptions,
  ): Promise<RequestTypes[Method]['result']>;
  page<Method extends ListMethod>(
    method: Method,
    cursor: string | undefined,
    options?: PageOptions,
  ): Promise<Page<ListItems[Method]>>;
  /** What may need input first, step by step. */
  readonly rounds: Rounds;
  /** Remembers the definitions of tools. */
  learn(tools: readonly Tool[]): void;
}

/** Makes the ways to ask over a settled session. */
export function createRequests({ session, settings, known, cache, overHttp }: ClientParts): Requests {
  const hints = new ToolHints(mostHints);
  const mirrors = (): boolean => overHttp && session.revision.era === 'stateless';
  const learn = (tools: readonly Tool[]): void => {
    known.learn(tools);
    hints.learn(tools);
  };
  const send = async (method: string, params?: JsonObject, options?: PageOptions): Promise<JsonObject> => {
    const call = method === 'tools/call';
    const harmless = call && settings.trustToolHints && hints.has(params?.['name']);
    const mirrored = call && mirrors() ? withToolHeaders(known, params, options) : options;
    try {
      return await session.request(method, params, harmless ? { repeat: true, ...mirrored } : mirrored);
    } catch (error) {
      throw learned(error, session.revision, settings.inputs);
    }
  };
  const plain = async (method: string, params?: JsonObject, options: PageOptions = {}): Promise<JsonObject> => {
    const { stamp, signal } = options;
    const result = await cache.fetch(
      { method, params, mode: cacheModeOf(options), stamp, sharing: sharingOf(options), signal },
      () => send(method, params, options),
    );
    if (method === 'tools/list') learn(toolsIn(result));
    return result;
  };
  const requests: Requests = {
    learn,
    rounds: createRounds({
      inputs: settings.inputs,
      maxRounds: settings.maxRounds,
      revision: () => session.revision,
      request: (method, params, options) => requests.request(method, params, options),
    }),
    async request(method, params, options) {
      try {
        return await plain(method, params, options);
      } catch (error) {
        if (method !== 'tools/call' || !mirrors() || !(error instanceof McpError) || error.kind !== 'headerMismatch')
          throw error;
        // Spec 2026-07-28, Streamable HTTP: the tool may have changed what it mirrors, so its definition is fetched anew.
        for await (const _ of walkPages(
          (cursor) => requests.page('tools/list', cursor, { signal: options?.signal, cache: 'refresh' }),
          settings,
        ));
        return await plain(method, params, options);
      }
    },
    async call(method, params, options) {
      // Interfaces of params are JSON objects.
      const cached = { ...options, cache: options?.cache ?? settings.cache };
      const result = await requests.request(method, params as JsonObject | undefined, cached);
      const { revision } = session;
      if (!isInputMethod(method) || !needsInput(result, revision)) return lift(revision, method, result);
      // A method that may need input has params.
      const step = stepOf(method, params as RequestTypes[typeof method]['params'], { result, revision });
      return lift(revision, method, await requests.rounds.finish(step, options));
    },
    async page(method, cursor, options) {
      const result: unknown = await requests.call(method, cursor === undefined ? {} : { cursor }, options);
      // Each list has its items under one of these names, as `fromWire` checked.
      const { tools, resources, resourceTemplates, prompts, nextCursor, ...hint } = result as Readonly<
        Record<string, readonly never[]>
      > & { readonly nextCursor?: string };
      const shown =
        tools !== undefined && mirrors()
          ? withoutInvalidHeaders(tools, (message) => settings.onWarning?.(message))
          : tools;
      const items = (shown ?? resources ?? resourceTemplates ?? prompts ?? []) as readonly ListItems[typeof method][];
      return { ...hintOf(hint), nextCursor, items };
    },
  };
  return requests;
}

/** A request that differs in more than its parameters is not one of those that were kept. */
function cacheModeOf({ cache = 'bypass', meta, headers, clientInfo, capabilities, progressToken }: PageOptions): CacheMode {
  const own = meta ?? headers ?? clientInfo ?? capabilities ?? progressToken;
  return own === undefined ? cache : 'bypass';
}

/** What requests must have in common to share one exchange: its time limits, and nobody who follows it. */
function sharingOf({ timeoutMs, maxTotalTimeoutMs, logLevel, onProgress }: PageOptions): string | undefined {
  return onProgress === undefined ? JSON.stringify([timeoutMs, maxTotalTimeoutMs, logLevel]) : undefined;
}

/** Only some revisions know an error that names the pages to visit; elsewhere its code is anybody's. */
function learned(error: unknown, revision: Revision, inputs: Inputs): unknown {
  if (!(error instanceof McpError) || error.kind !== 'urlElicitationRequired') return error;
  if (!namesElicitations(revision)) return new McpError(error.code, error.message, { data: error.data });
  inputs.learn(error);
  return error;
}

function withToolHeaders(
  known: KnownTools,
  params: JsonObject | undefined,
  options: PageOptions | undefined,
): PageOptions {
  const headers = known.headers(String(params?.['name']), params?.['arguments']);
  return { ...options, headers: { ...options?.headers, ...headers } };
}

/** The definitions in an unchecked list that are whole enough to be remembered. */
function toolsIn({ tools }: JsonObject): readonly Tool[] {
  // Only the name and the schemas are used, and those are read as unknown values.
  return Array.isArray(tools)
    ? tools.filter((tool): tool is Tool => isObject(tool) && typeof tool['name'] === 'string')
    : [];
}
