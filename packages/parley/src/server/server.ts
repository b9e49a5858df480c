import type { RequestHandler, ReplyChannel, Servable } from './runtime/request-handler.ts';
import type { Handler, ServerCore } from './runtime/server-core.ts';
import { createEndpoint } from './runtime/conversation/serve.ts';
import type { Middleware, HasMiddleware } from '../connection/middleware/middleware.ts';
import type { Implementation, JsonObject } from '../protocol/features/common.ts';
import type { ListKind } from '../protocol/features/subscriptions.ts';
import { metaProblem } from './features/common.ts';
import { guideOf } from './guide.ts';
import type { Definitions } from './definition/definition.ts';
import { handlersOf, seldomUsed, ownHandler, restrictedHandler, tellUpdate } from './parts/handlers.ts';
import { checkDefinition, checkInfo } from './definition/mistakes.ts';
import { askedRates } from './rates/rate-limit.ts';
import { mountIn, type Mountable } from './mount/mount.ts';
import { refuseNearMethod } from '../options/near-method.ts';
import { shown } from '../options/shown.ts';
import { dialectProblem } from '../schema/schema.ts';
import { methodNames } from '../protocol/catalogue.ts';
import { resolveOptions, type ServerOptions } from './definition/options.ts';
import { createParts, type ServerParts } from './parts/parts.ts';
import { addMethod, type MethodEntry } from './features/methods.ts';
import { addPrompt, type PromptEntry } from './features/prompts.ts';
import { addResource, addTemplate, type TemplateEntry } from './features/resources.ts';
import { isListKind, listKinds } from './definition/subscriptions.ts';
import type { ServerCapabilities } from '../protocol/capability.ts';
import type { ServerTasks } from './definition/task-definition.ts';
import { toolNameProblem } from './features/tool-name.ts';
import { addTool, type ToolEntry } from './features/tools.ts';
import { toAscii } from './uri-template/uri.ts';

/**
 * One definition of tools, resources and prompts that answers any number of clients of every revision at once.
 *
 * Serve it with `serveStdio`, `listen`, `toNodeHandler` or `createHandler`; several at a time are fine.
 */
export interface Server extends Definitions, Servable, HasMiddleware {
  /** Description that the server gives of itself. */
  readonly info: Implementation;
  /**
   * Rebuilds a list and notifies every client that may see it. Registering and handles do this by themselves. A list is
   * made once and cached. If you change a definition in place, call this to show the change.
   *
   * @throws TypeError if it is not the name of a list.
   */
  changed(list: ListKind): void;
  /** Tasks, for what works on them outside of handlers. */
  readonly tasks: ServerTasks;
  /** Tells the clients that watch a resource that it changed, and of them those that may see it now. */
  resourceUpdated(uri: string): void;
  /**
   * Declares an extension. Clients that connect afterwards see it. Define the extension's methods and results
   * separately: see `method` and `extensionResult`.
   *
   * @param settings The settings that the extension declares for this server; empty by default.
   * @throws TypeError for an invalid id, such as `search`, or for an id that is declared already.
   */
  extension(id: string, settings?: JsonObject): void;
  /**
   * Offers the tools, resources and prompts of another server too, and follows their changes. Its tools and prompts get
   * the prefix, as `prefix__name`. A name above 128 characters is cut and made unique by digits. URIs do not change.
   * Its middleware and its limits of calls and completions apply to them, inside those of this server. The other
   * settings are those of this server: instructions, capabilities, extensions, methods, tasks, rounds, sessions, error
   * handling. The other server may also be served by itself, and be mounted in several servers. Closing it ends its own
   * conversations only.
   *
   * @param prefix 1 to 48 letters, digits, underscores, hyphens and dots.
   * @returns Removes it again.
   * @throws TypeError for an invalid prefix, for a server in which this one is mounted, and if a name or a URI is
   * taken. Then nothing is mounted. A later definition whose name is taken throws at its definition.
   *
   * @example const unmount = server.mount('git', gitServer);
   */
  mount(prefix: string, server: Server): () => void;
  /** Ends every conversation. Close the transports that serve it yourself. */
  close(): Promise<void>;
}

/** Insides of each server, for those that it is mounted in. */
const mountables = new WeakMap<Server, Mountable>();

/**
 * Creates a server.
 *
 * @param info Its name and version, and what people may see of it.
 * @throws TypeError without a name or a version, and for options that are unknown or make no sense.
 *
 * @example
 * const server = createServer({ name: 'weather', version: '1.0.0' });
 */
export function createServer(info: Implementation, options: ServerOptions = {}): Server {
  checkInfo(info);
  const parts = createParts(info, resolveOptions(options, info.name), async (of) =>
    (await import('./tasks/load.ts')).loadTasks(info, of),
  );
  const { subscriptions } = parts;
  const self: Mountable = {
    parts,
    watching: new Set(),
    mounted: [],
    resourceUpdated: (given) => {
      // A list shows a URI in ASCII, and a client may watch either spelling.
      for (const uri of new Set([given, toAscii(given) ?? given])) {
        tellUpdate(parts, () => subscriptions.resourceUpdated(uri));
        for (const hear of self.watching) hear(uri);
      }
    },
  };
  const endpoint: RequestHandler = createEndpoint(hostOf(info, parts), async () => {
    await subscriptions.end();
    await parts.tasking.close();
  });
  const server: Server = {
    info,
    endpoint,
    ...definitionsOf(parts),
    changed: (list) => {
      if (!isListKind(list))
        throw new TypeError(`there is no list ${JSON.stringify(list)} that changes; there are ${listKinds.join(', ')}`);
      parts[list].changed();
      if (list === 'resources') parts.templates.changed();
    },
    extension: (id, settings = {}) => parts.extensions.add(id, settings),
    tasks: parts.tasking.face,
    use: (first: string | Middleware, second?: Middleware) => {
      refuseNearMethod(first, methodNames);
      parts.chain.use(first, second);
      parts.options.listeners.follow(first);
    },
    resourceUpdated: self.resourceUpdated,
    mount: (prefix, inner) => {
      const other = mountables.get(inner);
      if (other === undefined) throw new TypeError(`mount takes a server that createServer made, not ${shown(inner)}`);
      return mountIn(self, prefix, other);
    },
    close: () => endpoint.close(),
  };
  mountables.set(server, self);
  return server;
}

/** The types promise the user's handlers more than the registries need to know, hence the widenings. */
function definitionsOf({
  options,
  tools,
  resources,
  templates,
  prompts,
  methods,
  extensions,
  tasking,
}: ServerParts): Definitions {
  const warn = (problem: string | undefined): void => {
    if (problem !== undefined) options.onWarning(problem);
  };
  return {
    tool: (name, definition, handler) => {
      checkDefinition('tool', name, { definition, handler });
      const handle = addTool(tools, name, definition as never, handler as ToolEntry['run']);
      tasking.begin(definition);
      warn(toolNameProblem(name));
      warn(dialectProblem(`tool ${JSON.stringify(name)}`, definition));
      warn(metaProblem(`tool ${JSON.stringify(name)}`, definition));
      const { update } = handle;
      const updated: typeof update = (change) => {
        update(change);
        warn(dialectProblem(`tool ${JSON.stringify(name)}`, change));
        tasking.begin(change);
      };
      return Object.assign(handle, { update: updated }) as never;
    },
    resource: (uri, definition, read) => {
      checkDefinition('resource', uri, { definition, handler: read });
      const handle = addResource(resources, uri, definition, read);
      warn(metaProblem(`resource ${JSON.stringify(uri)}`, definition));
      return handle;
    },
    resourceTemplate: (template, definition, read) => {
      checkDefinition('resource template', template, { definition, handler: read });
      const handle = addTemplate(templates, template, definition as never, read as TemplateEntry['read']);
      warn(metaProblem(`resource template ${JSON.stringify(template)}`, definition));
      return handle as never;
    },
    method: (name, definition, handler) => {
      checkDefinition('method', name, { definition, handler });
      const run = handler as MethodEntry['run'];
      const isDeclared = (id: string): boolean =>
        extensions.has(id) || options.capabilities.extensions?.[id] !== undefined;
      const handle = addMethod(methods, name, { definition: definition as never, run, isDeclared });
      warn(dialectProblem(`method ${JSON.stringify(name)}`, definition));
      return handle as never;
    },
    prompt: (name, definition, get) => {
      checkDefinition('prompt', name, { definition, handler: get });
      const handle = addPrompt(prompts, name, definition, get as PromptEntry['get']);
      warn(metaProblem(`prompt ${JSON.stringify(name)}`, definition));
      return handle as never;
    },
  };
}

/** Tasks are listed only where their owner is known: a principal, or the one client of a process. (Spec 2025-11-25, Tasks, Security: SHOULD NOT.) */
function offeredTo(
  parts: ServerParts,
  link: Pick<ReplyChannel, 'auth' | 'network' | 'passing'> | undefined,
): ServerCapabilities {
  const capabilities = link?.passing === true ? withoutSession(parts) : parts.capabilities();
  const { tasks } = capabilities;
  if (tasks === undefined || link === undefined) return capabilities;
  const isKnown = link.auth !== undefined || link.network === 'pipe' || link.network === 'inproc';
  return isKnown ? { ...capabilities, tasks: { list: {}, ...tasks } } : capabilities;
}

/**
 * The capabilities without stored sessions: no log level, no subscriptions, no unrequested notifications, and tasks
 * only if a store keeps them.
 */
function withoutSession({ capabilities, options }: ServerParts): ServerCapabilities {
  const { logging: _, tasks, tools, prompts, resources, ...others } = capabilities();
  return {
    ...others,
    ...(tasks && options.tasks.store && { tasks }),
    ...(tools && { tools: {} }),
    ...(prompts && { prompts: {} }),
    ...(resources && { resources: {} }),
  };
}

function hostOf(info: Implementation, parts: ServerParts): ServerCore {
  const { options, subscriptions, tools } = parts;
  const handlers: ReadonlyMap<string, Handler> = handlersOf(parts);
  return {
    info,
    instructions: options.instructions,
    revisions: options.revisions,
    capabilities: (link) => offeredTo(parts, link),
    extensions: () => parts.extensions.all,
    unknown: ownHandler(parts),
    handler: (method) => parts.tasking.handler(method, restrictedHandler(parts, handlers, method)),
    discoverHint: options.cache,
    rates: askedRates(parts.rated),
    store: options.store,
    listeners: options.listeners,
    chain: parts.chain,
    guide: guideOf(parts),
    rounds: options.rounds,
    maxRounds: options.rounds.maxRounds,
    requestTimeoutMs: options.requestTimeoutMs,
    headerParameters: (tool, auth) => tools.find(tool, auth)?.headers ?? [],
    guard: () => seldomUsed((late) => late.scopeGuard(parts)),
    exposeErrors: options.exposeErrors,
    onError: options.onError,
    isPortable: true,
    opened: (session) => subscriptions.opened(session),
    watches: (session, uris) => subscriptions.watches(session, uris),
    missed: (session) => subscriptions.missed(session),
    closed: (session) => subscriptions.closed(session),
  };
}
