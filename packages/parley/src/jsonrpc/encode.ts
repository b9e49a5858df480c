import { ExactNumber, jsonText, plainNumber } from '../json/exact-number.ts';
import { isDoubtfulId, settledId, withLargeIds } from '../json/large-id.ts';
import { parseExactJson } from '../json/parse-exact.ts';
import { parseJson } from '../json/parse.ts';
import { cachedEnding, cachedText } from './cached-json.ts';
import { isObject, type Message, type ResultMessage } from './message.ts';
import { ConnectionError } from './transport.ts';

/**
 * The JSON text of a message or a batch; it has no line break in it.
 *
 * @throws TypeError what `JSON.stringify` throws for what is no JSON, such as a cycle.
 */
export function toJson(message: Message | readonly Message[]): string {
  const text = 'result' in message ? cachedText(message.result) : undefined;
  // The compiler cannot tell that a message with a result has the id of its request.
  return text === undefined ? withLargeIds(jsonText(message)) : `${beginning(message as ResultMessage)}${text}}`;
}

/**
 * The same text in pieces where that spares much writing, else in one piece.
 *
 * @throws TypeError likewise.
 */
export function toJsonPieces(message: Message): JsonPieces {
  const ending = 'result' in message ? cachedEnding(message.result) : undefined;
  return ending === undefined ? toJson(message) : [beginning(message as ResultMessage), ending];
}

/** JSON text: as it is, or a beginning and the rest in UTF-8. */
export type JsonPieces = string | readonly [string, Uint8Array];

function beginning({ id }: ResultMessage): string {
  return withLargeIds(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`);
}

/**
 * The JSON text of a message or a batch, for a transport to send; it has no line break in it.
 *
 * @throws ConnectionError `invalid-message` for what is no JSON, such as a cycle.
 */
export function messageText(message: Message | readonly Message[]): string {
  try {
    return toJson(message);
  } catch (cause) {
    throw new ConnectionError('invalid-message', `the message is not JSON${cyclicNote(cause)}`, { cause });
  }
}

/** Options of reading the text of a message. */
export interface MessageReading {
  /** True when numbers keep their spelling; where it is not asked for, all are plain. */
  readonly exactNumbers?: boolean | undefined;
  /** Depth to which arrays and objects may nest; 128 by default. */
  readonly depth?: number | undefined;
}

/**
 * Parses the text of a message or a batch, which is not checked. The numbers by which messages belong together (ids,
 * progress tokens, the codes of errors) are always plain, or marked texts where they are beyond 2^53.
 *
 * @throws JsonError when the text is malformed or nests too deep.
 */
export function parseMessage(text: string, { exactNumbers, depth }: MessageReading): unknown {
  if (exactNumbers !== true) {
    const value = parseJson(text, depth);
    if (!(Array.isArray(value) ? value.some(hasDoubtfulId) : hasDoubtfulId(value))) return value;
  }
  const value = parseExactJson(text, depth);
  for (const message of Array.isArray(value) ? value : [value]) settleNumbers(message);
  return exactNumbers === true ? value : plainly(value);
}

const subscriptionId = 'io.modelcontextprotocol/subscriptionId';

/** Tells whether a message has an id or a token that must be read exactly. It is asked of each message. */
function hasDoubtfulId(message: unknown): boolean {
  if (!isObject(message)) return false;
  const { id, params, result } = message;
  return isDoubtfulId(id) || holdsDoubtfulId(params, id === undefined) || holdsDoubtfulId(result, false);
}

function holdsDoubtfulId(holder: unknown, isOfNotification: boolean): boolean {
  if (!isObject(holder)) return false;
  if (isOfNotification && (isDoubtfulId(holder['progressToken']) || isDoubtfulId(holder['requestId']))) return true;
  const meta = holder['_meta'];
  return isObject(meta) && (isDoubtfulId(meta['progressToken']) || isDoubtfulId(meta[subscriptionId]));
}

/** Puts plain numbers in the place of exact ones. */
function plainly(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof ExactNumber) return value.valueOf();
  // No key is assigned that is not there, so that assignment is safe.
  for (const [key, part] of Object.entries(value))
    if (typeof part === 'object' && part !== null) Object.defineProperty(value, key, { value: plainly(part) });
  return value;
}

/** The objects are fresh from the parser, so that nobody else sees them change. */
function settleNumbers(message: unknown): void {
  if (!isObject(message)) return;
  const { method, params, result, error } = message;
  settle(message, 'id');
  if (isObject(error)) error['code'] = plainNumber(error['code']);
  if (isObject(result)) settleMeta(result['_meta'], true);
  if (!isObject(params)) return;
  settleMeta(params['_meta'], false);
  if (method === 'notifications/progress') settle(params, 'progressToken');
  if (method === 'notifications/cancelled') settle(params, 'requestId');
}

function settleMeta(meta: unknown, isOfResult: boolean): void {
  if (!isObject(meta)) return;
  for (const key of Object.keys(meta)) {
    // A result has no progress token: a number of that name there is a value like others.
    if (isOfResult && key === 'progressToken' && typeof plainNumber(meta[key]) === 'number') {
      if (!isDoubtfulId(plainNumber(meta[key]))) settle(meta, key);
    } else if (key === 'progressToken' || key.startsWith('io.modelcontextprotocol/')) settle(meta, key);
  }
}

function settle(holder: Record<string, unknown>, key: string): void {
  // None of the keys is `__proto__`, so that assignment is safe.
  if (Object.hasOwn(holder, key)) holder[key] = settledId(holder[key]);
}

/** Explains in one line why `JSON.stringify` threw. */
export function whyNotJson(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  return cyclicNote(cause) === '' ? message : `circular structure${cyclicNote(cause)}`;
}

/** Note for a value that contains itself, which engines explain in words and lines of their own; empty for other causes. */
export function cyclicNote(cause: unknown): string {
  const isCyclic = cause instanceof Error && /circular|cyclic/i.test(cause.message);
  return isCyclic ? ', the value is cyclic: a part of it contains the whole' : '';
}
