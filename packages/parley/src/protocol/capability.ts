/** Capabilities that clients and servers declare. Presence is the flag: `{}` says yes, absence says no. */

import type { JsonObject } from './features/common.ts';
import { from, isAlive, within, type Lifetime } from './lifetime.ts';
import type { Revision } from './revision.ts';
import {
  before,
  between,
  boolean,
  capabilities,
  capability,
  optional,
  presence,
  shape,
  since,
  type ShapeOf,
} from './shape.ts';
import { isFields, type ObjectFields } from './compile/value.ts';

/** The revisions whose core has tasks. */
export const coreTasks: Lifetime = within('2025-11-25', '2026-07-28');

/** Lists of file system roots. Deprecated in 2026-07-28. */
export interface RootsCapability {
  /** True when changes are announced. Until 2025-11-25. */
  readonly listChanged?: boolean;
}

/** Calls of the client's model. Deprecated in 2026-07-28. */
export interface SamplingCapability {
  /** Capability of an `includeContext` other than `none`. Since 2025-11-25. */
  readonly context?: JsonObject;
  /** Capability of giving the model tools. Since 2025-11-25. */
  readonly tools?: JsonObject;
}

/** Questions to the user. An empty object means forms alone. */
export interface ElicitationCapability {
  /** Since 2025-11-25. */
  readonly form?: JsonObject;
  /** Since 2025-11-25. */
  readonly url?: JsonObject;
}

/** The tasks that a client hosts. Within 2025-11-25. */
export interface ClientTasksCapability {
  /** Present if the client lists its tasks. */
  readonly list?: JsonObject;
  /** Present if the client cancels tasks on request. */
  readonly cancel?: JsonObject;
  /** The requests that the client runs as tasks. */
  readonly requests?: {
    readonly sampling?: { readonly createMessage?: JsonObject };
    readonly elicitation?: { readonly create?: JsonObject };
  };
}

/** Capabilities of a client. */
export interface ClientCapabilities {
  /** Experimental capabilities, by name. */
  readonly experimental?: Readonly<Record<string, JsonObject>>;
  /** Present if the client has roots. */
  readonly roots?: RootsCapability;
  /** Present if the client samples from a model. */
  readonly sampling?: SamplingCapability;
  /** Since 2025-06-18. */
  readonly elicitation?: ElicitationCapability;
  /** Hosting of tasks, within 2025-11-25; unrelated to the extension of the same name. */
  readonly tasks?: ClientTasksCapability;
  /** Settings by extension id. */
  readonly extensions?: Readonly<Record<string, JsonObject>>;
}

/** A list that may announce its changes. */
export interface ListCapability {
  /** True if changes of the list are announced. */
  readonly listChanged?: boolean;
}

/** Resources, with or without subscriptions to single ones. */
export interface ResourcesCapability {
  /** True if clients may subscribe to single resources. */
  readonly subscribe?: boolean;
  /** True if changes of the list are announced. */
  readonly listChanged?: boolean;
}

/** The tasks that a server hosts. Within 2025-11-25. */
export interface ServerTasksCapability {
  /** Present if the server lists its tasks. */
  readonly list?: JsonObject;
  /** Present if the server cancels tasks on request. */
  readonly cancel?: JsonObject;
  /** The requests that the server runs as tasks. */
  readonly requests?: {
    readonly tools?: { readonly call?: JsonObject };
  };
}

/** Capabilities of a server. */
export interface ServerCapabilities {
  /** Experimental capabilities, by name. */
  readonly experimental?: Readonly<Record<string, JsonObject>>;
  /** Deprecated in 2026-07-28. */
  readonly logging?: JsonObject;
  /** Since 2025-03-26; before, completion needs no capability. */
  readonly completions?: JsonObject;
  /** Present if the server has prompts. */
  readonly prompts?: ListCapability;
  /** Present if the server has resources. */
  readonly resources?: ResourcesCapability;
  /** Present if the server has tools. */
  readonly tools?: ListCapability;
  /** Hosting of tasks, within 2025-11-25; unrelated to the extension of the same name. */
  readonly tasks?: ServerTasksCapability;
  /** Settings by extension id. */
  readonly extensions?: Readonly<Record<string, JsonObject>>;
}

export const rootsCapabilityShape: ShapeOf<RootsCapability> = shape('RootsCapability', {
  listChanged: before('2026-07-28', optional(boolean)),
});

export const samplingCapabilityShape: ShapeOf<SamplingCapability> = shape('SamplingCapability', {
  context: since('2025-11-25', optional(presence)),
  tools: since('2025-11-25', optional(presence)),
});

export const elicitationCapabilityShape: ShapeOf<ElicitationCapability> = shape(
  'ElicitationCapability',
  {
    form: since('2025-11-25', optional(presence)),
    url: since('2025-11-25', optional(presence)),
  },
  from('2025-06-18'),
);

const samplingTasksShape: ShapeOf<NonNullable<NonNullable<ClientTasksCapability['requests']>['sampling']>> = shape(
  'SamplingTasksCapability',
  {
    createMessage: optional(presence),
  },
  coreTasks,
);

const elicitationTasksShape: ShapeOf<NonNullable<NonNullable<ClientTasksCapability['requests']>['elicitation']>> =
  shape(
    'ElicitationTasksCapability',
    {
      create: optional(presence),
    },
    coreTasks,
  );

export const clientTaskRequestsShape: ShapeOf<NonNullable<ClientTasksCapability['requests']>> = shape(
  'ClientTaskRequests',
  {
    sampling: optional(capability(samplingTasksShape)),
    elicitation: optional(capability(elicitationTasksShape)),
  },
  coreTasks,
);

export const clientTasksCapabilityShape: ShapeOf<ClientTasksCapability> = shape(
  'ClientTasksCapability',
  {
    list: optional(presence),
    cancel: optional(presence),
    requests: optional(capability(clientTaskRequestsShape)),
  },
  coreTasks,
);

export const clientCapabilitiesShape: ShapeOf<ClientCapabilities> = shape('ClientCapabilities', {
  experimental: optional(capabilities),
  roots: optional(capability(rootsCapabilityShape)),
  sampling: optional(capability(samplingCapabilityShape)),
  elicitation: since('2025-06-18', optional(capability(elicitationCapabilityShape))),
  tasks: between('2025-11-25', '2026-07-28', optional(capability(clientTasksCapabilityShape))),
  // SEP-2133 declares them in `initialize` of every revision; the schemas have the field since 2026-07-28.
  extensions: optional(capabilities),
});

const listCapabilityShape: ShapeOf<ListCapability> = shape('ListCapability', { listChanged: optional(boolean) });

export const resourcesCapabilityShape: ShapeOf<ResourcesCapability> = shape('ResourcesCapability', {
  subscribe: optional(boolean),
  listChanged: optional(boolean),
});

const toolTasksShape: ShapeOf<NonNullable<NonNullable<ServerTasksCapability['requests']>['tools']>> = shape(
  'ToolTasksCapability',
  {
    call: optional(presence),
  },
  coreTasks,
);

export const serverTaskRequestsShape: ShapeOf<NonNullable<ServerTasksCapability['requests']>> = shape(
  'ServerTaskRequests',
  {
    tools: optional(capability(toolTasksShape)),
  },
  coreTasks,
);

export const serverTasksCapabilityShape: ShapeOf<ServerTasksCapability> = shape(
  'ServerTasksCapability',
  {
    list: optional(presence),
    cancel: optional(presence),
    requests: optional(capability(serverTaskRequestsShape)),
  },
  coreTasks,
);

export const serverCapabilitiesShape: ShapeOf<ServerCapabilities> = shape('ServerCapabilities', {
  experimental: optional(capabilities),
  logging: optional(presence),
  completions: since('2025-03-26', optional(presence)),
  prompts: optional(capability(listCapabilityShape)),
  resources: optional(capability(resourcesCapabilityShape)),
  tools: optional(capability(listCapabilityShape)),
  tasks: between('2025-11-25', '2026-07-28', optional(capability(serverTasksCapabilityShape))),
  extensions: optional(capabilities),
});

/**
 * Capability that a server asks of a client: a feature, a part of one, or an extension by its id, which has a slash.
 */
export type ClientFlag =
  | 'sampling'
  | 'sampling.tools'
  | 'sampling.context'
  | 'elicitation'
  | 'elicitation.form'
  | 'elicitation.url'
  | 'roots'
  | `${string}/${string}`;

/** Tells whether a flag names an extension. */
export function isExtensionFlag(flag: string): flag is `${string}/${string}` {
  return flag.includes('/');
}

/** Tells whether a client declared what a flag names. An empty `elicitation` means forms. */
export function supports(capabilities: ClientCapabilities, flag: ClientFlag): boolean {
  if (isExtensionFlag(flag)) return isFields(capabilities.extensions) && has(capabilities.extensions, flag);
  return hasPath(expanded(capabilities), flag);
}

/**
 * Tells whether a server declared what a path names: a feature (`tools`), or a part that is an object or `true`
 * (`resources.subscribe`).
 */
export function hasServerCapability(capabilities: ServerCapabilities, path: string): boolean {
  return hasPath(capabilities, path);
}

/** Tells whether a client declared what a path names, such as `tasks.requests.elicitation.create`. */
export function hasClientCapability(capabilities: ClientCapabilities, path: string): boolean {
  return hasPath(capabilities, path);
}

/** Tells whether a client answers a method by tasks that it hosts. (Spec 2025-11-25, Tasks, Capability Negotiation.) */
export function hostsTasksOf(method: string, capabilities: ClientCapabilities): boolean {
  return hasPath(capabilities, `tasks.requests.${method.replace('/', '.')}`);
}

/** Tells whether a revision has the capability of servers that a path names: what it has not, nobody can declare. */
export function isServerCapability(revision: Revision, path: string): boolean {
  const [feature = ''] = path.split('.');
  const row = serverCapabilitiesShape.rows[feature];
  return row !== undefined && isAlive(row.life, revision);
}

/**
 * The part of some required capabilities that a client did not declare, or `undefined` when nothing is missing.
 * Presence counts, not content: keys of `experimental` and `extensions` are compared, their values are not.
 */
export function missing(required: ClientCapabilities, declared: ClientCapabilities): ClientCapabilities | undefined {
  return missingFields({ ...required }, { ...expanded(declared) });
}

/** Depth to which capabilities are compared; below are settings. */
const settingsOf = new Set(['experimental', 'extensions']);

function missingFields(required: ObjectFields, declared: ObjectFields): ObjectFields | undefined {
  const lacking: [string, unknown][] = [];
  for (const [key, value] of Object.entries(required)) {
    if (value === undefined || value === false) continue;
    const there = has(declared, key) ? declared[key] : undefined;
    if (there === undefined) lacking.push([key, value]);
    else if (isFields(value)) {
      const rest = settingsOf.has(key) ? missingKeys(value, there) : missingFields(value, isFields(there) ? there : {});
      if (rest !== undefined) lacking.push([key, rest]);
    }
  }
  return lacking.length === 0 ? undefined : Object.fromEntries(lacking);
}

function missingKeys(required: ObjectFields, declared: unknown): ObjectFields | undefined {
  const lacking = Object.entries(required).filter(([key]) => !isFields(declared) || !has(declared, key));
  return lacking.length === 0 ? undefined : Object.fromEntries(lacking);
}

/** The capabilities with what an empty `elicitation` stands for. */
function expanded(capabilities: ClientCapabilities): ClientCapabilities {
  const { elicitation } = capabilities;
  if (elicitation === undefined || elicitation.form !== undefined || elicitation.url !== undefined) return capabilities;
  return { ...capabilities, elicitation: { ...elicitation, form: {} } };
}

function hasPath(fields: object, path: string): boolean {
  let at: unknown = fields;
  for (const key of path.split('.')) {
    if (!isFields(at) || !has(at, key)) return false;
    at = at[key];
  }
  return true;
}

/** Tells whether a capability is declared: `{}` and `true` say yes, `false` says no. */
function has(fields: ObjectFields, key: string): boolean {
  return Object.hasOwn(fields, key) && fields[key] !== undefined && fields[key] !== null && fields[key] !== false;
}
