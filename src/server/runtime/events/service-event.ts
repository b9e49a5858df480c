import type { RevisionDate } from '../../../protocol/revision.ts';

/** Reason why a request was turned away before anything was done for it; over HTTP it is told from the status. */
export type RefusalReason =
  | 'malformed'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'unacceptable'
  | 'conflict'
  | 'too-large'
  | 'too-often'
  | 'busy'
  | 'failed';

/** A session that events tell of. */
export interface EventOfSession {
  /** Number of the session in this process; its id is a secret. */
  readonly session: number;
  readonly revision: RevisionDate;
  /** Carrier, in the words of OpenTelemetry for `network.transport`, where it is known. */
  readonly transport: string | undefined;
}

/** Something that happened to a server or a bridge, for its log. Nothing of it is secret, and nothing was said by a peer. */
export type ServiceEvent =
  /** A session of a handshake revision was opened by `initialize`. */
  | ({ readonly type: 'session-opened' } & EventOfSession)
  /** A session that another process opened goes on here as well. */
  | ({ readonly type: 'session-adopted' } & EventOfSession)
  /** A session ended in this process. */
  | ({ readonly type: 'session-ended'; readonly lastedMs: number } & EventOfSession)
  /** An event stream was opened over HTTP. */
  | { readonly type: 'stream-opened' }
  /** A client took a stream up that it had lost; `isMoved` where another process had it before. */
  | { readonly type: 'stream-resumed'; readonly isMoved: boolean }
  /** A stream was broken off here: its reader was too slow, or could not be written to. */
  | { readonly type: 'stream-cut'; readonly reason: 'slow' | 'broken' }
  /** An event stream ended, cut or not. */
  | { readonly type: 'stream-ended' }
  /** A request was turned away; the status is that of HTTP, where it came so. */
  | { readonly type: 'request-refused'; readonly reason: RefusalReason; readonly status: number | undefined }
  /** The store could not be used; told once until it is back. */
  | { readonly type: 'store-lost' }
  /** The store can be used again. */
  | { readonly type: 'store-back'; readonly awayMs: number }
  /** The store is there and has no room for more; told once until it has. */
  | { readonly type: 'store-full' }
  /** The store has room again for what it refused: that went, and nothing was refused for 5 seconds since; it was full until then. */
  | { readonly type: 'store-roomy'; readonly fullMs: number }
  /** The store that processes share lost what it had kept, as where its disk is new: clients with sessions begin anew. */
  | { readonly type: 'store-emptied' }
  /** Texts of other processes may have been missed. */
  | { readonly type: 'bus-gap' }
  /** `close` of what serves over HTTP began: nothing new is taken. */
  | { readonly type: 'drain-begun' }
  /** The time in which running requests may end is over, or all of them have. */
  | { readonly type: 'drain-over'; readonly lastedMs: number };

/** Hears what happens; it is never waited for, and what it throws changes nothing. */
export type OnEvent = (event: ServiceEvent) => void;
