/** Words by which the processes of one service talk about sessions, over the bus of their store. */

import { listChanges } from '../../../../../protocol/catalogue.ts';
import { isObject, type RequestId } from '../../../../../jsonrpc/message.ts';

/** The notifications that tell of changes, which every process that has a copy of a session knows of by itself. */
export const changeMethods: ReadonlySet<string> = new Set([
  ...listChanges.map(({ method }) => method),
  'notifications/resources/updated',
]);

/** Text for one process: what is said of a session to whoever holds something of it. */
export type ToldProcess =
  /** An answer of the client to a question that was asked there. */
  | { readonly kind: 'message'; readonly session: string; readonly message: unknown }
  /** A message to the client that belongs to no request: the stream for those is there. */
  | { readonly kind: 'deliver'; readonly session: string; readonly json: string }
  /** The stream for what belongs to no request is somewhere else by now. */
  | { readonly kind: 'taken'; readonly session: string }
  /** Asks whether that stream is open there. */
  | { readonly kind: 'there'; readonly session: string; readonly process: string; readonly line: string }
  /** Somebody reads a stream that is written there, and wants to hear of each event; said again where nothing is heard. */
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

/** Answers: whether the stream is open; that something was written, or that the writer lives; that there is no such thing; that it is not kept any more; that another one reads. */
export type LineReply = 'open' | 'not-open' | 'written' | 'not-here' | 'not-kept' | 'replaced';

/** Text for every process that has a copy of a session. */
export type Announced =
  | { readonly kind: 'changed'; readonly version: number }
  | { readonly kind: 'ended' }
  | { readonly kind: 'claimed'; readonly process: string }
  /** A notification of the client about something that may be anywhere. */
  | { readonly kind: 'message'; readonly message: unknown };

/** The most characters of a reason to cancel that other processes are told. */
const longestReason = 1_000;

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

/** A cancellation as other processes are told of it: what else a client says in it is nothing to them, and may be long. */
export function cancellation(requestId: RequestId, reason: unknown): Announced {
  const why = typeof reason === 'string' ? { reason: reason.slice(0, longestReason) } : {};
  const params = { requestId, ...why };
  return { kind: 'message', message: { jsonrpc: '2.0', method: 'notifications/cancelled', params } };
}

/** Reads a text for one process; `undefined` for what is none. */
export function readTold(text: string): ToldProcess | undefined {
  const value = parsed(text);
  const texts = textsOf.get(value?.['kind']);
  if (value === undefined || texts?.every((name) => typeof value[name] === 'string') !== true) return undefined;
  if (value['kind'] === 'reply' && !replies.includes(value['reply'] as string)) return undefined;
  // Every text of its kind is there.
  return value as unknown as ToldProcess;
}

/** Reads a text for all of them; `undefined` for what is none. */
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
