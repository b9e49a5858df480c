import type { JsonObject } from '../../../../parley/src/protocol/features/common.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import type { RequestExchange, ProbeClient } from './probe-client.ts';

/** Offer of a server in one revision, as it listed it; entries that are no objects are left out. */
export interface ServerOffer {
  readonly capabilities: JsonObject;
  readonly tools: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly templates: readonly JsonObject[];
  /** Walks over the pages of each list that was declared. */
  readonly walks: readonly PageWalk[];
}

/** The pages of a list, as they were walked over. */
export interface PageWalk {
  readonly method: string;
  readonly pages: readonly (readonly JsonObject[])[];
  /** Reason for which it has no end, where it was seen that it has none. */
  readonly endless?: string;
  /** Answer that the last page came with. */
  readonly last: RequestExchange;
}

/** Limit of the pages of one list that are asked for, and of those in a row that have nothing new. */
const [maxPages, maxOld] = [20, 8];

const lists = [
  ['tools', 'tools/list', 'tools', 'tools'],
  ['prompts', 'prompts/list', 'prompts', 'prompts'],
  ['resources', 'resources/list', 'resources', 'resources'],
  ['templates', 'resources/templates/list', 'resourceTemplates', 'resources'],
] as const;

/** Lists what a server declares that it has, page by page. */
export async function listOffer(probeClient: ProbeClient): Promise<ServerOffer> {
  const { capabilities } = probeClient;
  const offer: Record<string, readonly JsonObject[]> = {};
  const walks: PageWalk[] = [];
  for (const [name, method, field, capability] of lists) {
    if (!isObject(capabilities[capability])) continue;
    const walk = await everyPage(probeClient, method, field);
    walks.push(walk);
    offer[name] = entriesOf(walk);
  }
  const { tools = [], prompts = [], resources = [], templates = [] } = offer;
  return { capabilities, tools, prompts, resources, templates, walks };
}

/** Entries of all pages; of pages that come again and again each is there once. */
function entriesOf({ pages, endless }: PageWalk): readonly JsonObject[] {
  const all = pages.flat();
  return endless === undefined ? all : [...new Map(all.map((one) => [keyOfEntry(one), one])).values()];
}

/** Key of a list entry. */
export function keyOfEntry({ uri, uriTemplate, name }: JsonObject): unknown {
  return uri ?? uriTemplate ?? name;
}

async function everyPage(probeClient: ProbeClient, method: string, field: string): Promise<PageWalk> {
  const pages: JsonObject[][] = [];
  const [seen, byCursor] = [new Set<unknown>(), new Map<string, string>()];
  let old = 0;
  for (let cursor: string | undefined; ;) {
    const last = await probeClient.request(method, cursor === undefined ? undefined : { cursor });
    const entries = last.result?.[field];
    const page = Array.isArray(entries) ? entries.filter(isObject) : [];
    const next = last.result?.['nextCursor'];
    const keys = page.map(keyOfEntry);
    const text = JSON.stringify([keys, next]);
    // A cursor may stand for how far one came: it is the same page that has no end.
    if (cursor !== undefined && typeof next === 'string' && byCursor.get(cursor) === text)
      return { method, pages, last, endless: `the cursor ${shown(cursor)} came twice, and led to the same page` };
    if (cursor !== undefined) byCursor.set(cursor, text);
    old = keys.some((key) => !seen.has(key)) ? 0 : old + 1;
    for (const key of keys) seen.add(key);
    pages.push(page);
    if (typeof next !== 'string') return { method, pages, last };
    if (old === maxOld) return { method, pages, last, endless: `${old} pages in a row had nothing new` };
    if (pages.length === maxPages) return { method, pages, last };
    cursor = next;
  }
}

function shown(cursor: string): string {
  return JSON.stringify(cursor.slice(0, 100));
}

/** A text entry of an offer's item, such as its name. */
export function entryText(entry: JsonObject | undefined, key: string): string | undefined {
  const value = entry?.[key];
  return typeof value === 'string' ? value : undefined;
}

/** The first list that a server declares and answers with a result. */
export async function listOf(probeClient: ProbeClient): Promise<string | undefined> {
  for (const name of ['tools', 'resources', 'prompts']) {
    const method = `${name}/list`;
    if (probeClient.capabilities[name] !== undefined && (await probeClient.request(method)).result !== undefined)
      return method;
  }
  return undefined;
}

/** Tells whether a prompt has an argument that it cannot be had without. */
export function isDemanding(prompt: JsonObject): boolean {
  const parts = prompt['arguments'];
  return Array.isArray(parts) && parts.some((part) => isObject(part) && part['required'] === true);
}
