/** Words by which a process hands a request on to the one that has its session, and hears the answer, over the bus of their store. */

import { isObject } from '../../../../jsonrpc/message.ts';
import type { HeaderFields } from '../../universal.ts';

/** A request that came to another process, as far as its home needs to know it. */
export interface HandedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: HeaderFields;
  /** The address of the client. */
  readonly address?: string | undefined;
  /** The sender, as the process that it came to established it. */
  readonly auth?: unknown;
  /** The text of its body. */
  readonly text: string;
}

/** A part of an answer. */
export type AnswerPart =
  /** The whole of it. */
  | { readonly kind: 'sent'; readonly status: number; readonly headers: HeaderFields; readonly text?: string }
  /** An event stream begins, goes on, ends. */
  | { readonly kind: 'begun'; readonly headers: HeaderFields }
  | { readonly kind: 'written'; readonly text: string }
  | { readonly kind: 'ended'; readonly text?: string }
  /** The connection is cut. */
  | { readonly kind: 'cut' };

/** A line, which one request is handed on by, and the number of parts of its answer that were sent on it. */
export type LineStanding = readonly [line: string, parts: number];

/** Text for one process. */
export type ToldHome =
  | { readonly kind: 'request'; readonly line: string; readonly process: string; readonly request: HandedRequest }
  /** The client went away. */
  | { readonly kind: 'gone'; readonly line: string }
  /** Asks how these lines stand. */
  | { readonly kind: 'waiting'; readonly process: string; readonly lines: readonly string[] }
  /** Answer to that; lines that are left out are none. */
  | { readonly kind: 'standing'; readonly asked: readonly string[]; readonly lines: readonly LineStanding[] }
  | { readonly kind: 'part'; readonly line: string; readonly number: number; readonly part: AnswerPart };

/** Reads a text for one process; `undefined` for what is none. */
export function readToldHome(text: string): ToldHome | undefined {
  const told = parsed(text);
  // What its kind needs is there.
  return isObject(told) && checks.get(told['kind'])?.(told) === true ? (told as unknown as ToldHome) : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const checks: ReadonlyMap<unknown, (told: Fields) => boolean> = new Map<string, (told: Fields) => boolean>([
  ['request', ({ line, process, request }) => isText(line) && isText(process) && isRequest(request)],
  ['gone', ({ line }) => isText(line)],
  ['waiting', ({ process, lines }) => isText(process) && Array.isArray(lines) && lines.every(isText)],
  [
    'standing',
    ({ asked, lines }) =>
      Array.isArray(asked) && asked.every(isText) && Array.isArray(lines) && lines.every(isStanding),
  ],
  ['part', ({ line, number, part }) => isText(line) && Number.isSafeInteger(number) && isPart(part)],
]);

function isRequest(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { method, path, headers, address, text } = value;
  return isText(method) && isText(path) && isHeaders(headers) && isTextOrNone(address) && isText(text);
}

function isPart(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { kind, status, headers, text } = value;
  if (kind === 'sent') return Number.isSafeInteger(status) && isHeaders(headers) && isTextOrNone(text);
  if (kind === 'begun') return isHeaders(headers);
  if (kind === 'written') return isText(text);
  return kind === 'cut' || (kind === 'ended' && isTextOrNone(text));
}

function isStanding(value: unknown): boolean {
  return Array.isArray(value) && isText(value[0]) && Number.isSafeInteger(value[1]);
}

function isHeaders(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isText);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || isText(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
