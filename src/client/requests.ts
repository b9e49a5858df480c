import { isObject } from '../jsonrpc/message.ts';
import { ConnectionError } from '../jsonrpc/transport.ts';
import type { RequestOptions } from '../peer/caller.ts';
import type { JsonObject } from '../peer/waiting.ts';
import { McpError } from '../protocol/error.ts';
import { fromWire } from '../protocol/from-wire.ts';
import { methodOf } from '../protocol/method.ts';
import type { RequestMethod, RequestTypes } from '../protocol/methods.ts';
import type { Revision } from '../protocol/revision.ts';
import type { Tool } from '../protocol/tool.ts';
import type { ListItems, ListMethod } from './client.ts';
import { InputRequiredError } from './errors.ts';
import { withoutInvalidHeaders, type KnownTools } from './known-tools.ts';
import type { ClientSettings } from './options.ts';
import { hintOf, walkPages, type Page } from './pages.ts';
import type { Session } from './session.ts';

/** What a client is made of. */
export interface ClientParts {
  readonly session: Session;
  readonly settings: ClientSettings;
  readonly known: KnownTools;
  readonly description: string;
  readonly overHttp: boolean;
}

/** The ways to ask, from the plainest up. */
export interface Requests {
  /** The result as it came. */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /** The result in the newest words. */
  call<Method extends RequestMethod>(
    method: Method,
    params: RequestTypes[Method]['params'],
    options?: RequestOptions,
  ): Promise<RequestTypes[Method]['result']>;
  page<Method extends ListMethod>(
    method: Method,
    cursor: string | undefined,
    options?: RequestOptions,
  ): Promise<Page<ListItems[Method]>>;
}

/** Makes the ways to ask over a settled session. */
export function createRequests({ session, settings, known, overHttp }: ClientParts): Requests {
  const mirrors = (): boolean => overHttp && session.revision.era === 'stateless';
  const plain = async (method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> => {
    const result = await session.request(
      method,
      params,
      method === 'tools/call' && mirrors() ? withToolHeaders(known, params, options) : options,
    );
    if (method === 'tools/list') known.learn(toolsIn(result));
    return result;
  };
  const requests: Requests = {
    async request(method, params, options) {
      try {
        return await plain(method, params, options);
      } catch (error) {
        if (method !== 'tools/call' || !mirrors() || !(error instanceof McpError) || error.kind !== 'headerMismatch')
          throw error;
        // Spec 2026-07-28, Streamable HTTP: the tool may have changed what it mirrors, so its definition is fetched anew.
        for await (const _ of walkPages(
          (cursor) => requests.page('tools/list', cursor, { signal: options?.signal }),
          settings,
        ));
        return await plain(method, params, options);
      }
    },
    async call(method, params, options) {
      // Interfaces of params are JSON objects.
      const result = await requests.request(method, params as JsonObject | undefined, options);
      if (result['resultType'] === 'input_required' && session.revision.era === 'stateless')
        throw new InputRequiredError(method, result);
      return lift(session.revision, method, result);
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

function withToolHeaders(
  known: KnownTools,
  params: JsonObject | undefined,
  options: RequestOptions | undefined,
): RequestOptions {
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

function lift<Method extends RequestMethod>(
  revision: Revision,
  method: Method,
  result: JsonObject,
): RequestTypes[Method]['result'] {
  const type = methodOf(method)?.result;
  try {
    // The row of a method names the type of its result.
    return (type === undefined ? result : fromWire(revision, type, result)) as RequestTypes[Method]['result'];
  } catch (cause) {
    if (!(cause instanceof McpError)) throw cause;
    throw new ConnectionError('invalid-message', `the result of ${method} is malformed: ${cause.message}`, { cause });
  }
}
