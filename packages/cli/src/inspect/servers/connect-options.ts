import type { ConnectOptions } from '../../../../parley/src/client/options.ts';
import type { ServerPlan } from './shared.ts';

/** Name of `auto`: the newest revision that both sides speak. */
export const auto = 'auto';

/** Time that a silent server has for the first question where nobody says how long it may take to connect, in milliseconds. */
const probeMs = 8_000;

/** Options of a connection that follow from the plan of its server, and from the revision that is wanted. */
export function plannedOptions(
  { revisions: planned, kind, wishes = {} }: Pick<ServerPlan, 'revisions' | 'kind' | 'wishes'>,
  { wanted, isTimed }: { readonly wanted: string; readonly isTimed: boolean },
): ConnectOptions {
  const revisions = wanted === auto ? planned : [wanted];
  const { requestTimeoutMs = 0, connectionTimeoutMs = 0 } = wishes;
  // Half of the time is left for what an older server is asked next.
  const halfMs = isTimed && connectionTimeoutMs > 0 ? connectionTimeoutMs / 2 : probeMs;
  return {
    ...(requestTimeoutMs > 0 ? { timeoutMs: requestTimeoutMs } : {}),
    ...(isTimed && connectionTimeoutMs > 0 ? { connectTimeoutMs: connectionTimeoutMs } : {}),
    probeTimeoutMs: Math.min(halfMs, probeMs, requestTimeoutMs || probeMs),
    // A person answers by uses of tools too.
    capabilities: { sampling: { tools: {} } },
    validateOutput: false,
    // That a process ended is what a person wants to see; a session that a server forgot is opened anew, in the wire.
    reconnect: kind !== 'stdio',
    ...(revisions === undefined ? {} : { revisions }),
  };
}
