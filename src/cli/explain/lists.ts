import { after } from '../../jsonrpc/timeout.ts';
import type { ServerConnection } from '../../client/connection/server-connection.ts';
import { McpError } from '../../protocol/error.ts';
import { fromWire } from '../../protocol/compile/from-wire.ts';
import { listPromptsResultShape, type Prompt } from '../../protocol/features/prompts.ts';
import type { Resource, ResourceTemplate } from '../../protocol/features/resource.ts';
import type { Tool } from '../../protocol/features/tool.ts';
import type { Listed, Offer } from '../../fidelity/offer.ts';
import { listToolsResultShape } from '../../protocol/features/tools.ts';
import { listResourceTemplatesResultShape, listResourcesResultShape } from '../../protocol/features/resources.ts';

/** The bounds of one list. */
const most = { pages: 20, items: 1000 };

/** The lists of an offer. */
export type Lists = Pick<Offer, 'tools' | 'resources' | 'resourceTemplates' | 'prompts'>;

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | undefined;
}

type Fetch = (method: string, cursor: string | undefined) => Promise<Readonly<Record<string, unknown>>>;

/** Asks for the lists that a server says it has; a list that fails says why, and the others are asked for. */
export async function listEverything(
  connection: ServerConnection,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Lists> {
  const { revision, agreement } = connection;
  const { capabilities } = agreement;
  const limit = new AbortController();
  const cancel = after(timeoutMs, () => limit.abort(new Error(`the lists took longer than ${timeoutMs} ms`)));
  const either = AbortSignal.any([signal, limit.signal]);
  const fetch: Fetch = (method, cursor) =>
    connection.request(method, cursor === undefined ? undefined : { cursor }, { signal: either });
  const listed = async <Item>(read: (cursor: string | undefined) => Promise<Page<Item>>): Promise<Listed<Item>> => {
    const list = await walk(read, limit.signal);
    signal.throwIfAborted();
    return list;
  };
  try {
    const tools = capabilities.tools && {
      tools: await listed<Tool>(async (cursor) => {
        const { tools: items, nextCursor } = fromWire(
          revision,
          listToolsResultShape,
          await fetch('tools/list', cursor),
        );
        return { items, nextCursor };
      }),
    };
    const resources = capabilities.resources && {
      resources: await listed<Resource>(async (cursor) => {
        const raw = await fetch('resources/list', cursor);
        const { resources: items, nextCursor } = fromWire(revision, listResourcesResultShape, raw);
        return { items, nextCursor };
      }),
      resourceTemplates: await listed<ResourceTemplate>(async (cursor) => {
        const raw = await fetch('resources/templates/list', cursor);
        const { resourceTemplates: items, nextCursor } = fromWire(revision, listResourceTemplatesResultShape, raw);
        return { items, nextCursor };
      }),
    };
    const prompts = capabilities.prompts && {
      prompts: await listed<Prompt>(async (cursor) => {
        const raw = await fetch('prompts/list', cursor);
        const { prompts: items, nextCursor } = fromWire(revision, listPromptsResultShape, raw);
        return { items, nextCursor };
      }),
    };
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
  let cursor: string | undefined;
  try {
    for (let pages = 0; pages < most.pages && items.length < most.items; pages++) {
      const page = await read(cursor);
      const fitting = page.items.slice(0, most.items - items.length);
      items.push(...fitting);
      if (page.nextCursor === undefined) return { items, more: page.items.length > fitting.length };
      cursor = page.nextCursor;
    }
    return { items, more: true };
  } catch (error) {
    return { items, more: items.length > 0, error: limit.aborted ? String(limit.reason) : reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof McpError) return `${error.code} ${error.message}`.slice(0, 300);
  return error instanceof Error ? error.message.slice(0, 300) : String(error);
}
