import type { SettledFacts } from '../../jsonrpc/transport-facts.ts';
import type { ServerSession } from '../../server/runtime/host.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import type { ParkedOptions } from './parked/parked.ts';
import type { Upstream } from './upstream.ts';
import type { OpenClient, UpstreamConnectionOptions, UpstreamEvents } from './upstream-options.ts';

/** Parts of the bridge that a pool needs. */
export interface PoolOptions extends Pick<UpstreamConnectionOptions, 'waiting'> {
  /** Makes what opens one connection: the main one, or another. */
  open(isMain: boolean): OpenClient;
  /** Limit of the connections at once, those of other pools included. */
  readonly places: ConnectionLimit;
  /** The facts of what the connections go over. */
  readonly facts: SettledFacts;
  /** The principal whose calls all of these are, where each has a pool of its own; then the main connection is theirs. */
  readonly principal?: string | undefined;
  /** True when all clients use one connection, on which a handshake server can ask nobody. */
  readonly shared?: boolean | undefined;
  /** Events of the connection of calls without a principal. */
  readonly main: UpstreamEvents;
  /** Methods of whose failures whoever asks tells the operator. */
  readonly silent?: ReadonlySet<string> | undefined;
  /** Options of calls that wait for the answers of stateless clients. */
  readonly parked: Omit<ParkedOptions, 'mostOfOne' | 'onWarning'>;
  /** Events of the own connection of a handshake session. */
  eventsOf(session: ServerSession): UpstreamEvents;
  /** Events of a connection that all calls of a principal may use. */
  eventsBy(principal: string | undefined, upstream: () => Upstream): UpstreamEvents;
}
