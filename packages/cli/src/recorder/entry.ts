/** One row of a recording: what crossed a connection, or what became of what carried it. */

import type { RequestId } from '../../../parley/src/jsonrpc/message.ts';
import type { Side } from '../../../parley/src/protocol/method.ts';

/**
 * Kind of an entry.
 *
 * - `message`: text that is a message, or should be one: a line, a body of JSON, the data of an event.
 * - `http`: a request or a response without a message.
 * - `event`: what an event stream has beside messages: other events, comments, times to wait, its end.
 * - `stderr`: text of a process beside its messages.
 * - `process`: the beginning and the end of a conversation or of its process.
 * - `auth`: requests about authorization, and their answers.
 * - `app`: what an app and its host tell each other.
 */
export type Lane = 'message' | 'http' | 'event' | 'stderr' | 'process' | 'auth' | 'app';

/** The head of an HTTP request or response. */
export interface HttpHead {
  /** Method of a request. */
  readonly method?: string;
  /** Address of a request. */
  readonly url?: string;
  /** Status of a response. */
  readonly status?: number;
  /** All headers, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Fields of an event of a stream beside its data. */
export interface EventFields {
  /** The type; left out for a message. */
  readonly type?: string;
  /** Id from which the stream can be resumed. */
  readonly id?: string;
  /** Time to wait before reconnecting, in milliseconds. */
  readonly retry?: number;
  /** Text of a comment. */
  readonly comment?: string;
}

/** End of a process. */
export interface ExitFacts {
  /** Code that it exited with; `null` where a signal ended it. */
  readonly code: number | null;
  /** Name of the signal that ended it; `null` for none. */
  readonly signal: string | null;
}

/** Something that a tap saw, as it crossed: nothing is hidden in it, and nothing is cut off. */
export interface Seen {
  readonly lane: Lane;
  readonly from: Side;
  readonly text?: string;
  /** Reason why the text is no message, or why something broke off. */
  readonly problem?: string;
  readonly http?: HttpHead;
  readonly event?: EventFields;
  readonly exit?: ExitFacts;
  /** Sequence of the request in whose exchange it came, over HTTP. */
  readonly exchange?: number;
  /** Conversation that it belongs to, counted from 1; 0 where it belongs to none. */
  readonly connection?: number;
  /** True if nothing more comes in its exchange; `given-up` if its caller cancelled it. */
  readonly ends?: 'over' | 'given-up';
  /** Id of the request that a message was to answer which cannot be read, where that is all that is known of it. */
  readonly answered?: RequestId;
}

/** One stored entry of a recording, with forgotten text replaced and hidden text unchanged. */
export interface RecordingEntry extends Omit<Seen, 'ends' | 'answered'> {
  /** Number of the entry, rising; those of several servers may share one count. */
  readonly sequence: number;
  /** Time at which it was seen, in milliseconds since 1970. */
  readonly time: number;
  /** Name of the server in the recording. */
  readonly server: string;
  readonly connection: number;
  /** Length of the text as it crossed, in bytes of UTF-8. */
  readonly bytes: number;
  /** Characters of the text that are not kept. */
  readonly cut?: number;
  /** Id of the request or response; left out for a batch. */
  readonly id?: RequestId | null;
  /** Method of a request or notification, and of the request that a response answers. */
  readonly method?: string;
  /** Sequence of the response to a request, and of the request of a response. */
  readonly pair?: number;
  /**
   * Sequence of the message that replaced an answer, after which none can come in the exchange of an HTTP request; and
   * of that request. An answer in another exchange is its pair all the same.
   */
  readonly over?: number;
  /** Sequence of the caller's cancellation, or of the end of its exchange that had this effect. */
  readonly cancelled?: number;
  /** Revision that was settled or claimed when it crossed. */
  readonly revision?: string;
  /** Time from the request, in milliseconds. */
  readonly ms?: number;
  /** Ids of the violated requirements, if it was checked. */
  readonly broken?: readonly string[];
}

/** Hears what a tap sees. None of its functions throws. */
export interface Recorder {
  /** Begins a conversation. @returns Its number. */
  connect(): number;
  /** Takes something. @returns Its sequence. */
  note(seen: Seen): number;
  /** Adds the next piece of an entry's text, for example of a body that arrives in pieces. */
  grow(sequence: number, piece: string): void;
  /** Marks an entry's text as complete, or gives the reason why it never will be. Later pieces are ignored. */
  end(sequence: number, more?: Partial<Pick<Seen, 'lane' | 'problem' | 'ends'>>): void;
  /** Number of characters at the end of a text that may be the beginning of a secret. A recorder without it hides none. */
  secretAtEnd?(text: string): number;
}
