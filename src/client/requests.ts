import { isObject } from '../jsonrpc/message.ts';
import type { RequestOptions } from '../peer/caller.ts';
import type { JsonObject } from '../peer/waiting.ts';
import { McpError } from '../protocol/error.ts';
import type { RequestMethod, RequestTypes } from '../protocol/methods.ts';
import type { Revision } from '../protocol/revision.ts';
import type { Tool } from '../protocol/tool.ts';
import type { ListItems, ListMethod } from './client.ts';
import { namesElicitations, type Inputs } from './inputs.ts';
import { withoutInvalidHeaders, type KnownTools } from './known-tools.ts';
import { lift } from './lift.ts';
import type { ClientSettings } from './options.ts';
import { hintOf, walkPages, type Page } from './pages.ts';
import { createRounds, type Rounds } from './rounds.ts';
import type { Session } from './session.ts';
import { isInputMethod, needsInput, stepOf } from './step.ts';

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
  /** What may need input first, step by step. */
  readonly rounds: Rounds;
}

/** Makes the ways to ask over a settled session. */
export function createRequests({ session, settings, known, overHttp }: ClientParts): Requests {
  const mirrors = (): boolean => overHttp && session.revision.era === 'stateless';
  const plain = async (method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> => {
    const result = await session
      .request(method, params, method === 'tools/call' && mirrors() ? withToolHeaders(known, params, options) : options)
      .catch((error: unknown) => {
        throw learned(error, session.revision, settings.inputs);
      });
    if (method === 'tools/list') known.learn(toolsIn(result));
    return result;
  };
  const requests: Requests = {
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
          (cursor) => requests.page('tools/list', cursor, { signal: options?.signal }),
          settings,
        ));
        return await plain(method, params, options);
      }
    },
    async call(method, params, options) {
      // Interfaces of params are JSON objects.
      const result = await requests.request(method, params as JsonObject | undefined, options);
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
