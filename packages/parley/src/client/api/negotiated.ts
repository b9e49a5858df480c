import type { DiscoverResult } from '../../protocol/features/lifecycle.ts';
import type { RevisionDate } from '../../protocol/revision.ts';

/** The knowledge of a server from an earlier connection; plain JSON that can be stored. */
export interface Negotiated {
  /** The protocol version (revision) that the server spoke. */
  readonly revision: RevisionDate;
  /**
   * Time at which the server was last probed, in milliseconds since 1970. A finding that it needs `initialize` is valid
   * for one day from then. Without a time it is valid.
   */
  readonly at?: number;
  /**
   * True if the server was not probed for a stateless revision, since none was allowed. If one is allowed now, this
   * finding does not count.
   */
  readonly unasked?: true;
  /** Result of `server/discover`; with it nothing needs to be asked next time. */
  readonly discovered?: DiscoverResult;
}
