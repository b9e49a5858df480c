import { plainNumber } from '../json/exact-number.ts';
import { isAlive, until, within, type Lifetime } from './lifetime.ts';
import { revisions, type Revision } from './revision.ts';

/**
 * Facts of an error in the protocol. `code` is the number in the newest revision, `earlier` another that some older
 * ones use; `status` is the HTTP status of the 2026-07-28 exchange (Streamable HTTP, Error handling).
 */
interface ErrorRow {
  readonly code: number;
  readonly status: number;
  readonly earlier?: { readonly code: number; readonly life: Lifetime };
  /** The data of one that is made without any. */
  readonly data?: Readonly<Record<string, unknown>>;
}

const handshake: Lifetime = until('2026-07-28');

/**
 * The name of an error that the protocol defines; `busy` is the one that it does not. It refuses work for which there is
 * no room now: an internal error whose data, `{ retryAfterMs }`, says when to try again, and over HTTP a 503 with
 * `Retry-After`.
 */
export type ErrorName =
  | 'parseError'
  | 'invalidRequest'
  | 'methodNotFound'
  | 'invalidParams'
  | 'internalError'
  | 'resourceNotFound'
  | 'headerMismatch'
  | 'missingRequiredClientCapability'
  | 'unsupportedProtocolVersion'
  | 'urlElicitationRequired'
  | 'busy';

const rows: Readonly<Record<ErrorName, ErrorRow>> = {
  parseError: { code: -32700, status: 400 },
  invalidRequest: { code: -32600, status: 400 },
  methodNotFound: { code: -32601, status: 404 },
  invalidParams: { code: -32602, status: 200 },
  internalError: { code: -32603, status: 200 },
  // -32002 before 2026-07-28, which folds it into invalid params.
  resourceNotFound: { code: -32602, earlier: { code: -32002, life: handshake }, status: 200 },
  headerMismatch: { code: -32020, status: 400 },
  missingRequiredClientCapability: { code: -32021, earlier: { code: -32600, life: handshake }, status: 400 },
  unsupportedProtocolVersion: { code: -32022, status: 400 },
  urlElicitationRequired: {
    code: -32602,
    earlier: { code: -32042, life: within('2025-11-25', '2026-07-28') },
    status: 200,
  },
  // Told from other internal errors by its data.
  busy: { code: -32603, data: { retryAfterMs: 1000 }, status: 503 },
};

/** The error object of a JSON-RPC error response. */
export interface ErrorObject {
  /** The code of JSON-RPC or of the protocol version. */
  readonly code: number;
  /** A short description of the failure. */
  readonly message: string;
  /** More about the error, as JSON. */
  readonly data?: unknown;
}

/**
 * An error that may cross the wire: thrown by a handler it reaches the peer with its message and data, and a peer's
 * error response reaches the caller as one.
 *
 * @example
 * throw new McpError('invalidParams', 'city "Atlantis" is unknown');
 */
export class McpError extends Error {
  /** The protocol's name of the error, or `undefined` for a code that the protocol does not define. */
  readonly kind: ErrorName | undefined;
  /** The JSON-RPC code: that of the newest revision when made from a name, the peer's own when received. */
  readonly code: number;
  /** The `data` of the error response, `undefined` when there is none. */
  readonly data: unknown;

  /**
   * @param kind A name of the protocol, or an application's own integer code (outside -32768…-32000).
   * @param message What failed, with which value; it is shown to the peer.
   * @throws TypeError for a name that the protocol does not have.
   */
  constructor(
    kind: ErrorName | number,
    message: string,
    options?: {
      /** Sent to the peer as `error.data`; must be JSON. */
      readonly data?: unknown;
      /** Kept for logs; never sent. */
      readonly cause?: unknown;
    },
  ) {
    if (typeof kind !== 'number' && !Object.hasOwn(rows, kind)) throw new TypeError(unknownKind(String(kind)));
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'McpError';
    this.kind = typeof kind === 'number' ? undefined : kind;
    this.code = typeof kind === 'number' ? kind : rows[kind].code;
    this.data = options?.data === undefined && typeof kind === 'string' ? rows[kind].data : options?.data;
  }
}

function unknownKind(kind: string): string {
  const names = Object.keys(rows);
  const meant = names.filter((name) => name.toLowerCase().includes(kind.toLowerCase()));
  return `McpError has no kind ${JSON.stringify(kind)}; it has ${(meant.length > 0 ? meant : names).join(', ')}`;
}

/**
 * The error object that a revision sends for an error; the code is chosen here, at the border.
 *
 * @param revision `undefined` while none is settled, where the codes of the oldest one hold.
 */
export function errorToWire(revision: Revision | undefined, error: McpError): ErrorObject {
  const code = codeIn(revision ?? revisions[0], error);
  return error.data === undefined
    ? { code, message: error.message }
    : { code, message: error.message, data: error.data };
}

function codeIn(revision: Revision | undefined, { kind, code }: McpError): number {
  // A response whose code is no integer is none, and its request would go without an answer.
  if (!Number.isSafeInteger(code)) return rows.internalError.code;
  if (kind === undefined) return revision?.reservedErrorCodes === true ? allowed(code) : code;
  return revision === undefined ? rows[kind].code : codeOf(kind, revision);
}

/** The code of an error in a revision; one that has none of its own there has that of another. */
export function codeOf(name: ErrorName, revision: Revision): number {
  const { code, earlier } = rows[name];
  return earlier !== undefined && isAlive(earlier.life, revision) ? earlier.code : code;
}

/**
 * The code to send for one that a handler or a peer chose by number. (Spec 2026-07-28, Base protocol, Error codes: those
 * of earlier revisions are not sent any more, and -32020 to -32099 belong to the specification.)
 */
function allowed(code: number): number {
  for (const row of Object.values(rows)) {
    if (row.code === code) return code;
    if (row.earlier?.code === code) return row.code;
  }
  return code <= -32020 && code >= -32099 ? rows.internalError.code : code;
}

/**
 * Time after which to try again what was refused for lack of room, in milliseconds; `undefined` for any other error.
 */
export function retryAfterOf({ code, data }: ErrorObject): number | undefined {
  if (code !== rows.busy.code || typeof data !== 'object' || data === null) return undefined;
  // Reading a key of any object is safe; what it holds is checked here.
  const retryAfterMs = plainNumber((data as { retryAfterMs?: unknown }).retryAfterMs);
  return typeof retryAfterMs === 'number' && retryAfterMs >= 0 ? retryAfterMs : undefined;
}

/** The HTTP status of an error response in an exchange of 2026-07-28. */
export function statusOf(error: ErrorObject): number {
  if (error.code === rows.busy.code) return retryAfterOf(error) === undefined ? 200 : rows.busy.status;
  for (const row of Object.values(rows)) {
    if (row.code === error.code && row.status !== 200) return row.status;
  }
  return 200;
}

/**
 * Reads an error object of a peer. Codes that only make sense with their data are recognised by code and shape. Those of
 * the 2026-07-28 drafts (-32001, -32003, -32004) mean nothing here. (Spec 2026-07-28, Base protocol, Error codes: no
 * meaning is assumed for -32000 to -32019, but for -32002.)
 *
 * @param cause What is known here of why; it came from nobody.
 */
export function errorFromWire(error: ErrorObject, cause?: unknown): McpError {
  const kind = recognise(error);
  const options = { data: error.data, cause };
  if (kind === undefined) return new McpError(error.code, error.message, options);
  return new ReceivedError(kind, error, options);
}

class ReceivedError extends McpError {
  override readonly code: number;

  constructor(kind: ErrorName, error: ErrorObject, options: ConstructorParameters<typeof McpError>[2]) {
    super(kind, error.message, options);
    this.code = error.code;
  }
}

function recognise(error: ErrorObject): ErrorName | undefined {
  const { code, data } = error;
  switch (code) {
    case -32002:
      return 'resourceNotFound';
    case -32021:
      return hasObject(data, 'requiredCapabilities') ? 'missingRequiredClientCapability' : undefined;
    case -32022:
      // Any JSON value may be asked for a field this way, null and undefined included.
      return Array.isArray((data as { supported?: unknown } | null | undefined)?.supported)
        ? 'unsupportedProtocolVersion'
        : undefined;
    case -32042:
      return 'urlElicitationRequired';
    case -32602:
      return 'invalidParams';
    case -32603:
      return retryAfterOf(error) === undefined ? 'internalError' : 'busy';
    default:
      return names.get(code);
  }
}

const names: ReadonlyMap<number, ErrorName> = new Map([
  [-32700, 'parseError'],
  [-32600, 'invalidRequest'],
  [-32601, 'methodNotFound'],
  [-32020, 'headerMismatch'],
]);

function hasObject(data: unknown, key: string): boolean {
  // Reading a key of any object is safe; what it holds is checked below.
  const value = typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[key] : undefined;
  return typeof value === 'object' && value !== null;
}
