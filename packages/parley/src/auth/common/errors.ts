/** Kind of failure of an authorization; it never crosses the wire. */
export type AuthorizationReason =
  | 'login-required'
  | 'denied'
  | 'timeout'
  | 'discovery'
  | 'resource-mismatch'
  | 'issuer-mismatch'
  | 'pkce-missing'
  | 'registration'
  | 'invalid-client'
  | 'invalid-response'
  | 'grant-lost'
  | 'insufficient-scope'
  | 'insecure-url'
  | 'address-refused'
  | 'server-error';

/** Details of a failed authorization beside its reason and its message; all of it may be left out. */
export interface AuthorizationErrorOptions {
  readonly cause?: unknown;
  /** The issuer of the authorization server that it was about. */
  readonly issuer?: string | undefined;
  /** The protected resource (RFC 8707) that it was about. */
  readonly resource?: string | undefined;
  /** The scopes that were wanted. */
  readonly scopes?: readonly string[] | undefined;
  /** The HTTP status, where one was received. */
  readonly status?: number | undefined;
  /** The OAuth error code of the answer (RFC 6749, section 5.2), where it had one. */
  readonly code?: string | undefined;
}

/**
 * An authorization that did not come about, in words that say what to do. It holds no token, secret, code or verifier, and
 * nothing that an authorization server wrote but its error code and a description of plain characters.
 */
export class AuthorizationError extends Error {
  /** The kind of failure, for programs. */
  readonly reason: AuthorizationReason;
  /** The issuer of the authorization server that it was about, where one was known. */
  readonly issuer: string | undefined;
  /** The protected resource (RFC 8707) that it was about, where it was known, without its query. */
  readonly resource: string | undefined;
  /** The scopes that were wanted, where the failure is about scopes. */
  readonly scopes: readonly string[] | undefined;
  /** The HTTP status, where one was received. */
  readonly status: number | undefined;
  /** The OAuth error code of the answer, where it had one. */
  readonly code: string | undefined;

  constructor(reason: AuthorizationReason, message: string, options: AuthorizationErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AuthorizationError';
    this.reason = reason;
    this.issuer = withoutQuery(options.issuer);
    this.resource = withoutQuery(options.resource);
    this.scopes = options.scopes;
    this.status = options.status;
    this.code = options.code;
  }
}

/** A URL without its query, in which there may be a key: whoever logs an error logs its fields. */
function withoutQuery(url: string | undefined): string | undefined {
  return url?.split('?', 1)[0];
}

/** The most of a peer's words that is shown. */
const mostShown = 200;

/**
 * Words of a peer as they may be shown: plain characters on one line, cut short, with dots where a secret was. (RFC 6749, section 5.2,
 * allows no others.) Of the answer to a request that had secrets, see `harmlessAnswer`.
 */
export function plainWords(text: unknown): string | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  return text.slice(0, mostShown).replaceAll(/[^\x20-\x7e•]/g, '?');
}
