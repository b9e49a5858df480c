import type { Call } from '../../server/runtime/call.ts';
import type { Handler } from '../../server/runtime/server-core.ts';
import type { CompleteRequestParams } from '../../protocol/features/completion.ts';
import { methodsWith, type RequestTypes } from '../../protocol/catalogue.ts';
import { mostOf } from './begin.ts';
import type { MergedCatalogue } from './merged-catalogue.ts';
import type { MergedListen } from './listen.ts';
import { requestsAboutTasks } from '../single/handlers.ts';
import { mergedLists, type MergedList } from './lists.ts';
import type { DeferredTaskRoutes } from './deferred-routes.ts';
import type { MergedSessions } from './sessions.ts';
import type { Routes } from './routes.ts';
import type { Backend } from './backend.ts';

/** Parts that the handlers of a merged bridge work with. */
export interface MergedHandlersOptions {
  readonly backends: readonly Backend[];
  readonly catalogue: MergedCatalogue;
  readonly routes: Routes;
  readonly sessions: MergedSessions;
  readonly listens: MergedListen;
  readonly tasks: DeferredTaskRoutes;
}

/** Longest wait for the first server to end a watch, in milliseconds. */
const maxMs = 10_000;

type Handlers = {
  readonly [Method in keyof RequestTypes]?: (params: RequestTypes[Method]['params'], call: Call) => unknown;
};

/** The handlers of a merged bridge, by method: each finds the server, or the servers, that a request is for. */
export function mergedHandlers({
  backends,
  catalogue,
  routes,
  sessions,
  listens,
  tasks,
}: MergedHandlersOptions): ReadonlyMap<string, Handler> {
  // The table has every kind.
  const kinds = Object.keys(mergedLists) as MergedList[];
  const named = async (kind: 'tools' | 'prompts', params: { readonly name: string }, call: Call): Promise<unknown> => {
    const { owner, name } = await routes.named(kind, params.name, call);
    return await routes.to(owner, { ...params, name }, call);
  };
  const own: Handlers = {
    'tools/call': (params, call) => named('tools', params, call),
    'prompts/get': (params, call) => named('prompts', params, call),
    'resources/read': (params, call) => routes.byUri(params.uri, { ...params }, call),
    'resources/subscribe': (params, call) => routes.byUri(params.uri, { ...params }, call),
    'resources/unsubscribe': async (params, call) => {
      // The server with the subscription ends it. The others ignore an unknown URI.
      const leaving = backends.map(
        async ({ single }) => await single?.host.handler(call.method)?.({ ...params }, call),
      );
      const failed: unknown[] = [];
      for (const one of leaving) one.catch((error: unknown) => failed.push(error));
      await mostOf(leaving, maxMs);
      if (failed.length > 0) throw failed[0];
      return {};
    },
    'completion/complete': (params, call) => complete(params, call, routes),
    'logging/setLevel': (params, call) => sessions.setLevel(backends, { ...params }, call),
    'subscriptions/listen': ({ notifications }, call) => listens.listen(notifications, call),
  };
  return new Map<string, Handler>([
    // A request that names no item of one server goes to the first server that knows it.
    ...methodsWith(({ carried }) => carried !== undefined).map((method): [string, Handler] => [
      method,
      (params, call) => routes.inOrder(params, call),
    ]),
    ...requestsAboutTasks.map((method): [string, Handler] => [
      method,
      async (params, call) => (await tasks()).about(params, call),
    ]),
    ...kinds.map((kind): [string, Handler] => [
      mergedLists[kind].method,
      (params, call) => catalogue.list(kind, params['cursor'], call),
    ]),
    // Each handler gets the parameters of its own method: the conversation read them by the method's row.
    ...(Object.entries(own) as [string, Handler][]),
  ]);
}

/** A prompt has its owner's name. A template is identified by its URI. */
async function complete(params: CompleteRequestParams, call: Call, routes: Routes): Promise<unknown> {
  const { ref } = params;
  if (ref.type === 'ref/resource') return await routes.byUri(ref.uri, { ...params }, call);
  const { owner, name } = await routes.named('prompts', ref.name, call);
  return await routes.to(owner, { ...params, ref: { ...ref, name } }, call);
}
