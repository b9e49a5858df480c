/** Extensions: what peers declare beyond the protocol, in `capabilities.extensions` of every revision. (SEP-2133.) */

import type { ClientCapabilities, ServerCapabilities } from './capability.ts';
import { isFields } from './compile/value.ts';
import type { JsonObject } from './features/common.ts';
import { isExtensionId } from './meta.ts';
import type { Revision } from './revision.ts';

/** Settings by the id of an extension; `{}` says that it is supported and has none. */
export type Extensions = Readonly<Record<string, JsonObject>>;

const tasks = 'io.modelcontextprotocol/tasks';

/** ext-tasks and ext-skills: these are declared with each request, and mean nothing where clients cannot do that. */
const declaredByRequest: ReadonlySet<string> = new Set([tasks, 'io.modelcontextprotocol/skills']);

/** Tells whether an extension exists in a revision. */
export function livesIn(revision: Revision, id: string): boolean {
  return revision.clientDescribed === 'each-request' || !declaredByRequest.has(id);
}

/** Fault of a declaration, or `undefined`. */
export function extensionProblem(id: unknown, settings: unknown): string | undefined {
  if (typeof id !== 'string' || !isExtensionId(id))
    return `${JSON.stringify(id)} is no identifier of an extension, such as com.example/search`;
  return isFields(settings) && !Array.isArray(settings)
    ? undefined
    : `the settings of ${JSON.stringify(id)} are an object ({} for none)`;
}

/**
 * Adds extensions to capabilities; where a revision has a second place for them, `experimental`, they stand there too.
 * What the capabilities say themselves wins.
 */
export function withExtensions<Capabilities extends ClientCapabilities | ServerCapabilities>(
  revision: Revision,
  capabilities: Capabilities,
  extensions: Extensions,
): Capabilities {
  const declared = Object.entries({ ...extensions, ...capabilities.extensions }).filter(([id]) =>
    livesIn(revision, id),
  );
  if (declared.length === 0) return capabilities;
  const added = Object.fromEntries(declared);
  return {
    ...capabilities,
    extensions: added,
    ...(revision.experimentalExtensions && { experimental: { ...added, ...capabilities.experimental } }),
  };
}

/** Tells whether a peer declared an extension, in either place that its revision has. */
export function declaresExtension(
  revision: Revision,
  { extensions, experimental }: ClientCapabilities | ServerCapabilities,
  id: string,
): boolean {
  if (!livesIn(revision, id)) return false;
  return has(extensions, id) || (revision.experimentalExtensions && has(experimental, id));
}

/** The capabilities that say that a client has an extension. */
export function extensionCapability(id: string): ClientCapabilities {
  return { extensions: { [id]: {} } };
}

function has(map: unknown, id: string): boolean {
  return isFields(map) && Object.hasOwn(map, id) && isFields(map[id]);
}

/** The key among experimental capabilities under which a server of ours names its own methods: no list of the protocol has them. */
export const ownMethodsKey = 'parley-mcp/methods';

/** The methods of its own that a server names, and the extension of each where it belongs to one. */
export function ownMethodsOf({ experimental }: ServerCapabilities): readonly OwnMethod[] {
  return Object.entries(experimental?.[ownMethodsKey] ?? {}).map(([name, about]) => {
    const extension = isFields(about) ? about['extension'] : undefined;
    return typeof extension === 'string' ? { name, extension } : { name };
  });
}

/** A method that a server has beside those of the protocol. */
export interface OwnMethod {
  readonly name: string;
  readonly extension?: string;
}

/**
 * Extensions that a peer declares, except tasks. Where its revision has two places for them, a name like one among
 * the experimental capabilities counts too.
 */
export function declaredExtensions(
  revision: Revision,
  capabilities: ClientCapabilities | ServerCapabilities,
): Extensions {
  const { extensions = {}, experimental = {} } = capabilities;
  const second = revision.experimentalExtensions ? experimental : {};
  const declared = [...Object.entries(second).filter(([id]) => isExtensionId(id)), ...Object.entries(extensions)];
  return Object.fromEntries(
    declared.filter(
      ([id, settings]) => id !== ownMethodsKey && id !== tasks && livesIn(revision, id) && isFields(settings),
    ),
  );
}
