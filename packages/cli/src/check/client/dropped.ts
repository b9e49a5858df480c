/** A call whose stream breaks off before its answer, and the client that resumes it. */

import { monotonicNow } from '../../../../parley/src/jsonrpc/timeout.ts';
import type { JsonObject } from '../../../../parley/src/protocol/features/common.ts';
import type { Revision } from '../../../../parley/src/protocol/revision.ts';

/** Tool whose stream breaks off. */
export const droppedTool = 'dropped';

/** Times in milliseconds: the delay in `retry`, and the time after which the client will not come back. */
export const droppedTimes = { retry: 1_000, gone: 4_000 } as const;

/** Limit of the calls of one conversation that are remembered. */
export const maxDropped = 100;

/** A call whose stream broke off. */
export class DroppedCall {
  /** Id of the request. */
  readonly callId: unknown;
  /** True where its events have ids, so that the rest can be had. */
  readonly isResumable: boolean;
  /** Ids of its events that were sent, in their order. */
  readonly events: string[] = [];
  readonly #times: number;
  #ended = monotonicNow();
  /** Times that its stream broke off. */
  breaks = 0;
  /** Number of times that it was resumed. */
  resumed = 0;
  /** True when it was answered, or given up by its client. */
  isOver = false;
  /** Longest time after the break at which its client sent another request, in milliseconds. */
  later = 0;

  constructor(callId: unknown, { resumption }: Revision) {
    this.callId = callId;
    this.isResumable = resumption !== 'none';
    // Where a server is polled it may be so more than once.
    this.#times = resumption === 'polling' ? 2 : 1;
  }

  /** Time since its stream broke off, in milliseconds. */
  get elapsed(): number {
    return monotonicNow() - this.#ended;
  }

  /** True while its caller may still resume it. */
  get isAwaited(): boolean {
    return !this.isOver && this.isResumable && this.elapsed < droppedTimes.gone;
  }

  /** Its stream is about to break off. */
  broke(): void {
    this.breaks++;
    this.#ended = monotonicNow();
  }

  /** A client resumed it. @returns True if its stream breaks off once more. */
  cameBack(): boolean {
    this.resumed++;
    return this.breaks < this.#times;
  }

  /**
   * Its client sent another request, or ended the session. Without sessions, a client that starts again, or counts from
   * the beginning, may be a different one, which does not know the call.
   */
  passed(message: JsonObject = {}): void {
    const { method, id } = message;
    const isBefore = typeof id === 'number' && typeof this.callId === 'number' && id < this.callId;
    if (!this.isResumable && (method === 'server/discover' || isBefore)) this.isOver = true;
    if (!this.isOver && this.resumed === 0) this.later = Math.max(this.later, this.elapsed);
  }
}

/** Id of an event, which no other conversation has. */
export function eventIdOf(clientSession: number, call: number, event: number): string {
  return `check-${clientSession}-${call}-${event}`;
}

/** Tells whether a text is the id of an event of some conversation. */
export function isEventId(text: string): boolean {
  return /^check-\d{1,9}-\d{1,9}-\d{1,9}$/.test(text);
}
