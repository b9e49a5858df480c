/** Guards of an endpoint, for its edge and its handlers. */

import type { RequestMessage } from '../../jsonrpc/message.ts';
import { McpError } from '../../protocol/error.ts';
import type { Call } from './call.ts';
import type { AuthInfo } from './request-handler.ts';

/** The answer to a rejected request. */
export interface HttpRefusal {
  /** The HTTP status. */
  readonly status: number;
  /** More headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
}

/** A request over HTTP without its body. */
export interface HttpRequest {
  /** The HTTP method. */
  readonly method: string;
  /** The path of the URL, without the query. */
  readonly path: string;
  /** The query of the URL, without the `?`. */
  readonly query: string;
  /** The address of the other end of the connection, if the platform knows it. */
  readonly remoteAddress: string | undefined;
  /**
   * Looks up a header.
   *
   * @param name The name in lower case.
   * @returns The value without surrounding whitespace; repeated lines joined by `, `, so that a repeated
   * header that may appear only once is invalid.
   */
  header(name: string): string | undefined;
}

/** The way to answer such a request. Call it once. */
export interface ProtectedReply {
  /** Adds a header to the later response. */
  setHeader(name: string, value: string): void;
  /** @param body JSON text. */
  send(status: number, body?: string, headers?: Readonly<Record<string, string>>): void;
}

/** A request at an edge, with what its protection finds out. */
export interface ProtectedCall {
  readonly request: HttpRequest;
  readonly reply: ProtectedReply;
  /** The sender, once it is authenticated. */
  auth: AuthInfo | undefined;
  /**
   * Rejects a request without credentials that needs some, once its body was read; false for a request that needs none.
   */
  refuses: ((value: unknown) => boolean) | undefined;
}

/** Guard of an endpoint over HTTP. */
export interface Protection {
  /** Answers a request for metadata, for any caller and any origin; false for any other request. */
  metadata(request: HttpRequest, reply: ProtectedReply): boolean;
  /**
   * Authenticates a request before its body is read. Then continues with it or rejects it.
   *
   * @param proceed Continues with the request.
   */
  admit(call: ProtectedCall, proceed: () => void | Promise<void>): void | Promise<void>;
  /**
   * Rejects a request whose sender lacks scopes.
   *
   * @param scopes All scopes that it needs.
   */
  insufficient(call: Pick<ProtectedCall, 'auth' | 'reply'>, scopes: readonly string[]): void;
  /**
   * Runs a function soon after the token of a caller expired.
   *
   * @returns Cancels it; `undefined` if the token does not expire.
   */
  afterExpiry(auth: AuthInfo | undefined, run: () => void): (() => void) | undefined;
}

/** Knows the scopes of what an endpoint serves. */
export interface ScopeGuard {
  /** All scopes that any definition names. */
  knownScopes(): Iterable<string>;
  /** All scopes that a request needs, if its sender lacks one; otherwise none. It does not reject. */
  missingScopes(request: RequestMessage, auth: AuthInfo | undefined): Promise<readonly string[]>;
}

/**
 * The scopes that a request needs, keyed by its failure: first the error, then the response. An entry exists if its
 * sender lacks one of them. Over HTTP, if nothing was answered yet, an edge responds with 403. (RFC 6750, section 3.1.)
 */
export const lackedScopes: WeakMap<object, readonly string[]> = new WeakMap();

/**
 * Checks that the sender of a request has the given scopes. Without authorization there are none to check. Over HTTP
 * that is a reason to refuse: a definition with scopes is unavailable there while no guard protects it.
 *
 * @throws McpError invalidRequest that names all of them, if one is missing.
 */
export function requireScopes({ auth, network }: Pick<Call, 'auth' | 'network'>, scopes: readonly string[]): void {
  const isChecked = auth !== undefined || network === 'tcp';
  if (!isChecked || scopes.every((scope) => auth?.scopes?.includes(scope))) return;
  const error = new McpError('invalidRequest', `insufficient scope: this needs ${scopes.join(' ')}`);
  lackedScopes.set(error, scopes);
  throw error;
}
