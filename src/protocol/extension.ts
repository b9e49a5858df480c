/** Extensions: what peers declare beyond the protocol, and where each revision has a place for it. */

import type { ClientCapabilities, ServerCapabilities } from './capability.ts';
import { isFields } from './compile/value.ts';
import type { JsonObject } from './features/common.ts';
import { isExtensionId } from './meta.ts';
import type { Revision } from './revision.ts';

/** Settings by the id of an extension; `{}` says that it is supported and has none. */
export type Extensions = Readonly<Record<string, JsonObject>>;

/** Spec 2026-07-28, Extensions, Tasks: before, the extension means nothing, wherever it is declared. */
const statelessAlone: ReadonlySet<string> = new Set(['io.modelcontextprotocol/tasks']);

/** Fault of a declaration, or `undefined`. */
export function extensionProblem(id: unknown, settings: unknown): string | undefined {
  if (typeof id !== 'string' || !isExtensionId(id))
    return `${JSON.stringify(id)} is no identifier of an extension, such as com.example/search`;
  return isFields(settings) && !Array.isArray(settings)
    ? undefined
    : `the settings of ${JSON.stringify(id)} are an object ({} for none)`;
}

/**
 * Lays extensions beside capabilities, in the place that a revision has for them: `extensions`, and before there was such
 * a place `experimental`. What the capabilities say themselves wins.
 */
export function withExtensions<Capabilities extends ClientCapabilities | ServerCapabilities>(
  revision: Revision,
  capabilities: Capabilities,
  extensions: Extensions,
): Capabilities {
  const place = revision.extensions;
  const declared = Object.entries(extensions).filter(([id]) => place === 'extensions' || !statelessAlone.has(id));
  if (declared.length === 0) return capabilities;
  return { ...capabilities, [place]: { ...Object.fromEntries(declared), ...capabilities[place] } };
}

/** Tells whether a peer declared an extension: in its own place, or where a revision without one has room for it. */
export function declaresExtension(
  revision: Revision,
  capabilities: ClientCapabilities | ServerCapabilities,
  id: string,
): boolean {
  if (has(capabilities.extensions, id)) return true;
  return revision.extensions === 'experimental' && !statelessAlone.has(id) && has(capabilities.experimental, id);
}

/** The capabilities that say that a client has an extension, in the words of a revision. */
export function extensionCapability(revision: Revision, id: string): ClientCapabilities {
  return { [revision.extensions]: { [id]: {} } };
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
 * Extensions that a peer declares, but for tasks. Where its revision has no place for them they stand among the
 * experimental capabilities: what is named like one is taken for one.
 */
export function declaredExtensions(
  revision: Revision,
  capabilities: ClientCapabilities | ServerCapabilities,
): Extensions {
  const { extensions = {}, experimental = {} } = capabilities;
  const apart = revision.extensions === 'extensions' ? {} : experimental;
  const declared = [...Object.entries(apart).filter(([id]) => isExtensionId(id)), ...Object.entries(extensions)];
  return Object.fromEntries(
    declared.filter(([id, settings]) => id !== ownMethodsKey && !statelessAlone.has(id) && isFields(settings)),
  );
}
