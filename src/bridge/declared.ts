import type { ClientCapabilities, ServerCapabilities } from '../protocol/capability.ts';
import { isFields } from '../protocol/compile/value.ts';
import { ownMethodsKey, withExtensions, type Extensions } from '../protocol/extension.ts';
import { tasksExtension } from '../protocol/features/tasks.ts';
import { isExtensionId } from '../protocol/meta.ts';
import type { Revision } from '../protocol/revision.ts';

/**
 * Capabilities of a client as an upstream is told of them: everything but tasks, which no bridge carries. The same
 * object where there are none.
 */
export function declaredFor(capabilities: ClientCapabilities): ClientCapabilities {
  const { tasks, extensions = {} } = capabilities;
  if (tasks === undefined && !Object.hasOwn(extensions, tasksExtension)) return capabilities;
  const { tasks: _, extensions: __, ...rest } = capabilities;
  const others = Object.entries(extensions).filter(([id]) => id !== tasksExtension);
  return { ...rest, ...(others.length === 0 ? {} : { extensions: Object.fromEntries(others) }) };
}

/** Capabilities of sessions with their extensions in another place: each request of a session has the same. */
const moved = new WeakMap<ClientCapabilities, ClientCapabilities>();

/**
 * The same with extensions where a revision has a place for them.
 *
 * @param from Revision in which the client declared them.
 * @param to Revision of the upstream.
 */
export function declaredIn(from: Revision, to: Revision, capabilities: ClientCapabilities): ClientCapabilities {
  const declared = declaredFor(capabilities);
  if (from.extensions === to.extensions) return declared;
  const known = moved.get(capabilities);
  if (known !== undefined) return known;
  const made = withExtensions(to, declared, extensionsOf(from, declared));
  moved.set(capabilities, made);
  return made;
}

/**
 * Extensions that a peer declares, but for tasks. Where its revision has no place for them they stand among the
 * experimental capabilities: what is named like one is taken for one.
 */
export function extensionsOf(revision: Revision, capabilities: ClientCapabilities | ServerCapabilities): Extensions {
  const { extensions = {}, experimental = {} } = capabilities;
  const apart = revision.extensions === 'extensions' ? {} : experimental;
  const declared = [...Object.entries(apart).filter(([id]) => isExtensionId(id)), ...Object.entries(extensions)];
  return Object.fromEntries(
    declared.filter(([id, settings]) => id !== ownMethodsKey && id !== tasksExtension && isFields(settings)),
  );
}
