import { isObject } from '../jsonrpc/message.ts';
import type { Call } from '../peer/call.ts';
import { McpError } from '../protocol/error.ts';
import type {
  ReadResourceRequestParams,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
} from '../protocol/resources.ts';
import { common } from './common.ts';
import { Context } from './context.ts';
import type { Ctx, RequestCtx } from './ctx.ts';
import type { Completer, Handle, ResourceDefinition, ResourceTemplateDefinition } from './definition.ts';
import { isInputRequired } from './input-required.ts';
import type { CacheHint } from './options.ts';
import type { Page, Registry } from './registry.ts';
import { isUri } from './uri.ts';
import { sendable } from './sendable.ts';
import { parseTemplate, type UriTemplate } from './uri-template.ts';

/** A resource as it is kept. */
export interface ResourceEntry {
  readonly resource: Resource;
  readonly cache: CacheHint | undefined;
  readonly read: (uri: string, ctx: Ctx) => unknown;
}

/** A resource template as it is kept. */
export interface TemplateEntry {
  readonly resourceTemplate: ResourceTemplate;
  readonly template: UriTemplate;
  readonly cache: CacheHint | undefined;
  readonly allowTraversal: boolean;
  readonly complete: ReadonlyMap<string, Completer>;
  readonly list: ((ctx: RequestCtx) => readonly Resource[] | Promise<readonly Resource[]>) | undefined;
  readonly read: (uri: string, variables: Readonly<Record<string, unknown>>, ctx: Ctx) => unknown;
}

/** Adds the resource at a URI. */
export function addResource(
  registry: Registry<ResourceEntry>,
  uri: string,
  definition: ResourceDefinition,
  read: ResourceEntry['read'],
): Handle<ResourceDefinition> {
  if (!isUri(uri)) throw new TypeError(`resource ${JSON.stringify(uri)} is not an absolute URI`);
  return registry.add(uri, definition, (current) => ({
    resource: {
      uri,
      name: current.name,
      ...described(current),
      ...(current.size === undefined ? {} : { size: current.size }),
    },
    cache: current.cache,
    read,
  }));
}

/** Adds the resources of a template. */
export function addTemplate(
  registry: Registry<TemplateEntry>,
  uriTemplate: string,
  definition: ResourceTemplateDefinition,
  read: TemplateEntry['read'],
): Handle<ResourceTemplateDefinition> {
  const template = parseTemplate(uriTemplate);
  return registry.add(uriTemplate, definition, (current) => ({
    resourceTemplate: { uriTemplate, name: current.name, ...described(current) },
    template,
    cache: current.cache,
    allowTraversal: current.allowTraversal ?? false,
    complete: completers(current.complete),
    list: current.list,
    read,
  }));
}

/** The completers of a definition by name; names of a peer's choosing are looked up in a map. */
export function completers(
  complete: Readonly<Record<string, Completer | undefined>> | undefined,
): ReadonlyMap<string, Completer> {
  const map = new Map<string, Completer>();
  for (const [name, completer] of Object.entries(complete ?? {})) if (completer !== undefined) map.set(name, completer);
  return map;
}

function described(definition: ResourceDefinition | ResourceTemplateDefinition): Omit<Resource, 'uri' | 'name'> {
  return {
    ...common(definition),
    ...(definition.mimeType === undefined ? {} : { mimeType: definition.mimeType }),
    ...(definition.annotations === undefined ? {} : { annotations: definition.annotations }),
  };
}

/**
 * One page of `resources/list`. Resources that templates name at run time come after the registered ones; they have
 * no fixed order of registration, so among them a cursor is a position.
 */
export async function listResources(
  resources: Registry<ResourceEntry>,
  templates: Registry<TemplateEntry>,
  { cursor, size, ctx }: { readonly cursor: string | undefined; readonly size: number; readonly ctx: RequestCtx },
): Promise<Page<Resource>> {
  const position = cursor === undefined ? undefined : positionOf(cursor);
  const registered: Page<ResourceEntry> = position === undefined ? resources.page(cursor, size) : { items: [] };
  const items = registered.items.map(({ resource }) => resource);
  if (registered.nextCursor !== undefined) return { items, nextCursor: registered.nextCursor };
  const found = (await Promise.all([...templates.values()].map(async ({ list }) => list?.(ctx) ?? []))).flat();
  const start = position ?? 0;
  const end = start + size - items.length;
  return {
    items: [...items, ...found.slice(start, end)],
    ...(end < found.length ? { nextCursor: btoa(`at:${end}`) } : {}),
  };
}

/** The position that a cursor names among what templates list; `undefined` for a cursor of the registered resources. */
function positionOf(cursor: string): number | undefined {
  const match = /^at:(\d{1,9})$/.exec(decoded(cursor));
  return match === null ? undefined : Number(match[1]);
}

function decoded(cursor: string): string {
  try {
    return atob(cursor);
  } catch {
    return '';
  }
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
  const { uri } = params;
  const entry = resources.find(uri);
  if (entry !== undefined)
    return contents(await entry.read(uri, new Context(call)), uri, { ...entry.resource, cache: entry.cache });
  // The contents repeat the URI, which must be one.
  for (const { template, read, resourceTemplate, cache, allowTraversal } of isUri(uri) ? templates.values() : []) {
    const variables = template.match(uri);
    if (variables === undefined || (!allowTraversal && traverses(variables))) continue;
    const found = await read(uri, variables, new Context(call));
    if (found !== undefined) return contents(found, uri, { ...resourceTemplate, cache });
  }
  throw new McpError('resourceNotFound', `no resource at ${JSON.stringify(uri.slice(0, 256))}`, { data: { uri } });
}

/** Whether a value would lead out of the folder that it is read below. (Spec 2026-07-28, Resources, Security considerations.) */
function traverses(variables: Readonly<Record<string, unknown>>): boolean {
  return Object.values(variables)
    .flat()
    .some((value) => typeof value === 'string' && (value.includes('\0') || value.split(/[\\/]/).includes('..')));
}

interface Read {
  readonly mimeType?: string | undefined;
  readonly cache: CacheHint | undefined;
}

/** A wish for input is not kept by anybody: it has no hint. */
function contents(value: unknown, uri: string, { mimeType, cache }: Read): ReadResourceResult {
  if (isInputRequired(value)) return value as ReadResourceResult;
  const result = { ...cache, ...contentsOf(value, uri, mimeType) };
  return sendable('ReadResourceResult', result, `the resource ${JSON.stringify(uri)}`);
}

function contentsOf(value: unknown, uri: string, mimeType: string | undefined): ReadResourceResult {
  const base = { uri, ...(mimeType === undefined ? {} : { mimeType }) };
  if (typeof value === 'string') return { contents: [{ ...base, text: value }] };
  if (value instanceof Uint8Array) return { contents: [{ ...base, blob: base64(value) }] };
  // What is not text or bytes is contents or a result by the reader's type; the projection checks it.
  if (Array.isArray(value)) return { contents: value };
  if (isObject(value) && Array.isArray(value['contents'])) return value as unknown as ReadResourceResult;
  if (isObject(value) && (typeof value['text'] === 'string' || typeof value['blob'] === 'string')) {
    return { contents: [{ ...base, ...value }] } as unknown as ReadResourceResult;
  }
  throw new TypeError(`the resource ${JSON.stringify(uri)} gave a ${typeof value}; give text, bytes or contents`);
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}
