import type { SettledFacts } from '../../jsonrpc/transport-facts.ts';
import type { ServerSession } from '../../server/runtime/server-core.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import type { SuspendedCallsOptions } from './suspended/suspended-calls.ts';
import type { Upstream } from './upstream.ts';
import type { OpenClient, UpstreamConnectionOptions, UpstreamEvents } from './upstream-options.ts';

/** Parts of the bridge that a pool needs. */
export interface PoolOptions extends Pick<UpstreamConnectionOptions, 'waiting'> {
  /** Makes what opens one connection: the main one, or another. */
  open(isMain: boolean): OpenClient;
  /** Limit of the connections at once, those of other pools included. */
  readonly places: ConnectionLimit;
  /** Facts about the transport of the connections. */
  readonly facts: SettledFacts;
  /** The principal of all calls, if each principal has its own pool. The main connection then belongs to it. */
  readonly principal?: string | undefined;
  /** True if all clients use one connection, on which a session-based server cannot ask questions. */
  readonly shared?: boolean | undefined;
  /** Events of the connection of calls without a principal. */
  readonly main: UpstreamEvents;
  /** Methods whose failures the caller reports to the operator. */
  readonly silent?: ReadonlySet<string> | undefined;
  /** Options of calls that wait for the answers of stateless clients. */
  readonly suspended: Omit<SuspendedCallsOptions, 'maxOfOne' | 'onWarning'>;
  /** Events of the own connection of a handshake session. */
  eventsOf(session: ServerSession): UpstreamEvents;
  /** Events of a connection that all calls of a principal may use. */
  eventsBy(principal: string | undefined, upstream: () => Upstream): UpstreamEvents;
}
