import type { Message } from '../jsonrpc/message.ts';
import type { Revision } from '../protocol/revision.ts';

/** One message that a server or a client of ours hands to its transport. */
export interface ObservedMessage {
  /** Role that sends it. */
  readonly from: 'server' | 'client';
  /** The revision of the conversation, or of the request that the message answers; unknown before one is settled. */
  readonly revision: Revision | undefined;
  /** The message in wire form. */
  readonly message: Message;
  /** The method of the request that a response answers; left out for requests and notifications. */
  readonly answers?: string | undefined;
}

const observers = new Set<(sent: ObservedMessage) => void>();

/**
 * Shows every message that this process sends from now on, in wire form.
 *
 * Meant for tests and for tracing. An observer sees the message itself, not a copy, and must not throw or change it.
 *
 * @returns Ends the observation; calling it twice is fine.
 */
export function observe(observer: (sent: ObservedMessage) => void): () => void {
  observers.add(observer);
  return () => void observers.delete(observer);
}

/** Tells whether there is an observer. Without one, data for `tell` need not be computed. */
export function observed(): boolean {
  return observers.size > 0;
}

/** Passes a message to the observers; costs nothing if there are none. */
export function tell(sent: ObservedMessage): void {
  for (const observer of observers) observer(sent);
}
