import type { ServerCapabilities } from '../../protocol/capability.ts';
import type { Implementation } from '../../protocol/features/common.ts';
import type { ListKind } from '../../protocol/features/subscriptions.ts';
import { checkParts, type DefinitionKind } from '../definition/mistakes.ts';
import { Declared } from './declared.ts';
import { mayHear, tellUpdate } from './handlers.ts';
import type { Store } from '../../storage/store.ts';
import type { SharedChanges } from '../processes/changes.ts';
import type { ResolvedOptions } from '../definition/options.ts';
import { MiddlewareStack } from '../../connection/middleware/middleware-stack.ts';
import { ownMethodsKey } from '../../protocol/extension.ts';
import { ownMethods, type MethodEntry } from '../features/methods.ts';
import type { PromptEntry } from '../features/prompts.ts';
import { Registry } from '../definition/registry.ts';
import type { ResourceEntry, TemplateEntry } from '../features/resources.ts';
import { Subscriptions } from '../definition/subscriptions.ts';
import { lateRates, type Rated } from '../rates/rate-limit.ts';
import { Tasking, type TaskHandlers } from './tasking.ts';
import { tasksExtension } from '../../protocol/features/tasks.ts';
import type { ToolEntry } from '../features/tools.ts';

/** Parts that a server is made of; the handlers of methods work on it. */
export interface ServerParts {
  readonly options: ResolvedOptions;
  readonly tools: Registry<ToolEntry>;
  readonly resources: Registry<ResourceEntry>;
  readonly templates: Registry<TemplateEntry>;
  readonly prompts: Registry<PromptEntry>;
  readonly methods: Registry<MethodEntry>;
  readonly extensions: Declared;
  readonly subscriptions: Subscriptions;
  readonly tasking: Tasking;
  /** The middleware that all messages pass. */
  readonly chain: MiddlewareStack;
  /** Limits of how often clients may ask. */
  readonly rated: Rated;
  /** Capabilities that are offered now; worked out again only after something was registered or changed. */
  capabilities(): ServerCapabilities;
}

/**
 * The registries of a server, empty, each telling the subscribers of its changes.
 *
 * @param loadTasks Loads the code for tasks, which only a server with such tools needs.
 */
export function createParts(
  info: Implementation,
  options: ResolvedOptions,
  loadTasks: (parts: ServerParts) => Promise<TaskHandlers>,
): ServerParts {
  const subscriptions = new Subscriptions({
    limits: options.subscriptions,
    mayHear: (uri, auth) => mayHear(parts, uri, auth),
    listeners: options.listeners,
  });
  let capabilities: ServerCapabilities = {};
  let stale = true;
  const changed = (kind: ListKind) => (): void => {
    stale = true;
    subscriptions.listChanged(kind);
  };
  const partsOf =
    (kind: DefinitionKind) =>
    (key: string, change: object): void =>
      checkParts(kind, key, change);
  const { rateLimits, store, onError } = options;
  const parts: ServerParts = {
    options,
    subscriptions,
    tools: new Registry('tool', changed('tools'), partsOf('tool'), onError),
    resources: new Registry('resource', changed('resources'), partsOf('resource'), onError),
    templates: new Registry('resource template', changed('resources'), partsOf('resource template'), onError),
    prompts: new Registry('prompt', changed('prompts'), partsOf('prompt'), onError),
    methods: new Registry('method', () => (stale = true), partsOf('method')),
    extensions: new Declared(options.extensions),
    chain: new MiddlewareStack(),
    rated: lateRates({ limits: rateLimits, shared: store?.limits, name: info.name, onError }),
    tasking: new Tasking(() => loadTasks(parts), onError),
    capabilities: () => {
      // Declared capabilities stay declared: a list that became empty is an empty list.
      if (stale) capabilities = { ...capabilities, ...capabilitiesOf(parts) };
      stale = false;
      return capabilities;
    },
  };
  if (options.store !== undefined) subscriptions.share(shareChanges(info.name, parts, options.store));
  return parts;
}

/** Makes the server one of several processes, which is loaded for those that are. */
async function shareChanges(name: string, parts: ServerParts, { bus }: Store): Promise<SharedChanges | undefined> {
  const { subscriptions, options } = parts;
  try {
    const { SharedChanges: Made } = await import('../processes/changes.ts');
    const here = {
      tellList: (kind: ListKind) => subscriptions.listChangedHere(kind),
      tellUpdate: (uri: string) => tellUpdate(parts, () => subscriptions.resourceUpdatedHere(uri)),
      watched: subscriptions.watched,
    };
    return new Made(parts, { name, bus, here });
  } catch (error) {
    options.onError(error, 'store');
    return undefined;
  }
}

/** Both surfaces of tasks; each revision has the place of one of them. */
function taskCapabilities({ tasks, extensions }: ServerCapabilities): ServerCapabilities {
  return {
    tasks: { cancel: {}, requests: { tools: { call: {} } }, ...tasks },
    extensions: { [tasksExtension]: {}, ...extensions },
  };
}

/** Capabilities that follow from what is registered now, and from the user's options. */
function capabilitiesOf({ options, tools, resources, templates, prompts, methods }: ServerParts): ServerCapabilities {
  const declared = options.capabilities;
  const completes = [...templates.values(), ...prompts.values()].some(({ complete }) => complete.size > 0);
  const hasTasks = [...tools.values()].some(({ task }) => task !== undefined);
  return {
    ...(options.logging ? { logging: {} } : {}),
    ...(completes ? { completions: {} } : {}),
    ...declared,
    ...(hasTasks ? taskCapabilities(declared) : {}),
    ...(methods.size > 0 ? { experimental: { ...declared.experimental, [ownMethodsKey]: ownMethods(methods) } } : {}),
    ...(tools.size > 0 || declared.tools !== undefined ? { tools: { listChanged: true, ...declared.tools } } : {}),
    ...(resources.size + templates.size > 0 || declared.resources !== undefined
      ? { resources: { listChanged: true, subscribe: true, ...declared.resources } }
      : {}),
    ...(prompts.size > 0 || declared.prompts !== undefined
      ? { prompts: { listChanged: true, ...declared.prompts } }
      : {}),
  };
}
