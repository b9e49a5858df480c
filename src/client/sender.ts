import { isObject } from '../jsonrpc/message.ts';
import type { JsonObject } from '../protocol/features/common.ts';
import { McpError } from '../protocol/error.ts';
import type { Revision } from '../protocol/revision.ts';
import type { Tool } from '../protocol/features/tool.ts';
import { isCacheable } from './cache/cache-key.ts';
import type { CacheMode, ResponseCache } from './cache/cache.ts';
import type { ClientRequestOptions } from './client.ts';
import { namesElicitations } from './input/elicitation-ids.ts';
import type { Inputs } from './input/inputs.ts';
import type { KnownTools } from './known-tools.ts';
import { checkRequest } from './option-names.ts';
import type { ClientSettings } from './options.ts';
import { ToolHints } from './connection/retry.ts';
import type { Reconnecting } from './connection/reconnecting.ts';

/** What single requests need. */
export interface SenderParts {
  readonly session: Reconnecting;
  readonly settings: ClientSettings;
  readonly known: KnownTools;
  readonly cache: ResponseCache;
  readonly carriesHeaders: boolean;
}

/** The options of one page of a list. */
export interface PageOptions extends ClientRequestOptions {
  /** What the cache said of the list when its first page was asked for. */
  readonly stamp?: number | undefined;
}

/** How single requests are sent. */
export interface Sender {
  /** Sends a request, or takes what the cache has kept; gives the result as it came. */
  send(method: string, params?: JsonObject, options?: PageOptions): Promise<JsonObject>;
  /** Remembers the definitions of tools. */
  learn(tools: readonly Tool[]): void;
  /** What a request fails with, in words of its revision; what it tells is kept. */
  learned(error: unknown): unknown;
  /** Whether calls of tools mirror arguments in headers. */
  mirrors(): boolean;
}

/** How many tools are remembered as harmless to call again. */
const mostHints = 10_000;

/** Makes what sends single requests over a settled session. */
export function createSender({ session, settings, known, cache, carriesHeaders }: SenderParts): Sender {
  const hints = new ToolHints(mostHints);
  const mirrors = (): boolean => carriesHeaders && session.revision.mirroredHeaders;
  const learn = (tools: readonly Tool[]): void => {
    known.learn(tools);
    hints.learn(tools);
  };
  const sendAnew = (method: string, params: JsonObject | undefined, options: PageOptions): Promise<JsonObject> => {
    const call = method === 'tools/call';
    const harmless = call && settings.trustToolHints && hints.has(params?.['name']);
    const mirrored = call && mirrors() ? withToolHeaders(known, params, options) : options;
    return session.request(method, params, harmless ? { repeat: true, ...mirrored } : mirrored);
  };
  const sendOrTake = async (
    method: string,
    params: JsonObject | undefined,
    options: PageOptions,
  ): Promise<JsonObject> => {
    const { stamp, signal } = options;
    const mode = cacheModeOf(options);
    const request = { method, params, mode, variant: variantOf(options), stamp, sharing: sharingOf(options), signal };
    const result = await cache.fetch(request, () => sendAnew(method, params, options));
    if (method === 'tools/list') learn(toolsIn(result));
    return result;
  };
  return {
    learn,
    mirrors,
    learned: (error) => learned(error, session.revision, settings.inputs),
    send(method, params, options = {}) {
      checkRequest(options);
      return isCacheable(method, params) ? sendOrTake(method, params, options) : sendAnew(method, params, options);
    },
  };
}

/** A request that differs in more than its parameters and who asks is not one of those that were kept. */
function cacheModeOf({ cache = 'bypass', meta, headers, progressToken }: PageOptions): CacheMode {
  const own = meta ?? headers ?? progressToken;
  return own === undefined ? cache : 'bypass';
}

/** Who a request speaks for, where that is not the client itself. */
function variantOf({ clientInfo, capabilities }: PageOptions): JsonObject | undefined {
  return clientInfo === undefined && capabilities === undefined ? undefined : { clientInfo, capabilities };
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
