/** A call whose stream breaks off before its answer, and whoever comes back for the rest. */

import { monotonicNow } from '../../../../parley/src/jsonrpc/timeout.ts';
import type { JsonObject } from '../../../../parley/src/protocol/features/common.ts';
import type { Revision } from '../../../../parley/src/protocol/revision.ts';

/** Tool whose stream breaks off. */
export const droppedTool = 'dropped';

/** Times of it, in milliseconds: the wait that `retry` asks for, and that after which nobody comes any more. */
export const droppedTimes = { retry: 1_000, gone: 4_000 } as const;

/** Limit of the calls of one conversation that are remembered. */
export const mostDropped = 100;

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
  /** Times that somebody came back for it. */
  resumed = 0;
  /** True when it was answered, or given up by its client. */
  isOver = false;
  /** Longest time after it broke off at which its client asked for something else, in milliseconds. */
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

  /** True while whoever called it may come back for it. */
  get isAwaited(): boolean {
    return !this.isOver && this.isResumable && this.elapsed < droppedTimes.gone;
  }

  /** Its stream is about to break off. */
  broke(): void {
    this.breaks++;
    this.#ended = monotonicNow();
  }

  /** Somebody came back for it. @returns True where its stream breaks off once more. */
  cameBack(): boolean {
    this.resumed++;
    return this.breaks < this.#times;
  }

  /**
   * Its client asked for something else, or said goodbye. Where there are no sessions one that begins anew, or counts from the beginning, may be another
   * one, which knows nothing of it.
   */
  passed(message: JsonObject = {}): void {
    const { method, id } = message;
    const isBefore = typeof id === 'number' && typeof this.callId === 'number' && id < this.callId;
    if (!this.isResumable && (method === 'server/discover' || isBefore)) this.isOver = true;
    if (!this.isOver && this.resumed === 0) this.later = Math.max(this.later, this.elapsed);
  }
}

/** Id of an event, which no other conversation has. */
export function eventIdOf(talk: number, call: number, event: number): string {
  return `check-${talk}-${call}-${event}`;
}

/** Tells whether a text is the id of an event of some conversation. */
export function isEventId(text: string): boolean {
  return /^check-\d{1,9}-\d{1,9}-\d{1,9}$/.test(text);
}
