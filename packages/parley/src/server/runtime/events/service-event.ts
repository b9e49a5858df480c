import type { RevisionDate } from '../../../protocol/revision.ts';

/** Reason why a request was rejected before it was handled. Over HTTP it follows from the status. */
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

/** A session that events refer to. */
export interface EventOfSession {
  /** Number of the session in this process; its id is a secret. */
  readonly session: number;
  /** The protocol version of the session. */
  readonly revision: RevisionDate;
  /** Transport, as OpenTelemetry names it in `network.transport`, if it is known. */
  readonly transport: string | undefined;
}

/** An event of a server or a bridge, for its log. It contains no secret and no text from a peer. */
export type ServiceEvent =
  /** A session of a handshake revision was opened by `initialize`. */
  | ({ readonly type: 'session-opened' } & EventOfSession)
  /** A session that another process opened continues here as well. */
  | ({ readonly type: 'session-adopted' } & EventOfSession)
  /** A session ended in this process. */
  | ({ readonly type: 'session-ended'; readonly lastedMs: number } & EventOfSession)
  /** An event stream was opened over HTTP. */
  | { readonly type: 'stream-opened' }
  /** A client resumed a stream that it had lost; `isMoved` if another process served it before. */
  | { readonly type: 'stream-resumed'; readonly isMoved: boolean }
  /** The server closed a stream: its reader was too slow, or writing failed. */
  | { readonly type: 'stream-cut'; readonly reason: 'slow' | 'broken' }
  /** An event stream ended for any reason. */
  | { readonly type: 'stream-ended' }
  /** A request was rejected. The status is that of HTTP, if it came over HTTP. */
  | { readonly type: 'request-refused'; readonly reason: RefusalReason; readonly status: number | undefined }
  /** The store could not be used. Reported once until it works again. */
  | { readonly type: 'store-lost' }
  /** The store can be used again. */
  | { readonly type: 'store-back'; readonly awayMs: number }
  /** The store works but has no room. Reported once until it has. */
  | { readonly type: 'store-full' }
  /**
   * The store has room again: a refused operation succeeded, and none was refused for 5 seconds. `fullMs` is the time
   * until then.
   */
  | { readonly type: 'store-roomy'; readonly fullMs: number }
  /** The store that processes share lost its data, for example because its disk is new. Clients open new sessions. */
  | { readonly type: 'store-emptied' }
  /** Messages of other processes may have been missed. */
  | { readonly type: 'bus-gap' }
  /** `close` of an HTTP server began: new requests are rejected. */
  | { readonly type: 'drain-begun' }
  /** The grace period for running requests is over, or all of them ended. */
  | { readonly type: 'drain-over'; readonly lastedMs: number };

/** Receives events. The caller does not wait for it and ignores its errors. */
export type OnEvent = (event: ServiceEvent) => void;
