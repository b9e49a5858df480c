/** Kind of failure of an authorization; it never crosses the wire. `docs/errors.md` says what to do. */
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

/**
 * A failed authorization. The message says what to do. It holds no token, secret, code or verifier. From an
 * authorization server it quotes only the error code and a description of plain characters.
 */
export class AuthorizationError extends Error {
  /** The kind of failure, for programs. */
  readonly reason: AuthorizationReason;
  /** The issuer of the authorization server, if known. */
  readonly issuer: string | undefined;
  /** The protected resource (RFC 8707), if known, without its query. */
  readonly resource: string | undefined;
  /** The wanted scopes, if the failure is about scopes. */
  readonly scopes: readonly string[] | undefined;
  /** The HTTP status, if one was received. */
  readonly status: number | undefined;
  /** The OAuth error code of the answer, if it had one. */
  readonly code: string | undefined;

  /** @param options Details, all optional. */
  constructor(
    reason: AuthorizationReason,
    message: string,
    options: {
      readonly cause?: unknown;
      /** The issuer of the authorization server that it was about. */
      readonly issuer?: string | undefined;
      /** The protected resource (RFC 8707) that it was about. */
      readonly resource?: string | undefined;
      /** The scopes that were wanted. */
      readonly scopes?: readonly string[] | undefined;
      /** The HTTP status, if one was received. */
      readonly status?: number | undefined;
      /** The OAuth error code of the answer (RFC 6749, section 5.2), if it had one. */
      readonly code?: string | undefined;
    } = {},
  ) {
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

/** A URL without its query, which may hold a key: the fields of an error are often logged. */
function withoutQuery(url: string | undefined): string | undefined {
  return url?.split('?', 1)[0];
}

/** The longest quotation of a peer's text. */
const maxShown = 200;

/**
 * Text of a peer in a safe form: plain characters on one line, shortened, with dots in place of secrets. (RFC 6749,
 * section 5.2, allows no others.) For the answer to a request with secrets, see `harmlessAnswer`.
 */
export function plainWords(text: unknown): string | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  return text.slice(0, maxShown).replaceAll(/[^\x20-\x7e•]/g, '?');
}
