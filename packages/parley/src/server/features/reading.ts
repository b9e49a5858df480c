/** Serving of resources: their list, and reading them. */

import type { Within } from '../definition/mounted-use.ts';
import type { CacheHint } from '../../protocol/features/envelope.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { Call } from '../runtime/call.ts';
import type { AuthInfo } from '../runtime/request-handler.ts';
import { requireScopes } from '../runtime/protection.ts';
import { McpError } from '../../protocol/error.ts';
import { shown } from '../../options/shown.ts';
import {
  listResourcesResultShape,
  readResourceResultShape,
  type ReadResourceRequestParams,
  type ReadResourceResult,
  type Resource,
} from '../../protocol/features/resources.ts';
import { Context } from '../definition/context.ts';
import { isOtherResult } from '../definition/input-required.ts';
import { inWords } from '../definition/handler-errors.ts';
import { isListed, neededScopes } from './needed-scopes.ts';
import { decoded, type RegistryEntry, type ListPage, type Registry } from '../definition/registry.ts';
import type { ResourceEntry, TemplateEntry } from './resources.ts';
import { checkResult } from '../definition/check-result.ts';
import { leadsElsewhere } from '../uri-template/traversal.ts';
import { isUri, toAscii } from '../uri-template/uri.ts';
import { matchTemplate } from '../uri-template/match.ts';

/** Tells whether a page may hold what templates name at run time, and so may differ from one request to the next. */
export function isFoundAtRunTime(templates: Registry<TemplateEntry>, cursor: string | undefined): boolean {
  for (const { list } of templates.values()) if (list !== undefined) return true;
  return cursor !== undefined && positionOf(cursor) !== undefined;
}

/**
 * One page of `resources/list`. Resources that templates list at run time come after the registered ones. They have no
 * fixed order of registration, so among them a cursor is a position.
 */
export async function listResources(
  resources: Registry<ResourceEntry>,
  templates: Registry<TemplateEntry>,
  { cursor, size, call }: { readonly cursor: string | undefined; readonly size: number; readonly call: Call },
): Promise<ListPage<Resource>> {
  const position = cursor === undefined ? undefined : positionOf(cursor);
  const registered: ListPage<ResourceEntry> =
    position === undefined
      ? resources.page(cursor, size, ({ restrictions }) => isListed(resources, restrictions, call.auth))
      : { items: [] };
  const items = registered.items.map(({ resource }) => resource);
  if (registered.nextCursor !== undefined) return { items, nextCursor: registered.nextCursor };
  const { auth } = call;
  const ctx = new Context(call);
  const visible = templates.entries().filter(({ restrictions }) => isListed(templates, restrictions, auth));
  const named = (await Promise.all(visible.map(async ({ value }) => value.list?.(ctx) ?? []))).flat();
  const found = named.filter(({ uri }) => !isHidden(resources, uri, auth));
  const start = position ?? 0;
  const end = start + size - items.length;
  const page = { resources: found.slice(start, end) };
  return {
    items: [...items, ...checkResult(listResourcesResultShape, page, 'the list of a resource template').resources],
    ...(end < found.length ? { nextCursor: btoa(`at:${end}`) } : {}),
  };
}

/** The position that a cursor names among what templates list; `undefined` for a cursor of the registered resources. */
function positionOf(cursor: string): number | undefined {
  const match = /^at:(\d{1,9})$/.exec(decoded(cursor));
  return match === null ? undefined : Number(match[1]);
}

/**
 * Runs `resources/read`.
 *
 * @throws McpError resourceNotFound when no resource has the URI.
 */
export async function readResource(
  resources: Registry<ResourceEntry>,
  templates: Registry<TemplateEntry>,
  { params, call }: { readonly params: ReadResourceRequestParams; readonly call: Call },
): Promise<ReadResourceResult> {
  const entry = resourceAt(resources, params.uri, call.auth);
  // The contents repeat the URI, which must be one.
  const uri = toAscii(params.uri) ?? params.uri;
  if (entry !== undefined) {
    const { read, resource, cache } = entry.value;
    requireScopes(call, neededScopes(entry.restrictions, uri));
    return await readWithin(entry.value.within, { params, call }, async () =>
      contents(await inWords(() => read(uri, new Context(call))), uri, { ...resource, cache }),
    );
  }
  for (const [{ value, restrictions }, variables] of matching(resources, templates, uri, call.auth)) {
    const { read, resourceTemplate, cache } = value;
    requireScopes(call, neededScopes(restrictions, variables));
    const result = await readWithin(value.within, { params, call }, async () => {
      const found = await inWords(() => read(uri, variables, new Context(call)));
      return found === undefined ? undefined : contents(found, uri, { ...resourceTemplate, cache });
    });
    if (result !== undefined) return result;
  }
  const asked = params.uri;
  throw new McpError('resourceNotFound', `no resource at ${JSON.stringify(asked.slice(0, 256))}`, {
    data: { uri: asked },
  });
}

/** The resource at a URI. Non-ASCII characters may be percent-encoded or not. */
export function resourceAt(
  resources: Registry<ResourceEntry>,
  uri: string,
  auth: AuthInfo | undefined,
): RegistryEntry<ResourceEntry> | undefined {
  return resources.entry(uri, auth) ?? resources.entry(toAscii(uri) ?? '', auth);
}

/** Reads through the mounted server that owns the resource, if there is one. */
async function readWithin<T extends ReadResourceResult | undefined>(
  within: Within | undefined,
  { params, call }: { readonly params: ReadResourceRequestParams; readonly call: Call },
  run: () => Promise<T>,
): Promise<T> {
  // The result was made by `run`, or checked as a result of the method.
  return within === undefined
    ? await run()
    : ((await within({ method: 'resources/read', params: { ...params }, call, run })) as T);
}

/** The templates that a URI follows, as a caller may use them, each with the variables. */
export function* matching(
  resources: Registry<ResourceEntry>,
  templates: Registry<TemplateEntry>,
  uri: string,
  auth: AuthInfo | undefined,
): Generator<readonly [entry: RegistryEntry<TemplateEntry>, variables: Readonly<Record<string, unknown>>]> {
  const ascii = toAscii(uri);
  if (ascii === undefined || !isUri(ascii) || isHidden(resources, uri, auth) || isHidden(resources, ascii, auth))
    return;
  for (const entry of templates.entries()) {
    const { template, allowTraversal } = entry.value;
    const variables = isListed(templates, entry.restrictions, auth) ? matchTemplate(template, uri) : undefined;
    if (variables !== undefined && (allowTraversal || !traverses(variables))) yield [entry, variables];
  }
}

/** Tells whether a registered item is hidden or disabled. No other item may then take its place. */
export function isHidden<T>(registry: Registry<T>, key: string, auth: AuthInfo | undefined): boolean {
  const entry = registry.kept(key);
  return entry !== undefined && !(entry.enabled && isListed(registry, entry.restrictions, auth));
}

function traverses(variables: Readonly<Record<string, unknown>>): boolean {
  return Object.values(variables)
    .flat()
    .some((value) => typeof value === 'string' && leadsElsewhere(value));
}

interface ReadDefaults {
  readonly mimeType?: string | undefined;
  readonly cache: CacheHint | undefined;
}

/** A request for input is never cached, so it has no hint. */
function contents(value: unknown, uri: string, { mimeType, cache }: ReadDefaults): ReadResourceResult {
  if (isOtherResult(value)) return value as ReadResourceResult;
  const result = { ...cache, ...contentsOf(value, uri, mimeType) };
  return checkResult(readResourceResultShape, result, `the resource ${JSON.stringify(uri)}`);
}

function contentsOf(value: unknown, uri: string, mimeType: string | undefined): ReadResourceResult {
  const base = { uri, ...(mimeType === undefined ? {} : { mimeType }) };
  if (typeof value === 'string') return { contents: [{ ...base, text: value }] };
  if (value instanceof Uint8Array) return { contents: [{ ...base, blob: base64(value) }] };
  // By the reader's type, a value that is not text or bytes is contents or a result. The conversion checks it.
  if (Array.isArray(value)) return { contents: value };
  if (isObject(value) && Array.isArray(value['contents'])) return value as unknown as ReadResourceResult;
  if (isObject(value) && (typeof value['text'] === 'string' || typeof value['blob'] === 'string')) {
    return { contents: [{ ...base, ...value }] } as unknown as ReadResourceResult;
  }
  throw new TypeError(`the resource ${JSON.stringify(uri)} gave ${shown(value)}; give text, bytes or contents`);
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}
