/** The messages of JSON-RPC 2.0 as MCP uses it: ids are strings or integers, never null. */
import { ExactNumber } from '../json/exact-number.ts';
import { digitsOf } from '../json/large-id.ts';

/** The id that pairs a request with its response. */
export type RequestId = string | number;

/** A request: it gets exactly one response. */
export interface RequestMessage {
  /** The version of JSON-RPC. */
  readonly jsonrpc: '2.0';
  /** The id that its response has too. */
  readonly id: RequestId;
  /** The method. */
  readonly method: string;
  /** The parameters. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** A notification: it gets no response. */
export interface NotificationMessage {
  /** The version of JSON-RPC. */
  readonly jsonrpc: '2.0';
  /** The method. */
  readonly method: string;
  /** The parameters. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The response of a request that succeeded. */
export interface ResultMessage {
  /** The version of JSON-RPC. */
  readonly jsonrpc: '2.0';
  /** The id of the request. */
  readonly id: RequestId;
  /** The result. */
  readonly result: Readonly<Record<string, unknown>>;
}

/** The response of a request that failed; `id` is null or left out when the request's id could not be read. */
export interface ErrorMessage {
  /** The version of JSON-RPC. */
  readonly jsonrpc: '2.0';
  /** The id of the request; null or absent if the peer could not read it. */
  readonly id?: RequestId | null;
  /** The error. */
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The answer to a request: its result or an error. */
export type ResponseMessage = ResultMessage | ErrorMessage;
/** One message of JSON-RPC 2.0 as MCP uses it. */
export type Message = RequestMessage | NotificationMessage | ResponseMessage;

/** Kind of value that came on the wire; `malformed` keeps the id where one could be read. */
export type Received =
  | { readonly kind: 'request'; readonly message: RequestMessage }
  | { readonly kind: 'notification'; readonly message: NotificationMessage }
  | { readonly kind: 'response'; readonly message: ResponseMessage }
  | { readonly kind: 'malformed'; readonly id: RequestId | undefined; readonly reason: string };

/** Sorts a parsed JSON value into the kinds of message; it never throws. */
export function classify(value: unknown): Received {
  if (!isObject(value)) return malformed(undefined, 'a message must be a JSON object');
  const { id, method, params } = value;
  const known = isRequestId(id) ? id : undefined;
  if (value['jsonrpc'] !== '2.0') return malformed(known, 'jsonrpc must be "2.0"');
  if (typeof method === 'string') {
    // Some peers say with a null that there are none.
    if (params === null) {
      const { params: _, ...without } = value;
      return classify(without);
    }
    if (params !== undefined && !isObject(params)) return malformed(known, 'params must be an object');
    // The checks above are exactly the fields of the two message types.
    if (!Object.hasOwn(value, 'id')) return { kind: 'notification', message: value as unknown as NotificationMessage };
    if (known === undefined) return malformed(undefined, 'id must be a string or an integer');
    return { kind: 'request', message: value as unknown as RequestMessage };
  }
  if (method !== undefined) return malformed(known, 'method must be a string');
  return classifyResponse(withoutNull(value), known);
}

/** Some peers say with a null which of the two a response does not have. */
function withoutNull(value: Record<string, unknown>): Record<string, unknown> {
  const { result, error } = value;
  const spare =
    error === null && isObject(result) ? 'error' : result === null && isObject(error) ? 'result' : undefined;
  return spare === undefined ? value : Object.fromEntries(Object.entries(value).filter(([key]) => key !== spare));
}

function classifyResponse(value: Record<string, unknown>, id: RequestId | undefined): Received {
  const { result, error } = value;
  if (result !== undefined && error !== undefined) return malformed(id, 'a response has either result or error');
  if (isObject(result)) {
    if (id === undefined) return malformed(undefined, 'id must be a string or an integer');
    return { kind: 'response', message: value as unknown as ResultMessage };
  }
  if (isObject(error)) {
    if (!Number.isInteger(error['code']) || typeof error['message'] !== 'string') {
      return malformed(id, 'error must have an integer code and a message');
    }
    if (id === undefined && value['id'] !== undefined && value['id'] !== null)
      return malformed(undefined, 'id must be a string or an integer');
    return { kind: 'response', message: value as unknown as ErrorMessage };
  }
  return malformed(id, 'a message needs a method, a result or an error');
}

/** Tells whether a value can be the id of a request. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/** An id as people and programs see it: of one beyond 2^53 the digits, as text. */
export function shownId(id: RequestId): RequestId {
  return digitsOf(id);
}

/** The number that a text says: some peers repeat the ids of requests as text, and official clients bear with it. */
export function spelledNumber(id: unknown): number | undefined {
  return typeof id === 'string' && /^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined;
}

/** Tells whether a value has the look of a response, right or wrong. */
export function isResponse(value: unknown): value is Record<string, unknown> {
  return isObject(value) && value['method'] === undefined && ('result' in value || 'error' in value);
}

/** Tells whether a value is a JSON object: not null, not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

function malformed(id: RequestId | undefined, reason: string): Received {
  return { kind: 'malformed', id, reason };
}
