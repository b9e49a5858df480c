import type { CacheHint } from '../../protocol/features/envelope.ts';
import { combinedHint } from '../../client/api/pages.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import type { Call } from '../../server/runtime/call.ts';
import type { Handler } from '../../server/runtime/server-core.ts';
import type { ServerCapabilities } from '../../protocol/capability.ts';
import { McpError } from '../../protocol/error.ts';
import { isFields } from '../../protocol/compile/value.ts';
import { ownMethodsKey, type Extensions } from '../../protocol/extension.ts';
import type { Backend } from './backend.ts';

/**
 * Capabilities that several servers offer together. A list of several servers changes when one of them joins. While a
 * server is missing, its capabilities are unknown, but clients only get notifications for capabilities that were
 * declared at the beginning.
 */
export function mergedCapabilities(backends: readonly Backend[]): ServerCapabilities {
  const offers = backends.flatMap(({ single }) => (single === undefined ? [] : [single.host.capabilities()]));
  const isMissing = offers.length < backends.length;
  const has = (feature: keyof ServerCapabilities): boolean => offers.some((offer) => offer[feature] !== undefined);
  const isWatchable = isMissing || offers.some(({ resources }) => resources?.subscribe === true);
  return {
    ...experimentalOf(offers),
    ...union(offers, 'extensions'),
    ...(isMissing || has('logging') ? { logging: {} } : {}),
    ...(isMissing || has('completions') ? { completions: {} } : {}),
    ...(isMissing || has('prompts') ? { prompts: { listChanged: true } } : {}),
    ...(isMissing || has('resources')
      ? { resources: { listChanged: true, ...(isWatchable ? { subscribe: true } : {}) } }
      : {}),
    ...(isMissing || has('tools') ? { tools: { listChanged: true } } : {}),
    ...tasksOf(offers),
  };
}

/**
 * Tasks of several servers. They can be listed only if there is one server: a joint list would need the cursors of all.
 */
function tasksOf(offers: readonly ServerCapabilities[]): ServerCapabilities {
  const all = offers.flatMap(({ tasks }) => (tasks === undefined ? [] : [tasks]));
  const [only] = all;
  if (only === undefined) return {};
  if (offers.length === 1) return { tasks: only };
  const isCancelled = all.some(({ cancel }) => cancel !== undefined);
  const isCalled = all.some(({ requests }) => requests?.tools?.call !== undefined);
  return {
    tasks: {
      ...(isCancelled ? { cancel: {} } : {}),
      ...(isCalled ? { requests: { tools: { call: {} } } } : {}),
    },
  };
}

/** Extensions that several servers declare together. If two have the same id, that of the first server is used. */
export function mergedExtensions(backends: readonly Backend[]): Extensions {
  const entries = backends.toReversed().flatMap(({ single }) => Object.entries(single?.host.extensions?.() ?? {}));
  return Object.fromEntries(entries);
}

/** The servers' instructions, each under its server's name. */
export function joinedInstructions(backends: readonly Backend[]): string | undefined {
  const sections = backends.flatMap(({ name, single }) => {
    const text = single?.host.instructions;
    return text === undefined ? [] : [`# ${name.replaceAll(/\s+/g, ' ')}\n\n${text}`];
  });
  return sections.length === 0 ? undefined : sections.join('\n\n');
}

/** The joint cache hint: no caching while a server is missing. */
export function joinedHint(backends: readonly Backend[]): CacheHint {
  return combinedHint(backends.map(({ single }) => single?.host.discoverHint ?? { ttlMs: 0, cacheScope: 'private' }));
}

/**
 * Asks one server after the other for a method that the protocol does not know, until one knows it. A lost server hides
 * no other, but might have known the method.
 */
export async function askForUnknown(
  backends: readonly Backend[],
  params: Parameters<Handler>[0],
  call: Call,
): Promise<unknown> {
  let refusal: McpError | undefined;
  for (const { single } of backends) {
    try {
      if (single?.host.unknown !== undefined) return await single.host.unknown(params, call);
    } catch (error) {
      const isLost = error instanceof McpError && error.cause instanceof ConnectionError;
      if (call.aborted || !(error instanceof McpError) || !(isLost || error.kind === 'methodNotFound')) throw error;
      if (refusal === undefined || (isLost && refusal.kind === 'methodNotFound')) refusal = error;
    }
  }
  throw refusal ?? new McpError('methodNotFound', `${call.method.slice(0, 128)} is not served here`);
}

/** The servers' own methods in one list. The server that knows a method serves it. */
function experimentalOf(offers: readonly ServerCapabilities[]): ServerCapabilities {
  const listed = offers.map(({ experimental }) => experimental?.[ownMethodsKey]).filter(isFields);
  const all = union(offers, 'experimental');
  if (listed.length < 2) return all;
  const methods = Object.fromEntries(listed.toReversed().flatMap((one) => Object.entries(one)));
  return { experimental: { ...all.experimental, [ownMethodsKey]: methods } };
}

/** Entries by name. If two have the same name, that of the first server is used. */
function union(offers: readonly ServerCapabilities[], feature: 'experimental' | 'extensions'): ServerCapabilities {
  const entries = offers.toReversed().flatMap((offer) => Object.entries(offer[feature] ?? {}));
  return entries.length === 0 ? {} : { [feature]: Object.fromEntries(entries) };
}
