import { observe, type ObservedMessage } from '../connection/observe.ts';

/** The messages that servers and clients of this process sent while a recording ran. */
export interface Recording {
  /** Every message, in the order of sending. */
  readonly messages: readonly ObservedMessage[];
  /** Takes away and returns the messages recorded so far. */
  take(): readonly ObservedMessage[];
  /** Ends the recording; what was recorded stays. Stopping twice is fine. */
  stop(): void;
}

/**
 * Records every message that the servers and clients of this process send, on whatever transport.
 *
 * The recording holds the messages themselves, not copies, and does not bound their number.
 *
 * @example
 * const recording = record();
 * await client.listTools();
 * recording.stop();
 */
export function record(): Recording {
  const messages: ObservedMessage[] = [];
  const stop = observe((sent) => void messages.push(sent));
  return { messages, take: () => messages.splice(0), stop };
}
