import type { Within } from '../definition/mounted-use.ts';
import type { CacheHint } from '../../protocol/features/envelope.ts';
import { resourceShape, resourceTemplateShape } from '../../protocol/features/resource.ts';
import type { Resource, ResourceTemplate } from '../../protocol/features/resources.ts';
import { refuseUnknown } from '../../options/known-names.ts';
import { shown } from '../../options/shown.ts';
import { common } from './common.ts';
import type { ToolContext, RequestContext } from '../definition/tool-context.ts';
import type { Completer, Handle, ResourceDefinition, ResourceTemplateDefinition } from '../definition/definition.ts';
import type { Registry } from '../definition/registry.ts';
import { listable } from '../definition/check-result.ts';
import { isUri, toAscii } from '../uri-template/uri.ts';
import { TemplateParts } from '../uri-template/parse.ts';

/** A registered resource. */
export interface ResourceEntry {
  readonly resource: Resource;
  readonly cache: CacheHint | undefined;
  readonly read: (uri: string, ctx: ToolContext) => unknown;
  /** The way to it, if it belongs to a mounted server. */
  readonly within?: Within | undefined;
}

/** A registered resource template. */
export interface TemplateEntry {
  readonly resourceTemplate: ResourceTemplate;
  readonly template: TemplateParts;
  readonly cache: CacheHint | undefined;
  readonly allowTraversal: boolean;
  readonly complete: ReadonlyMap<string, Completer>;
  readonly list: ((ctx: RequestContext) => readonly Resource[] | Promise<readonly Resource[]>) | undefined;
  readonly read: (uri: string, variables: Readonly<Record<string, unknown>>, ctx: ToolContext) => unknown;
  /** The way to it, if it belongs to a mounted server. */
  readonly within?: Within | undefined;
}

function noUri(uri: string): TypeError {
  // Half of a surrogate pair cannot be encoded.
  const encoded = /\p{Surrogate}/u.test(uri) ? uri : encodeURI(uri);
  const remedy = isUri(encoded) ? `; percent-encode what no URI may hold: ${JSON.stringify(encoded)}` : '';
  return new TypeError(`resource ${JSON.stringify(uri)} is not an absolute URI${remedy}`);
}

/** Adds the resource at a URI. */
export function addResource(
  registry: Registry<ResourceEntry>,
  given: string,
  definition: ResourceDefinition,
  read: ResourceEntry['read'],
): Handle<ResourceDefinition> {
  const opens = given.indexOf('{');
  if (opens !== -1 && given.includes('}', opens))
    throw new TypeError(`resource ${JSON.stringify(given)} is a template of URIs; define it with resourceTemplate`);
  // A client may read it by either spelling. A space or a control character is a mistake.
  const uri = /[\0- \x7f]/.test(given) ? given : (toAscii(given) ?? given);
  if (!isUri(uri)) throw noUri(given);
  return registry.add(uri, definition, (current) => ({
    resource: listable(
      resourceShape,
      {
        uri,
        name: current.name,
        ...described(current),
        ...(current.size === undefined ? {} : { size: current.size }),
      },
      `resource ${JSON.stringify(uri)}`,
    ),
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
  const template = new TemplateParts(uriTemplate);
  const what = `resource template ${JSON.stringify(uriTemplate)}`;
  return registry.add(uriTemplate, definition, (current) => ({
    resourceTemplate: listable(resourceTemplateShape, { uriTemplate, name: current.name, ...described(current) }, what),
    template,
    cache: current.cache,
    allowTraversal: current.allowTraversal ?? false,
    complete: completers(what, current.complete, template.variables),
    list: current.list,
    read,
  }));
}

/**
 * The completers of a definition by name. A map is used because a peer chooses the names that are looked up.
 *
 * @param names The names that can be completed.
 * @throws TypeError for a completer with an unknown name, or one that is not a function.
 */
export function completers(
  what: string,
  complete: Readonly<Record<string, Completer | undefined>> | undefined,
  names: readonly string[],
): ReadonlyMap<string, Completer> {
  const map = new Map<string, Completer>();
  refuseUnknown(`complete of ${what}`, complete ?? {}, Object.fromEntries(names.map((name) => [name, 1])));
  for (const [name, completer] of Object.entries(complete ?? {})) {
    if (completer === undefined) continue;
    if (typeof completer !== 'function')
      throw new TypeError(`complete of ${what} has functions; ${name} is ${shown(completer)}`);
    map.set(name, completer);
  }
  return map;
}

function described(definition: ResourceDefinition | ResourceTemplateDefinition): Omit<Resource, 'uri' | 'name'> {
  return {
    ...common(definition),
    ...(definition.mimeType === undefined ? {} : { mimeType: definition.mimeType }),
    ...(definition.annotations === undefined ? {} : { annotations: definition.annotations }),
  };
}
