import type { CacheHint } from '../../protocol/features/envelope.ts';
import { hintOf, combinedHint, walkPages, type Page } from '../../client/api/pages.ts';
import { plainNumber } from '../../json/exact-number.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { after, settledWithin } from '../../jsonrpc/timeout.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import type { Call } from '../../server/runtime/call.ts';
import type { ServerCore } from '../../server/runtime/server-core.ts';
import { isAskedForLists } from '../../connection/gate.ts';
import { McpError } from '../../protocol/error.ts';
import { hasServerCapability, type ServerCapabilities } from '../../protocol/capability.ts';
import { methodOf, type ListMethod } from '../../protocol/catalogue.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { wordsOf } from '../failure.ts';
import { graceMs } from './begin.ts';
import type { Backend } from './backend.ts';
import { subCall } from './sub-call.ts';

/** The lists of servers, by their contents. */
export const mergedLists: Readonly<Record<MergedList, ListFacts>> = {
  tools: factsOf('tools/list'),
  prompts: factsOf('prompts/list'),
  resources: factsOf('resources/list'),
  templates: factsOf('resources/templates/list'),
};

/** Their methods. */
export const listMethods: ReadonlySet<string> = new Set(Object.values(mergedLists).map(({ method }) => method));

/** Kind of list that is merged. */
export type MergedList = 'tools' | 'prompts' | 'resources' | 'templates';

interface ListFacts {
  readonly method: ListMethod;
  /** The field of a result that has the entries, and that of an entry which tells it from the others. */
  readonly items: string;
  readonly key: string;
  /** The capability that the list belongs to. */
  readonly needs: string;
}

function factsOf(method: ListMethod): ListFacts {
  const { list, needs } = methodOf(method) ?? {};
  if (list === undefined || needs === undefined) throw new TypeError(`${method} gives no list`);
  return { method, ...list, needs };
}

/** List of one server. */
export interface ServerPart {
  readonly items: readonly JsonObject[];
  /** Cache lifetime; `undefined` if the server sends none. */
  readonly hint: CacheHint | undefined;
}

/** Options of fetching lists. */
export interface GatherOptions {
  readonly serverTimeoutMs: number;
  /** A part that took too long is there after all. */
  onLate(backend: Backend, part: ServerPart): void;
  onWarning(message: string): void;
}

/** The bounds of one server's list. Entries beyond them are left out. */
const bounds = { maxPages: 1_000, maxItems: 10_000 } as const;
/** Longest wait for a list that a server did not declare, in milliseconds. */
const undeclaredMs = 1_000;
/** Lists that servers do not have, by their declared capabilities. */
const lacking = new WeakMap<ServerCapabilities, Set<MergedList>>();
/** After this time, a late part is no longer used. */
const maxMs = 60_000;

/**
 * Fetches the whole list of every server at the same time. Pages cannot be forwarded one by one, because name
 * collisions only show in whole lists.
 *
 * @returns The parts that came in time.
 */
export async function gather(
  backends: readonly Backend[],
  kind: MergedList,
  call: Call,
  options: GatherOptions,
): Promise<ReadonlyMap<Backend, ServerPart>> {
  const parts = new Map<Backend, ServerPart>();
  // Servers that start together are listed together.
  const arriving = backends.flatMap((backend) => backend.arriving ?? []);
  if (arriving.length > 0) await settledWithin(graceMs, Promise.allSettled(arriving));
  await Promise.all(
    backends.map(async (backend) => {
      const part = await partOf(backend, kind, call, options);
      if (part !== undefined) parts.set(backend, part);
    }),
  );
  return parts;
}

/** The cache hint of a merged list; `undefined` if a server sends none or did not answer. */
export function mergedHint(
  backends: readonly Backend[],
  parts: ReadonlyMap<Backend, ServerPart>,
): CacheHint | undefined {
  const hints: CacheHint[] = [];
  for (const backend of backends) {
    const hint = parts.get(backend)?.hint;
    if (hint === undefined) return undefined;
    hints.push(hint);
  }
  const hint = combinedHint(hints);
  return Number.isFinite(hint.ttlMs) ? hint : undefined;
}

async function partOf(
  backend: Backend,
  kind: MergedList,
  call: Call,
  { serverTimeoutMs, onLate, onWarning }: GatherOptions,
): Promise<ServerPart | undefined> {
  const { single } = backend;
  // A server that is being searched for delays no caller.
  if (single === undefined || backend.absent) return undefined;
  if (!isDeclared(single.host, kind)) return await undeclaredPart(single.host, kind, call);
  return await new Promise<ServerPart | undefined>((resolve) => {
    const { method } = mergedLists[kind];
    let isLate = false;
    const cancel = after(
      // A server that was late gets only a short wait until it answers.
      backend.late.has(method) ? Math.min(graceMs, serverTimeoutMs) : serverTimeoutMs,
      () => {
        isLate = true;
        if (!backend.late.has(method))
          onWarning(`${backend.name} did not answer ${method} within ${serverTimeoutMs} ms: its part is missing`);
        backend.late.add(method);
        resolve(undefined);
      },
      true,
    );
    const settled = (part: ServerPart | undefined): void => {
      cancel();
      backend.late.delete(method);
      resolve(part);
      if (part === undefined) return;
      backend.answered();
      if (isLate) onLate(backend, part);
    };
    const warn = (message: string): void => onWarning(`${backend.name}: ${message}`);
    fetched(backend, call, { method, ask: () => drain(single.host, kind, call, warn) })
      .then(settled)
      .catch((error: unknown) => {
        warn(wordsOf(error));
        settled(undefined);
      });
  });
}

/** Fetches the list of one server. It retries once if only this client's connection was lost. */
async function fetched(
  backend: Backend,
  call: Call,
  { method, ask }: { readonly method: string; readonly ask: () => Promise<ServerPart> },
): Promise<ServerPart | undefined> {
  for (let tries = 0; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (call.aborted || !(await backend.failed(error, method)) || tries > 0) return undefined;
    }
  }
}

/** Part of a server that does not have a list. */
const nothing: ServerPart = { items: [], hint: { ttlMs: Number.POSITIVE_INFINITY, cacheScope: 'public' } };

function isDeclared(host: ServerCore, kind: MergedList): boolean {
  return hasServerCapability(host.capabilities(), mergedLists[kind].needs);
}

/**
 * Fetches a list that a server did not declare, since some serve it all the same. If the server rejects it, or takes
 * long, the list is empty. It is not asked again if it does not know the method, or until its answer comes.
 */
async function undeclaredPart(host: ServerCore, kind: MergedList, call: Call): Promise<ServerPart> {
  const offered = host.capabilities();
  const known = lacking.get(offered);
  if (known?.has(kind) === true || !isAskedForLists(offered)) return nothing;
  const kinds = known ?? new Set<MergedList>();
  lacking.set(offered, kinds);
  let part: ServerPart | undefined;
  const fetching = drain(host, kind, call, () => undefined).then(
    (fetched) => {
      part = fetched;
      kinds.delete(kind);
    },
    // Another error may pass: the server may be busy, or still starting.
    (error: unknown) => {
      if (error instanceof McpError && error.kind === 'methodNotFound') kinds.add(kind);
      else kinds.delete(kind);
      part = nothing;
    },
  );
  await settledWithin(undeclaredMs, fetching);
  // Until it answers, no caller waits for it again.
  if (part === undefined && !call.aborted) kinds.add(kind);
  return part === undefined || part.items.length === 0 ? nothing : part;
}

async function drain(
  host: ServerCore,
  kind: MergedList,
  call: Call,
  onWarning: (message: string) => void,
): Promise<ServerPart> {
  const { method, items: field, key } = mergedLists[kind];
  const handler = host.handler(method);
  if (handler === undefined) return nothing;
  const isAsked = call.method === method;
  const sub = subCall(call, { method, ...(isAsked ? { send: (...told) => relay(call, ...told) } : {}) });
  const cancel = after(maxMs, () => sub.abort());
  const items: JsonObject[] = [];
  let hints: CacheHint[] | undefined = [];
  const fetch = async (cursor: string | undefined): Promise<Page<JsonObject>> => {
    // The handler of a list gives its result.
    const result = (await handler(cursor === undefined ? {} : { cursor }, sub)) as JsonObject;
    hints = typeof plainNumber(result['ttlMs']) === 'number' ? hints?.concat(hintOf(result)) : undefined;
    const { nextCursor } = result;
    return {
      ...hintOf(result),
      // An entry without a name cannot be merged.
      items: (result[field] as readonly unknown[]).filter((item) => isNamed(item, key)),
      nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined,
    };
  };
  const repeats = (): void => onWarning(`${method}: the list ends where it repeats a cursor`);
  try {
    for await (const page of walkPages(fetch, { ...bounds, repeats })) items.push(...page.items);
  } catch (error) {
    // Pages that came are not lost for the one that should not have come.
    if (!(error instanceof ConnectionError)) throw error;
    onWarning(`${method} is cut: ${wordsOf(error)}`);
  } finally {
    cancel();
    sub.finish();
  }
  return { items, hint: hints === undefined ? undefined : combinedHint(hints) };
}

/** Tells whether an entry has what tells it from the others; one that is malformed may not. */
function isNamed(item: unknown, key: string): item is JsonObject {
  return isObject(item) && typeof item[key] === 'string';
}

/** Progress of a single part says nothing about the whole, so it is dropped. */
function relay(call: Call, method: string, params: JsonObject): void {
  if (method !== 'notifications/progress') call.send(method, params);
}
