import { isObject } from '../jsonrpc/message.ts';
import { ConnectionError } from '../jsonrpc/transport.ts';
import type { RequestOptions } from '../peer/caller.ts';
import type { JsonObject } from '../peer/calls.ts';
import { hasServerCapability } from '../protocol/capability.ts';
import { McpError } from '../protocol/error.ts';
import { fromWire } from '../protocol/from-wire.ts';
import { methodOf } from '../protocol/method.ts';
import type { RequestMethod, RequestTypes } from '../protocol/methods.ts';
import type { Revision } from '../protocol/revision.ts';
import type { Tool } from '../protocol/tool.ts';
import type { Client, ListItems, ListMethod } from './client.ts';
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

/** Makes the client of a settled session. */
export function createClient(parts: ClientParts): Client {
  const { session, settings, known, description } = parts;
  const requests = createRequests(parts);
  const { request, call } = requests;
  const list = async <Method extends ListMethod>(method: Method, options: RequestOptions | undefined): Promise<readonly ListItems[Method][]> => {
    const needed = methodOf(method)?.needs;
    if (needed !== undefined && !hasServerCapability(session.capabilities, needed)) return [];
    const items: ListItems[Method][] = [];
    for await (const page of walkPages((cursor) => requests.page(method, cursor, options), settings)) items.push(...page.items);
    return items;
  };
  return {
    get revision() {
      return session.revision.date;
    },
    get server() {
      return session.server;
    },
    get capabilities() {
      return session.capabilities;
    },
    get instructions() {
      return session.instructions;
    },
    get verdict() {
      return session.verdict;
    },
    description,
    listTools: (options) => list('tools/list', options),
    listResources: (options) => list('resources/list', options),
    listResourceTemplates: (options) => list('resources/templates/list', options),
    listPrompts: (options) => list('prompts/list', options),
    pages: (method, options) => walkPages((cursor) => requests.page(method, cursor, options), settings),
    async callTool(name, argumentsOfCall, options) {
      const check = settings.validateOutput && session.revision.structuredContent !== 'none' ? await known.check(name) : undefined;
      const result = await call('tools/call', { name, ...(argumentsOfCall && { arguments: argumentsOfCall }) }, options);
      check?.(result);
      return result;
    },
    learnTools: (tools) => known.learn(tools),
    readResource: (uri, options) => call('resources/read', { uri }, options),
    getPrompt: (name, argumentsOfPrompt, options) => call('prompts/get', { name, ...(argumentsOfPrompt && { arguments: argumentsOfPrompt }) }, options),
    complete: (ref, argument, options) => call('completion/complete', { ref, argument, ...(options?.context && { context: options.context }) }, options),
    async ping(options) {
      await request(session.revision.era === 'stateless' ? 'server/discover' : 'ping', undefined, options);
    },
    async setLogLevel(level) {
      if (session.revision.logging === 'request') session.logLevel = level;
      else if (level === undefined) throw new TypeError('the log level of a session cannot be unset');
      else await call('logging/setLevel', { level });
    },
    request,
    notify: (method, params) => session.notify(method, params),
    onClose: (listener) => session.onClose(listener),
    closed: session.closed,
    close: () => session.close(),
  };
}

/** The ways to ask, from the plainest up. */
interface Requests {
  /** The result as it came. */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /** The result in the newest words. */
  call<Method extends RequestMethod>(method: Method, params: RequestTypes[Method]['params'], options?: RequestOptions): Promise<RequestTypes[Method]['result']>;
  page<Method extends ListMethod>(method: Method, cursor: string | undefined, options?: RequestOptions): Promise<Page<ListItems[Method]>>;
}

function createRequests({ session, settings, known, overHttp }: ClientParts): Requests {
  const mirrors = (): boolean => overHttp && session.revision.era === 'stateless';
  const plain = async (method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> => {
    const result = await session.request(method, params, method === 'tools/call' && mirrors() ? withToolHeaders(known, params, options) : options);
    if (method === 'tools/list') known.learn(toolsIn(result));
    return result;
  };
  const requests: Requests = {
    async request(method, params, options) {
      try {
        return await plain(method, params, options);
      } catch (error) {
        if (method !== 'tools/call' || !mirrors() || !(error instanceof McpError) || error.kind !== 'headerMismatch') throw error;
        // Spec 2026-07-28, Streamable HTTP: the tool may have changed what it mirrors, so its definition is fetched anew.
        for await (const _ of walkPages((cursor) => requests.page('tools/list', cursor, { signal: options?.signal }), settings));
        return await plain(method, params, options);
      }
    },
    async call(method, params, options) {
      // Interfaces of params are JSON objects.
      const result = await requests.request(method, params as JsonObject | undefined, options);
      if (result['resultType'] === 'input_required' && session.revision.era === 'stateless') throw new InputRequiredError(method, result);
      return lift(session.revision, method, result);
    },
    async page(method, cursor, options) {
      const result: unknown = await requests.call(method, cursor === undefined ? {} : { cursor }, options);
      // Each list has its items under one of these names, as `fromWire` checked.
      const { tools, resources, resourceTemplates, prompts, nextCursor, ...hint } = result as Readonly<Record<string, readonly never[]>> & { readonly nextCursor?: string };
      const shown = tools !== undefined && mirrors() ? withoutInvalidHeaders(tools, (message) => settings.onWarning?.(message)) : tools;
      const items = (shown ?? resources ?? resourceTemplates ?? prompts ?? []) as readonly ListItems[typeof method][];
      return { ...hintOf(hint), nextCursor, items };
    },
  };
  return requests;
}

function withToolHeaders(known: KnownTools, params: JsonObject | undefined, options: RequestOptions | undefined): RequestOptions {
  const headers = known.headers(String(params?.['name']), params?.['arguments']);
  return { ...options, headers: { ...options?.headers, ...headers } };
}

/** The definitions in an unchecked list that are whole enough to be remembered. */
function toolsIn({ tools }: JsonObject): readonly Tool[] {
  // Only the name and the schemas are used, and those are read as unknown values.
  return Array.isArray(tools) ? (tools.filter((tool) => isObject(tool) && typeof tool['name'] === 'string') as unknown as readonly Tool[]) : [];
}

function lift<Method extends RequestMethod>(revision: Revision, method: Method, result: JsonObject): RequestTypes[Method]['result'] {
  const type = methodOf(method)?.result;
  try {
    // The row of a method names the type of its result.
    return (type === undefined ? result : fromWire(revision, type, result)) as RequestTypes[Method]['result'];
  } catch (cause) {
    if (!(cause instanceof McpError)) throw cause;
    throw new ConnectionError('invalid-message', `the result of ${method} is malformed: ${cause.message}`, { cause });
  }
}
