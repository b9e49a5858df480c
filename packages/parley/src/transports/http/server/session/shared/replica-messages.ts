/** Messages about sessions between the processes of one service, over the bus of their store. */

import { listChanges } from '../../../../../protocol/catalogue.ts';
import { isObject, type RequestId } from '../../../../../jsonrpc/message.ts';

/** The change notifications. Every process with a replica of a session learns of changes by itself. */
export const changeMethods: ReadonlySet<string> = new Set([
  ...listChanges.map(({ method }) => method),
  'notifications/resources/updated',
]);

/** A message about a session for one process, which holds a part of it. */
export type ToldProcess =
  /** An answer of the client to a question that was asked there. */
  | { readonly kind: 'message'; readonly session: string; readonly message: unknown }
  /** A message to the client that belongs to no request: the stream for those is there. */
  | { readonly kind: 'deliver'; readonly session: string; readonly json: string }
  /** The GET stream is in another process now. */
  | { readonly kind: 'taken'; readonly session: string }
  /** Asks whether that stream is open there. */
  | { readonly kind: 'there'; readonly session: string; readonly process: string; readonly line: string }
  /**
   * A reader of a stream that is written there. It wants a reply for each event, and repeats the message if it gets
   * none.
   */
  | {
      readonly kind: 'reading';
      readonly session: string;
      readonly stream: string;
      readonly process: string;
      readonly line: string;
      readonly isAgain?: boolean;
    }
  /** Answer to one of these, on the line that it named. */
  | { readonly kind: 'reply'; readonly line: string; readonly reply: LineReply };

/**
 * Replies: the stream is open or not; an event was written, or the writer lives; the stream is unknown; it is not
 * stored any more; another reader took it.
 */
export type LineReply = 'open' | 'not-open' | 'written' | 'not-here' | 'not-kept' | 'replaced';

/** Text for every process that has a copy of a session. */
export type Announced =
  | { readonly kind: 'changed'; readonly version: number }
  | { readonly kind: 'ended' }
  | { readonly kind: 'claimed'; readonly process: string }
  /** A notification of the client about something that may be anywhere. */
  | { readonly kind: 'message'; readonly message: unknown };

/** Length limit of a cancellation's reason for other processes. */
const maxReasonLength = 1_000;

const replies: readonly string[] = [
  'open',
  'not-open',
  'written',
  'not-here',
  'not-kept',
  'replaced',
] satisfies LineReply[];

/** Texts that each kind must have. */
const textsOf: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['message', ['session']],
  ['deliver', ['session', 'json']],
  ['taken', ['session']],
  ['there', ['session', 'process', 'line']],
  ['reading', ['session', 'stream', 'process', 'line']],
  ['reply', ['line', 'reply']],
]);

/** A cancellation for other processes. Its other fields are left out, since they may be long and have no use there. */
export function cancellation(requestId: RequestId, reason: unknown): Announced {
  const why = typeof reason === 'string' ? { reason: reason.slice(0, maxReasonLength) } : {};
  const params = { requestId, ...why };
  return { kind: 'message', message: { jsonrpc: '2.0', method: 'notifications/cancelled', params } };
}

/** Reads a message for one process; `undefined` if it is invalid. */
export function readTold(text: string): ToldProcess | undefined {
  const value = parsed(text);
  const texts = textsOf.get(value?.['kind']);
  if (value === undefined || texts?.every((name) => typeof value[name] === 'string') !== true) return undefined;
  if (value['kind'] === 'reply' && !replies.includes(value['reply'] as string)) return undefined;
  // Every text of its kind is there.
  return value as unknown as ToldProcess;
}

/** Reads a message for all replicas; `undefined` if it is invalid. */
export function readAnnounced(text: string): Announced | undefined {
  const value = parsed(text);
  const isOne =
    value?.['kind'] === 'ended' ||
    value?.['kind'] === 'message' ||
    (value?.['kind'] === 'changed' && typeof value['version'] === 'number') ||
    (value?.['kind'] === 'claimed' && typeof value['process'] === 'string');
  // What its kind needs is there.
  return isOne ? (value as unknown as Announced) : undefined;
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
