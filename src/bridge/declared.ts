import type { ClientCapabilities } from '../protocol/capability.ts';
import { tasksExtension } from '../protocol/features/tasks.ts';

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
