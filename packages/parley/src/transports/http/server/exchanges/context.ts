import type { RequestHandler } from '../../../../server/runtime/request-handler.ts';
import type { Revision } from '../../../../protocol/revision.ts';
import type { HttpSettings } from './options.ts';
import type { Bodies, InFlight, Quota, ServingCount } from './quota.ts';
import type { KeepAlive } from './keep-alive.ts';
import type { EventStreams } from './stream.ts';

/** Parts that one HTTP server shares. */
export interface HttpContext {
  readonly endpoint: RequestHandler;
  readonly settings: HttpSettings;
  readonly streams: EventStreams;
  /** The answers of which no client has a byte yet. */
  readonly silence: KeepAlive;
  /** The places for sessions, of either transport that has them. */
  readonly sessionQuota: Quota;
  /** The revisions of the endpoint in which a POST is a whole exchange; may be empty. */
  readonly inExchanges: readonly Revision[];
  /** Those that have sessions, of either transport; may be empty. */
  readonly inSessions: readonly Revision[];
  /** The requests being answered, event streams not counted. */
  readonly admitted: InFlight;
  /** The bodies of the requests being answered. */
  readonly bodies: Bodies;
  /** Everything being answered, to be waited for at the end. */
  readonly serving: ServingCount;
  /** Course of the server towards its end. */
  readonly course: LifecycleState;
}

/**
 * Tells whether a POST of a revision is a whole exchange; `undefined` for an unknown revision, which has neither
 * exchanges nor sessions.
 */
export function isOfExchanges(revision: Revision | undefined): boolean {
  return revision?.http === 'exchange';
}

/** Tells whether messages of a revision belong to a session. */
export function isOfSessions(revision: Revision | undefined): boolean {
  return revision !== undefined && !isOfExchanges(revision);
}

/** Course of a server towards its end. */
export interface LifecycleState {
  /** During a drain no work begins. Running work gets what it needs to end. */
  stage: 'open' | 'draining' | 'closed';
  /** False from the beginning of its end. Balancers must see that before any request is rejected. */
  ready: boolean;
}
