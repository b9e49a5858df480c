import type { JsonObject } from '../protocol/features/common.ts';
import { McpError } from '../protocol/error.ts';
import {
  methodOf,
  type ListItems,
  type ListMethod,
  type RequestMethod,
  type RequestTypes,
} from '../protocol/catalogue.ts';
import type { Tool } from '../protocol/features/tool.ts';

import { withoutInvalidHeaders } from './known-tools.ts';
import { lift } from './read-result.ts';
import { hintOf, walkPages, type Page } from './pages.ts';
import { answering } from './input/inputs.ts';
import type { Rounds } from './input/rounds.ts';
import { createSender, type PageOptions, type SenderParts } from './sender.ts';
import { isInputMethod, needsInput } from './input/step.ts';
import type { Subscriptions } from './subscriptions/subscriptions.ts';

/** What a client is made of. */
export interface ClientParts extends SenderParts {
  readonly subscriptions: Pick<Subscriptions, 'open'>;
  readonly description: string;
}

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
  rounds(): Promise<Rounds>;
  /** Remembers the definitions of tools. */
  learn(tools: readonly Tool[]): void;
}

/** Makes the ways to ask over a settled session. */
export function createRequests(parts: ClientParts): Requests {
  const { session, settings } = parts;
  const { send, learn, learned, mirrors } = createSender(parts);
  /** Sends a request once more where its failure can be mended. */
  const again = async (failure: unknown, { method, params, options }: Sent): Promise<JsonObject> => {
    if (method !== 'tools/call' || !mirrors() || !(failure instanceof McpError) || failure.kind !== 'headerMismatch')
      throw failure;
    // Spec 2026-07-28, Streamable HTTP: the tool may have changed what it mirrors, so its definition is fetched anew.
    for await (const _ of walkPages(
      (cursor) => requests.page('tools/list', cursor, { signal: options?.signal, cache: 'refresh' }),
      settings,
    ));
    try {
      return await send(method, params, options);
    } catch (error) {
      throw learned(error);
    }
  };
  const requests: Requests = {
    learn,
    rounds: () => roundsOf(parts, requests),
    async request(method, params, options) {
      try {
        return await send(method, params, options);
      } catch (error) {
        return await again(learned(error), { method, params, options });
      }
    },
    async call(method, params, options) {
      // Interfaces of params are JSON objects.
      const given = params as JsonObject | undefined;
      const cached = { ...options, cache: options?.cache ?? settings.cache };
      let result: JsonObject;
      try {
        result = await send(method, given, cached);
      } catch (error) {
        result = await again(learned(error), { method, params: given, options: cached });
      }
      const { revision } = session;
      if (!isInputMethod(method) || !needsInput(result, revision)) return lift(revision, method, result);
      // A method that may need input has params.
      const request = { method, params: params as RequestTypes[typeof method]['params'] };
      const rounds = await requests.rounds();
      return lift(revision, method, await rounds.finish(request, result, options));
    },
    async page(method, cursor, options) {
      const result: unknown = await requests.call(method, cursor === undefined ? {} : { cursor }, options);
      return pageOf(method, result, (tools) =>
        mirrors() ? withoutInvalidHeaders(tools, (message) => settings.onWarning?.(message)) : tools,
      );
    },
  };
  return requests;
}

async function roundsOf({ session, settings }: ClientParts, requests: Requests): Promise<Rounds> {
  const { createRounds } = await answering();
  return createRounds({
    inputs: settings.inputs,
    maxRounds: settings.maxRounds,
    revision: () => session.revision,
    request: (method, params, options) => requests.request(method, params, options),
  });
}

interface Sent {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly options: PageOptions | undefined;
}

/** A result in the newest words as a page; of tools, those that may be shown. */
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
