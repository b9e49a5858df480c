import { after } from '../../../../parley/src/jsonrpc/timeout.ts';
import type { ServerConnection } from '../../../../parley/src/client/connection/server-connection.ts';
import { undeclaredMs } from '../../../../parley/src/client/undeclared-list.ts';
import { hintOf, walkPages, type Page } from '../../../../parley/src/client/api/pages.ts';
import { readResult } from '../../../../parley/src/client/api/read-result.ts';
import { ToleratedFaults } from '../../../../parley/src/client/api/tolerated.ts';
import { isAskedForLists } from '../../../../parley/src/connection/gate.ts';
import { McpError } from '../../../../parley/src/protocol/error.ts';
import { methodOf, type ListItems, type ListMethod } from '../../../../parley/src/protocol/catalogue.ts';
import type { Listed, Offer } from '../../compatibility/offer.ts';

/** The bounds of one list. */
const most = { pages: 20, items: 1000, malformed: 20 };

/** The lists of an offer. */
export type Lists = Pick<Offer, 'tools' | 'resources' | 'resourceTemplates' | 'prompts'>;

/** Limits of asking for lists. */
export interface ListLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The features that have lists. */
const listing = ['tools', 'resources', 'prompts'] as const;
type ListPart = (typeof listing)[number];

/** Asks for the lists that a server says it has; a list that fails says why, and the others are asked for. */
export async function listEverything(connection: ServerConnection, limits: ListLimits): Promise<Lists> {
  const { capabilities } = connection.agreement;
  return await listsOf(
    connection,
    listing.filter((feature) => capabilities[feature] !== undefined),
    limits,
  );
}

/** Asks for the lists that a server did not declare, of which some have entries all the same. */
export async function listUndeclared(
  connection: ServerConnection,
  { timeoutMs, signal }: ListLimits,
): Promise<Lists & Pick<Offer, 'undeclared'>> {
  const { capabilities } = connection.agreement;
  if (!isAskedForLists(capabilities)) return {};
  const others = listing.filter((feature) => capabilities[feature] === undefined);
  const limits = { timeoutMs: Math.min(timeoutMs, undeclaredMs), signal };
  const found = await Promise.all(
    others.map(async (feature) => {
      const lists = await listsOf(connection, [feature], limits);
      return Object.values(lists).some(({ items }) => items.length > 0) ? { feature, lists } : undefined;
    }),
  );
  const served = found.flatMap((one) => one ?? []);
  if (served.length === 0) return {};
  return Object.assign({ undeclared: served.map(({ feature }) => feature) }, ...served.map(({ lists }) => lists));
}

async function listsOf(
  connection: ServerConnection,
  features: readonly ListPart[],
  { timeoutMs, signal }: ListLimits,
): Promise<Lists> {
  const { revision } = connection;
  const limit = new AbortController();
  const cancel = after(timeoutMs, () => limit.abort(new Error(`the lists took longer than ${timeoutMs} ms`)));
  const either = AbortSignal.any([signal, limit.signal]);
  const listed = async <Method extends ListMethod>(method: Method): Promise<Listed<ListItems[Method]>> => {
    const malformed: string[] = [];
    const lenience = new ToleratedFaults(() => undefined).in(method, undefined, ({ name, why }) => {
      if (malformed.length < most.malformed) malformed.push(`${name}: ${why}`);
    });
    const list = await walk<ListItems[Method]>(async (cursor) => {
      const params = cursor === undefined ? undefined : { cursor };
      const raw = await connection.request(method, params, { signal: either });
      const { nextCursor, ...result } = readResult(revision, method, raw, lenience) as { readonly nextCursor?: string };
      // `readResult` checked that the result has its entries there.
      const items = Object.entries(result).find(([key]) => key === methodOf(method)?.list?.items)?.[1];
      return { ...hintOf({}), items: items as readonly ListItems[Method][], nextCursor };
    }, limit.signal);
    signal.throwIfAborted();
    return malformed.length === 0 ? list : { ...list, malformed };
  };
  try {
    const tools = features.includes('tools') && { tools: await listed('tools/list') };
    const resources = features.includes('resources') && {
      resources: await listed('resources/list'),
      resourceTemplates: await listed('resources/templates/list'),
    };
    const prompts = features.includes('prompts') && { prompts: await listed('prompts/list') };
    return { ...tools, ...resources, ...prompts };
  } finally {
    cancel();
  }
}

async function walk<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
  limit: AbortSignal,
): Promise<Listed<Item>> {
  const items: Item[] = [];
  let pages = 0;
  try {
    for await (const page of walkPages(read, { maxPages: most.pages, maxItems: most.items })) {
      items.push(...page.items);
      pages++;
    }
    return { items, more: false };
  } catch (error) {
    if (pages === most.pages || items.length === most.items) return { items, more: true };
    return { items, more: items.length > 0, error: limit.aborted ? String(limit.reason) : reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof McpError) return `${error.code} ${error.message}`.slice(0, 300);
  return error instanceof Error ? error.message.slice(0, 300) : String(error);
}
