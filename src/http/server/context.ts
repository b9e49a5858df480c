import type { Endpoint } from '../../host/endpoint.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { HttpSettings } from './options.ts';
import type { Bodies, InFlight, Quota } from './quota.ts';
import type { Silence } from './silence.ts';
import type { EventStreams } from './stream.ts';

/** What the parts of one HTTP server share. */
export interface HttpContext {
  readonly endpoint: Endpoint;
  readonly settings: HttpSettings;
  readonly streams: EventStreams;
  /** The answers of which no client has a byte yet. */
  readonly silence: Silence;
  /** The places for sessions, of either transport that has them. */
  readonly sessionQuota: Quota;
  /** The stateless revisions of the endpoint; may be empty. */
  readonly stateless: readonly Revision[];
  /** The handshake revisions of the endpoint; may be empty. */
  readonly handshake: readonly Revision[];
  /** The requests being answered, event streams not counted. */
  readonly admitted: InFlight;
  /** The bodies of the requests being answered. */
  readonly bodies: Bodies;
  /** Everything being answered, to be waited for at the end. */
  readonly serving: InFlight;
  /** How far the server is on its way to its end. */
  readonly course: Course;
}

/** How far a server is on its way to its end. */
export interface Course {
  /** While it drains nothing begins, and what runs gets what it needs for its end. */
  stage: 'open' | 'draining' | 'closed';
}
