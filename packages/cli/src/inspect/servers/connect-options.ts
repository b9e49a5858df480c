import type { ConnectOptions } from '../../../../parley/src/client/options.ts';
import type { ServerPlan } from './shared.ts';

/** Name of `auto`: the newest revision that both sides speak. */
export const auto = 'auto';

/** Time for a silent server's first answer, if the user set no limit, in milliseconds. */
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
    // The user wants to see the end of a process. A lost session is opened again, which the wire shows.
    reconnect: kind !== 'stdio',
    ...(revisions === undefined ? {} : { revisions }),
  };
}
