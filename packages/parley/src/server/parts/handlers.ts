import type { Call } from '../runtime/call.ts';
import type { AuthInfo } from '../runtime/request-handler.ts';
import type { Handler, ServerSession } from '../runtime/server-core.ts';
import { notFound } from '../../connection/gate.ts';
import { hasServerCapability } from '../../protocol/capability.ts';
import { McpError } from '../../protocol/error.ts';
import { mapMaybe } from '../../storage/maybe-promise.ts';
import type { RequestTypes } from '../../protocol/catalogue.ts';
import { Listing } from '../features/listing.ts';
import type { ServerParts } from './parts.ts';
import type * as Offered from './offered.ts';
import type * as SeldomUsed from './seldom-used.ts';
import type { Registry } from '../definition/registry.ts';
import type { Telling } from '../definition/subscriptions.ts';
import { callTool } from '../features/tools.ts';
import { withinRates } from './within.ts';

type Handlers = {
  readonly [Method in keyof RequestTypes]?: (
    params: RequestTypes[Method]['params'],
    call: Call,
  ) => RequestTypes[Method]['result'] | Promise<RequestTypes[Method]['result']>;
};

let loadedOffered: typeof Offered | undefined;
let loadedSeldomUsed: typeof SeldomUsed | undefined;

/** Runs with code that a server with only tools never needs. It is loaded when a resource or a prompt is first used. */
function offered<T>(run: (late: typeof Offered) => T | Promise<T>): T | Promise<T> {
  return loadedOffered === undefined
    ? import('./offered.ts').then((late) => run((loadedOffered = late)))
    : run(loadedOffered);
}

/** Runs with code that few servers need. It is loaded when one of its features is first used. */
export function seldomUsed<T>(run: (late: typeof SeldomUsed) => T | Promise<T>): T | Promise<T> {
  return loadedSeldomUsed === undefined
    ? import('./seldom-used.ts').then((late) => run((loadedSeldomUsed = late)))
    : run(loadedSeldomUsed);
}

/**
 * Gives the handler of a method; where something is not for everybody, one that sees to that.
 *
 * @param handlers Those for everybody.
 */
export function restrictedHandler(
  parts: ServerParts,
  handlers: ReadonlyMap<string, Handler>,
  method: string,
): Handler | undefined {
  const handler = handlers.get(method);
  const { tools, resources, templates, prompts } = parts;
  if (
    !(tools.restricted || resources.restricted || templates.restricted || prompts.restricted) ||
    handler === undefined
  )
    return handler;
  return (params, call) => seldomUsed((late) => late.restricted(parts, handler)(params, call));
}

/**
 * Tells those who watch a resource that it changed, and of them who may know of it now.
 *
 * @param tell Does so when it can be judged who may.
 */
export function tellUpdate(parts: ServerParts, tell: () => void): void {
  // The visibility is checked while the notification is sent. The caller does not wait for that.
  if (isForEverybody(parts) || loadedSeldomUsed !== undefined) tell();
  else void Promise.resolve(seldomUsed(tell)).catch((error: unknown) => parts.options.onError(error, 'resources'));
}

/** Tells whether a caller may learn of a resource. If a rule fails, no caller may. */
export function mayHear(parts: ServerParts, uri: string, auth: AuthInfo | undefined): boolean {
  try {
    return isForEverybody(parts) || loadedSeldomUsed?.isThere(parts, uri, { auth }) === true;
  } catch (error) {
    parts.options.onError(error, 'resources');
    return false;
  }
}

function isForEverybody({ resources, templates }: ServerParts): boolean {
  return !resources.restricted && !templates.restricted;
}

/** The handlers of a server's methods by name. */
export function handlersOf(parts: ServerParts): ReadonlyMap<string, Handler> {
  // Each handler gets the parameters of its own method: the conversation read them by the method's row.
  return new Map(Object.entries({ ...lists(parts), ...uses(parts), ...subscribing(parts) }) as [string, Handler][]);
}

/** The handler of methods that the protocol does not know: those of the server's own. */
export function ownHandler(parts: ServerParts): Handler {
  const { methods } = parts;
  const handler: Handler = (params, call) => {
    const entry = methods.find(call.method, call.auth);
    if (entry === undefined) throw notFound(call.method, `is not a method of ${call.facts.date}`);
    return seldomUsed(({ callMethod }) => callMethod(entry, params, call));
  };
  return (params, call) =>
    methods.restricted ? seldomUsed((late) => late.restricted(parts, handler)(params, call)) : handler(params, call);
}

function lists({ options, tools, resources, templates, prompts }: ServerParts): Handlers {
  const { cache, pageSize } = options;
  const listed = <T, R extends object>(registry: Registry<T>, result: (items: readonly T[]) => R) =>
    new Listing(registry, pageSize, ({ items, ...next }) => ({ ...result(items), ...next, ...cache }));
  const allTools = listed(tools, (items) => ({ tools: items.map(({ tool }) => tool) }));
  const allResources = listed(resources, (items) => ({ resources: items.map(({ resource }) => resource) }));
  const allTemplates = listed(templates, (items) => ({
    resourceTemplates: items.map(({ resourceTemplate }) => resourceTemplate),
  }));
  const allPrompts = listed(prompts, (items) => ({ prompts: items.map(({ prompt }) => prompt) }));
  return {
    'tools/list': ({ cursor }) => allTools.page(cursor),
    'resources/list': ({ cursor }, call) =>
      offered(async ({ isFoundAtRunTime, listResources }) => {
        if (!isFoundAtRunTime(templates, cursor)) return allResources.page(cursor);
        const { items, ...next } = await listResources(resources, templates, { cursor, size: pageSize, call });
        return { resources: items, ...next, ...cache };
      }),
    'resources/templates/list': ({ cursor }) => allTemplates.page(cursor),
    'prompts/list': ({ cursor }) => allPrompts.page(cursor),
  };
}

function uses({ options, tools, resources, templates, prompts, rated }: ServerParts): Handlers {
  return {
    'tools/call': (params, call) =>
      withinRates({ method: 'tools/call', name: params.name, call }, rated, () =>
        callTool(tools, params, call, options),
      ),
    'resources/read': (params, call) =>
      offered(({ readResource }) => readResource(resources, templates, { params, call })),
    'prompts/get': (params, call) => offered(({ getPrompt }) => getPrompt(prompts, params, call)),
    'completion/complete': (params, call) =>
      withinRates({ method: 'completion/complete', name: undefined, call }, rated, () =>
        seldomUsed(({ complete }) => complete(prompts, templates, { params, call })),
      ) as ReturnType<NonNullable<Handlers['completion/complete']>>,
  };
}

/** The kinds of change notifications, by the capability that declares them. */
const tellings: readonly (readonly [Telling, string])[] = [
  ['tools', 'tools.listChanged'],
  ['resources', 'resources.listChanged'],
  ['prompts', 'prompts.listChanged'],
  ['updates', 'resources.subscribe'],
  ['tasks', 'tasks'],
];

function subscribing({ subscriptions, capabilities }: ServerParts): Handlers {
  const offered = (): ReadonlySet<Telling> =>
    new Set(tellings.filter(([, path]) => hasServerCapability(capabilities(), path)).map(([telling]) => telling));
  return {
    'resources/subscribe': ({ uri }, call) => mapMaybe(subscriptions.watch(sessionOf(call), uri), () => ({})),
    'resources/unsubscribe': ({ uri }, call) => {
      subscriptions.unwatch(sessionOf(call), uri);
      return {};
    },
    'subscriptions/listen': ({ notifications }, call) => subscriptions.listen(call, notifications, offered()) as never,
  };
}

/** Subscribing by request exists in the handshake revisions alone, which always have a session. */
function sessionOf(call: Call): ServerSession {
  if (call.session === undefined) throw new McpError('methodNotFound', `${call.method} needs a session`);
  return call.session;
}
