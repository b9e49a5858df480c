import type { ConnectOptions } from '../../../../parley/src/client/api/options.ts';
import type { ClientCapability } from '../view.ts';
import type { ServerPlan } from './shared.ts';

/** The extension of apps, and the form in which this page shows them. */
const appsExtension = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };

type Answering = Required<Pick<ConnectOptions, 'onElicit' | 'onElicitUrl' | 'onSample' | 'roots'>>;

/** Options of a connection that declare capabilities, and the handlers behind them. */
export function declaringOptions(
  declares: readonly ClientCapability[],
  { onElicit, onElicitUrl, onSample, roots }: Answering,
): ConnectOptions {
  const has = (name: ClientCapability): boolean => declares.includes(name);
  const tasks = { elicitation: has('elicitation'), sampling: has('sampling') };
  return {
    ...(has('elicitation') ? { onElicit, onElicitUrl } : {}),
    // A person answers by uses of tools too.
    ...(has('sampling') ? { onSample, capabilities: { sampling: { tools: {} } } } : {}),
    ...(has('roots') ? { roots } : {}),
    ...(has('apps') ? { extensions: appsExtension } : {}),
    ...(has('tasks') && (tasks.elicitation || tasks.sampling) ? { clientTasks: tasks } : {}),
  };
}

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
    validateOutput: false,
    // The user wants to see the end of a process. A lost session is opened again, which the wire shows.
    reconnect: kind !== 'stdio',
    ...(revisions === undefined ? {} : { revisions }),
  };
}
