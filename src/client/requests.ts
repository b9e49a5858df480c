import type { JsonObject } from '../peer/waiting.ts';
import { McpError } from '../protocol/error.ts';
import type { RequestMethod, RequestTypes } from '../protocol/methods.ts';
import type { Tool } from '../protocol/tool.ts';
import type { ListItems, ListMethod } from './client.ts';
import { withoutInvalidHeaders } from './known-tools.ts';
import { lift } from './lift.ts';
import { hintOf, walkPages, type Page } from './pages.ts';
import { createRounds, type Rounds } from './rounds.ts';
import { createSender, type PageOptions, type SenderParts } from './sender.ts';
import { isInputMethod, needsInput, stepOf } from './step.ts';
import type { Subscriptions } from './subscriptions.ts';

/** What a client is made of. */
export interface ClientParts extends SenderParts {
  readonly subscriptions: Subscriptions;
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
  readonly rounds: Rounds;
  /** Remembers the definitions of tools. */
  learn(tools: readonly Tool[]): void;
}

/** Makes the ways to ask over a settled session. */
export function createRequests(parts: ClientParts): Requests {
  const { session, settings } = parts;
  const { send, learn, mirrors } = createSender(parts);
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
        return await send(method, params, options);
      } catch (error) {
        if (method !== 'tools/call' || !mirrors() || !(error instanceof McpError) || error.kind !== 'headerMismatch')
          throw error;
        // Spec 2026-07-28, Streamable HTTP: the tool may have changed what it mirrors, so its definition is fetched anew.
        for await (const _ of walkPages(
          (cursor) => requests.page('tools/list', cursor, { signal: options?.signal, cache: 'refresh' }),
          settings,
        ));
        return await send(method, params, options);
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
      return pageOf<typeof method>(result, (tools) =>
        mirrors() ? withoutInvalidHeaders(tools, (message) => settings.onWarning?.(message)) : tools,
      );
    },
  };
  return requests;
}

/** A result in the newest words as a page; of tools, those that may be shown. */
function pageOf<Method extends ListMethod>(
  result: unknown,
  shown: (tools: readonly Tool[]) => readonly Tool[],
): Page<ListItems[Method]> {
  // Each list has its items under one of these names, as `fromWire` checked.
  const { tools, resources, resourceTemplates, prompts, nextCursor, ...hint } = result as {
    readonly [key: string]: unknown;
    readonly tools?: readonly Tool[];
    readonly nextCursor?: string;
  };
  const items = (tools && shown(tools)) ?? resources ?? resourceTemplates ?? prompts ?? [];
  return { ...hintOf(hint), nextCursor, items: items as readonly ListItems[Method][] };
}
