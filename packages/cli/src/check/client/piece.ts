/** Pieces in which a client speaks, and ways back to it. */

import type { JsonObject } from '../../../../parley/src/protocol/features/common.ts';
import type { Revision } from '../../../../parley/src/protocol/revision.ts';
import type { HeardHead } from './client-rule.ts';
import type { ServedProcess } from './served-process.ts';
import type { ClientSession } from './client-session.ts';

/** Way in which messages reach a client beside the answer to its request. */
export interface SideChannel {
  /** Sends a message. @returns False where it cannot be. */
  send(message: JsonObject): boolean;
  /** Sends several in one batch. @returns False where they cannot be; left out where there are no batches. */
  sendBatch?(messages: readonly JsonObject[]): boolean;
  /** Breaks the stream of the answer off, after an event; left out where there is no stream. */
  breakOff?(event: ServedEvent): void;
  /** Begins to answer, where that can be seen before there is an answer. */
  open?(): void;
  /** Resolves when the connection of this piece is over; left out where there is none of its own. */
  readonly over?: Promise<void>;
}

/** Event of a stream: its id, its message, and the time after which one should come back. */
export interface ServedEvent {
  readonly id?: string;
  readonly message?: JsonObject;
  readonly retryMs?: number;
}

/** Something that came in one piece: a line, or a body. */
export interface ClientPiece {
  readonly text: string;
  /** Number of the lines that it came in, where it should have been one; left out where it was. */
  readonly lines?: number;
  readonly http?: HeardHead;
  /** Process that it came to, where that is one of several. */
  readonly process?: ServedProcess | undefined;
  /** The revisions that are spoken where it came to. */
  readonly served: readonly Revision[];
  readonly line: SideChannel;
}

/** Answer to a piece: messages, and that the session is gone. */
export interface ServedPiece {
  readonly clientSession: ClientSession;
  readonly messages: readonly JsonObject[];
  readonly isLost: boolean;
}
