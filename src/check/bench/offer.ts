import { isObject } from '../../jsonrpc/message.ts';
import type { Prober } from './prober.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Offer of a server in one revision, as it listed it; entries that are no objects are left out. */
export interface ServerOffer {
  readonly capabilities: JsonObject;
  readonly tools: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly templates: readonly JsonObject[];
}

/** Limit of the pages of one list that are asked for. */
const mostPages = 20;

const lists = [
  ['tools', 'tools/list', 'tools', 'tools'],
  ['prompts', 'prompts/list', 'prompts', 'prompts'],
  ['resources', 'resources/list', 'resources', 'resources'],
  ['templates', 'resources/templates/list', 'resourceTemplates', 'resources'],
] as const;

/** Lists what a server declares that it has, page by page. */
export async function listOffer(speaker: Prober): Promise<ServerOffer> {
  const { capabilities } = speaker;
  const offer: Record<string, readonly JsonObject[]> = {};
  for (const [name, method, field, capability] of lists)
    offer[name] = isObject(capabilities[capability]) ? await everyPage(speaker, method, field) : [];
  const { tools = [], prompts = [], resources = [], templates = [] } = offer;
  return { capabilities, tools, prompts, resources, templates };
}

async function everyPage(speaker: Prober, method: string, field: string): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  let cursor: unknown;
  for (let page = 0; page < mostPages; page++) {
    const { result } = await speaker.request(method, cursor === undefined ? undefined : { cursor });
    const entries = result?.[field];
    if (Array.isArray(entries)) found.push(...entries.filter(isObject));
    cursor = result?.['nextCursor'];
    if (typeof cursor !== 'string') break;
  }
  return found;
}

/** A text entry of an offer's item, such as its name. */
export function entryText(entry: JsonObject | undefined, key: string): string | undefined {
  const value = entry?.[key];
  return typeof value === 'string' ? value : undefined;
}

/** The first list that a server declares and answers with a result. */
export async function listOf(speaker: Prober): Promise<string | undefined> {
  for (const name of ['tools', 'resources', 'prompts']) {
    const method = `${name}/list`;
    if (speaker.capabilities[name] !== undefined && (await speaker.request(method)).result !== undefined) return method;
  }
  return undefined;
}
