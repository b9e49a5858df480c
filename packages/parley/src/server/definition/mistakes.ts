/** Checks for mistakes of untyped programs. Each is reported at once and names the option. */

import type { CacheHint } from '../../protocol/features/envelope.ts';
import { serverCapabilitiesShape } from '../../protocol/capability.ts';
import { implementationShape, type Implementation } from '../../protocol/features/common.ts';
import { listable } from './check-result.ts';
import { refuseUnknown, type Names } from '../../options/known-names.ts';
import { refuseMistakes, type Kinds } from '../../options/kinds.ts';
import { refuseOther, refuseOtherWord } from '../../options/known-values.ts';
import { shown } from '../../options/shown.ts';
import type {
  CommonDefinition,
  MethodDefinition,
  PromptDefinition,
  ResourceDefinition,
  ResourceTemplateDefinition,
  ToolDefinition,
} from './definition.ts';
import type { RoundOptions, ServerOptions } from './options.ts';
import type { Restrictions } from './restrictions.ts';
import { refuseNoStore } from '../../storage/given.ts';
import type { RateLimit } from '../../storage/limits.ts';
import { checkRate, type RateLimits } from '../rates/rate-limit.ts';
import type { SubscriptionLimits } from './subscriptions.ts';
import { checkTaskOptions, checkTaskUse } from './task-mistakes.ts';

/** Kind of definition, by its name. */
export type DefinitionKind = 'tool' | 'resource' | 'resource template' | 'prompt' | 'method';

const common: Names<CommonDefinition> = { title: 1, description: 1, icons: 1, meta: 1, visible: 1 };
const resource: Names<ResourceDefinition> = {
  ...common,
  name: 1,
  mimeType: 1,
  annotations: 1,
  cache: 1,
  size: 1,
  scopes: 1,
};

/** The names that definitions have. */
const definitionNames: {
  readonly tool: Names<ToolDefinition>;
  readonly resource: typeof resource;
  readonly 'resource template': Names<ResourceTemplateDefinition>;
  readonly prompt: Names<PromptDefinition>;
  readonly method: Names<MethodDefinition>;
} = {
  tool: { ...common, input: 1, output: 1, annotations: 1, task: 1, scopes: 1 },
  resource,
  'resource template': {
    ...common,
    name: 1,
    mimeType: 1,
    annotations: 1,
    cache: 1,
    allowTraversal: 1,
    complete: 1,
    list: 1,
    scopes: 1,
  },
  prompt: { ...common, arguments: 1, complete: 1, scopes: 1 },
  method: { params: 1, result: 1, capability: 1, extension: 1, visible: 1, scopes: 1 },
};

const serverOptions: Kinds<ServerOptions> = {
  instructions: 'string',
  revisions: 1,
  capabilities: 1,
  extensions: 1,
  pageSize: 1,
  cache: 1,
  logging: 'boolean',
  store: 1,
  rounds: 1,
  rateLimits: 1,
  tasks: 1,
  subscriptions: 1,
  exposeErrors: 'boolean',
  onError: 'function',
  onEvent: 'function',
  onWarning: 'function',
};

/** The names of nested options, by the option that has them. */
const nested: {
  readonly rounds: Kinds<RoundOptions>;
  readonly rateLimits: Kinds<RateLimits>;
  readonly subscriptions: Kinds<SubscriptionLimits>;
  readonly cache: Names<CacheHint>;
} = {
  rounds: {
    keys: 1,
    ttlMs: 'number',
    maxStateLength: 'number',
    singleUse: 'boolean',
    maxRounds: 'number',
    requestTimeoutMs: 'number',
    now: 'function',
  },
  rateLimits: { requests: 1, initialize: 1, tools: 1, byTool: 1, completions: 1, tasks: 1, lost: 1, now: 'function' },
  subscriptions: { resourcesPerClient: 'number', listeners: 'number' },
  cache: { ttlMs: 1, cacheScope: 1 },
};

const rateLimit: Names<RateLimit> = { perSecond: 1, burst: 1 };

/** @throws TypeError for options of a server that do not exist, at any depth. */
export function checkServerOptions(options: ServerOptions): void {
  refuseMistakes('a server', options, { kinds: serverOptions, named: (name) => name });
  for (const name of ['rounds', 'rateLimits', 'subscriptions', 'cache'] as const)
    refuseMistakes(name, options[name], { kinds: nested[name] });
  checkRates(options.rateLimits ?? {});
  checkTaskOptions(options.tasks);
  checkValues(options);
  refuseNoStore(options.store, options.rounds?.keys);
}

/** @throws TypeError for rates that let nothing pass, and for values that are not rates. */
export function checkRates({ byTool, lost, ...rates }: RateLimits): void {
  if (byTool !== undefined && (typeof byTool !== 'object' || byTool === null))
    throw new TypeError(`rateLimits.byTool must be an object of rates by name, not ${shown(byTool)}`);
  refuseOtherWord('rateLimits.lost', ['own', 'refuse'], lost);
  for (const name of ['requests', 'initialize', 'tools', 'completions', 'tasks'] as const)
    checkOne(`rateLimits.${name}`, rates[name]);
  for (const [tool, limit] of Object.entries(byTool ?? {}))
    checkOne(`rateLimits.byTool[${JSON.stringify(tool)}]`, limit);
}

function checkOne(name: string, limit: RateLimit | undefined): void {
  refuseUnknown(name, limit, rateLimit);
  if (limit !== undefined) checkRate(limit);
}

/** @throws TypeError for values of options that make no sense, whatever their type. */
function checkValues({ rounds, cache, capabilities }: ServerOptions): void {
  // A time that is no number would let states live for ever; an endless one does not survive JSON.
  if (rounds?.ttlMs === Number.POSITIVE_INFINITY) throw new TypeError('rounds.ttlMs must have an end');
  if (rounds?.keys !== undefined && typeof rounds.keys !== 'function' && !Array.isArray(rounds.keys))
    throw new TypeError(`rounds.keys must be a list of keys, or a function that gives one, not ${shown(rounds.keys)}`);
  checkCache('cache', cache);
  if (capabilities !== undefined) listable(serverCapabilitiesShape, capabilities, 'capabilities');
}

/** @throws TypeError for a hint that no client can keep. */
function checkCache(what: string, cache: Partial<CacheHint> | undefined): void {
  if (cache === undefined) return;
  const { ttlMs, cacheScope } = cache;
  if (cacheScope !== 'public' && cacheScope !== 'private')
    throw new TypeError(`${what}.cacheScope must be public or private, not ${shown(cacheScope)}`);
  if (!Number.isSafeInteger(ttlMs) || Number(ttlMs) < 0)
    throw new TypeError(`${what}.ttlMs must be a non-negative integer, not ${shown(ttlMs)}`);
}

/** @throws TypeError for parts of a definition that do not exist. */
export function checkParts(kind: DefinitionKind, key: string, parts: unknown): void {
  const what = `${kind} ${JSON.stringify(key)}`;
  refuseUnknown(what, parts ?? null, definitionNames[kind]);
  // Reading a key of any object is safe.
  const { cache, visible, scopes } = parts as Restrictions & { readonly cache?: Partial<CacheHint> };
  refuseOther('function', `visible of ${what}`, visible);
  if (!Array.isArray(scopes)) refuseOther('function', `scopes of ${what}, unless a list,`, scopes);
  refuseUnknown(`the cache of ${what}`, cache, nested.cache);
  checkCache(`${what}: cache`, cache);
  if (kind === 'tool') checkTaskUse(what, parts as { readonly task?: unknown });
}

/** @throws TypeError for a definition without a handler, or with options that it does not have. */
export function checkDefinition(
  kind: DefinitionKind,
  key: string,
  { definition, handler }: { readonly definition: unknown; readonly handler: unknown },
): void {
  const what = `${kind} ${JSON.stringify(key)}`;
  if (typeof handler !== 'function' || typeof definition === 'function')
    throw new TypeError(
      `${what} needs a handler: a function as the third argument, after its definition ({} if empty)`,
    );
  checkParts(kind, key, definition);
  // `checkParts` made sure that it is an object.
  const { name } = definition as { readonly name?: unknown };
  if (kind.startsWith('resource') && (typeof name !== 'string' || name === ''))
    throw new TypeError(`${what} needs a name in its definition, as in { name: 'notes' }`);
}

const infoNames: Names<Implementation> = {
  name: 1,
  version: 1,
  title: 1,
  description: 1,
  icons: 1,
  websiteUrl: 1,
};

/**
 * @throws TypeError without a name and a version, and for fields that clients must not see: the whole object is sent to
 * them.
 */
export function checkInfo(info: unknown): void {
  const { name, version } = (info ?? {}) as { readonly name?: unknown; readonly version?: unknown };
  if (typeof name !== 'string' || name === '' || typeof version !== 'string')
    throw new TypeError(
      "createServer needs a name and a version, as in createServer({ name: 'mine', version: '1.0.0' })",
    );
  const option = Object.keys(info as object).find((key) => Object.hasOwn(serverOptions, key));
  if (option !== undefined)
    throw new TypeError(`createServer takes ${option} in its second argument; the first is what clients see`);
  checkImplementation('the first argument of createServer', info as Implementation);
}

/**
 * @throws TypeError without a name and a version as strings, and for fields that a peer must not see or cannot read.
 */
export function checkImplementation(what: string, info: Implementation): void {
  refuseUnknown(what, info, infoNames);
  const { name, version }: { readonly name?: unknown; readonly version?: unknown } = info;
  if (typeof name !== 'string' || name === '' || typeof version !== 'string')
    throw new TypeError(`${what} needs a name and a version, as in { name: 'mine', version: '1.0.0' }`);
  listable(implementationShape, info, what);
}
