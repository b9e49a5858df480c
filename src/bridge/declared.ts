import type { ClientCapabilities } from '../protocol/capability.ts';

/** The extension that stateless revisions have in place of the tasks of the core. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

const told = new WeakMap<ClientCapabilities, ClientCapabilities>();

/** What an upstream is told that a client can do: everything but tasks, which no bridge carries. */
export function declaredFor(capabilities: ClientCapabilities): ClientCapabilities {
  const known = told.get(capabilities);
  if (known !== undefined) return known;
  const { tasks: _, extensions, ...rest } = capabilities;
  const others = Object.entries(extensions ?? {}).filter(([id]) => id !== tasksExtension);
  const declared = { ...rest, ...(others.length === 0 ? {} : { extensions: Object.fromEntries(others) }) };
  told.set(capabilities, declared);
  return declared;
}
