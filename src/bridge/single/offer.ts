import type { Client } from '../../client/client.ts';
import { isServerCapability, type ServerCapabilities } from '../../protocol/capability.ts';
import { tasksExtension } from '../../protocol/features/tasks.ts';
import { revisionFor } from '../forward.ts';

const offers = new WeakMap<ServerCapabilities, ServerCapabilities>();

/**
 * Capabilities that a bridge offers, of those of its upstream: everything but tasks. The same object as long as nothing
 * changes.
 */
export function offerOf(client: Pick<Client, 'capabilities' | 'revision'>): ServerCapabilities {
  const { capabilities } = client;
  const known = offers.get(capabilities);
  if (known !== undefined) return known;
  const { tasks: _, extensions = {}, ...rest } = capabilities;
  const others = Object.entries(extensions).filter(([id]) => id !== tasksExtension);
  const offer: ServerCapabilities = {
    ...rest,
    ...(others.length === 0 ? {} : { extensions: Object.fromEntries(others) }),
    ...undeclaredCompletions(client),
  };
  offers.set(capabilities, offer);
  return offer;
}

/** The oldest revision completes without a capability that says so; whoever asks learns whether the server does. */
function undeclaredCompletions(client: Pick<Client, 'capabilities' | 'revision'>): ServerCapabilities {
  const { prompts, resources } = client.capabilities;
  const completable = prompts !== undefined || resources !== undefined;
  return completable && !isServerCapability(revisionFor(client), 'completions') ? { completions: {} } : {};
}
