import type { ClientCapabilities } from '../protocol/capability.ts';
import { declaredExtensions, livesIn, withExtensions } from '../protocol/extension.ts';
import type { Revision } from '../protocol/revision.ts';

/** Cache: the same object each time for the same capabilities. */
const declared = new WeakMap<ClientCapabilities, ClientCapabilities>();

/**
 * Capabilities of a client, as an upstream of the same revision gets them. It leaves out the client's own tasks, which
 * need a connection of their own, and extensions that its revision does not have. It returns the same object if there
 * is neither.
 */
export function declaredFor(capabilities: ClientCapabilities, from: Revision): ClientCapabilities {
  const { extensions = {} } = capabilities;
  const others = Object.entries(extensions).filter(([id]) => livesIn(from, id));
  if (capabilities.tasks === undefined && others.length === Object.keys(extensions).length) return capabilities;
  const known = declared.get(capabilities);
  if (known !== undefined) return known;
  const { tasks: _, extensions: __, ...rest } = capabilities;
  const made = { ...rest, ...(others.length === 0 ? {} : { extensions: Object.fromEntries(others) }) };
  declared.set(capabilities, made);
  return made;
}

/**
 * The tasks that the client of a session supports, as a server with a connection of its own gets them. The list method
 * is left out, since the client does not know which tasks another server requested. (Spec 2025-11-25, Tasks.)
 */
export function hostedFor(
  { tasks }: ClientCapabilities,
  from: Revision,
  to: Revision | undefined,
): Pick<ClientCapabilities, 'tasks'> {
  if (tasks?.requests === undefined || from.tasks !== 'core' || to?.tasks !== 'core') return {};
  const { list: _, ...others } = tasks;
  return { tasks: others };
}

/**
 * Cache: capabilities of sessions with their extensions moved for another revision. Each request of a session has the
 * same.
 */
const moved = new WeakMap<ClientCapabilities, ClientCapabilities>();

/**
 * Moves extensions to the place that the other revision has for them.
 *
 * @param from Revision in which the client declared them.
 * @param to Revision of the upstream.
 */
export function declaredIn(from: Revision, to: Revision, capabilities: ClientCapabilities): ClientCapabilities {
  const own = declaredFor(capabilities, from);
  if (from.experimentalExtensions === to.experimentalExtensions) return own;
  const known = moved.get(capabilities);
  if (known !== undefined) return known;
  const made = withExtensions(to, own, declaredExtensions(from, own));
  moved.set(capabilities, made);
  return made;
}
