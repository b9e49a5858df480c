/** Guards of an endpoint, as its edge and its handlers see them. */

import type { RequestMessage } from '../../jsonrpc/message.ts';
import { McpError } from '../../protocol/error.ts';
import type { Call } from './call.ts';
import type { AuthInfo } from './endpoint.ts';

/** The answer to a request that is turned away. */
export interface HttpRefusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
}

/** A request over HTTP without its body. */
export interface HttpRequest {
  readonly method: string;
  /** The path of the URL, without the query. */
  readonly path: string;
  /** The query of the URL, without the `?`. */
  readonly query: string;
  /** The address of the other end of the connection, where the platform knows it. */
  readonly remoteAddress: string | undefined;
  /**
   * Looks up a header.
   *
   * @param name The name in lower case.
   * @returns The value without surrounding whitespace; repeated lines joined by `, `, so that a header which may
   *   come once is seen to be wrong.
   */
  header(name: string): string | undefined;
}

/** The way to answer such a request, once. */
export interface ProtectedReply {
  /** Adds a header to whatever is sent later. */
  setHeader(name: string, value: string): void;
  /** @param body JSON text. */
  send(status: number, body?: string, headers?: Readonly<Record<string, string>>): void;
}

/** A request on its way through an edge, with what its protection finds out. */
export interface ProtectedCall {
  readonly request: HttpRequest;
  readonly reply: ProtectedReply;
  /** Sender, once that is established. */
  auth: AuthInfo | undefined;
  /** Answers what was sent without credentials and needs some, once it was read; false for what needs none. */
  refuses: ((value: unknown) => boolean) | undefined;
}

/** Guard of an endpoint over HTTP. */
export interface Protection {
  /** Answers a request for metadata, which anybody may have, from any page; false for any other request. */
  metadata(request: HttpRequest, reply: ProtectedReply): boolean;
  /**
   * Establishes who a request comes from, before its body is read, and goes on with it or turns it away.
   *
   * @param proceed Goes on with the request.
   */
  admit(call: ProtectedCall, proceed: () => void | Promise<void>): void | Promise<void>;
  /**
   * Turns a request away whose sender lacks scopes.
   *
   * @param scopes All that it needs.
   */
  insufficient(call: Pick<ProtectedCall, 'auth' | 'reply'>, scopes: readonly string[]): void;
  /**
   * Runs something soon after the token of a caller expired.
   *
   * @returns Forgets about it; `undefined` where nothing expires.
   */
  afterExpiry(auth: AuthInfo | undefined, run: () => void): (() => void) | undefined;
}

/** Knowledge of the scopes of what an endpoint serves. */
export interface ScopeGuard {
  /** The scopes that are named anywhere. */
  knownScopes(): Iterable<string>;
  /** All scopes that a request needs, where its sender lacks one; else none. It does not reject. */
  missingScopes(request: RequestMessage, auth: AuthInfo | undefined): Promise<readonly string[]>;
}

/**
 * The scopes that a request needs, by what it failed with, where its sender lacks one of them: the error, then the response.
 * Over HTTP, while nothing was answered, an edge says it by a 403. (RFC 6750, section 3.1.)
 */
export const lackedScopes: WeakMap<object, readonly string[]> = new WeakMap();

/**
 * Makes sure that the sender of a request has scopes. Without authorization there are none to look at, which over HTTP is a
 * reason to refuse: there, what names scopes is for nobody as long as nothing guards it.
 *
 * @throws McpError invalidRequest that names all of them, where one is missing.
 */
export function requireScopes({ auth, network }: Pick<Call, 'auth' | 'network'>, scopes: readonly string[]): void {
  const isChecked = auth !== undefined || network === 'tcp';
  if (!isChecked || scopes.every((scope) => auth?.scopes?.includes(scope))) return;
  const error = new McpError('invalidRequest', `insufficient scope: this needs ${scopes.join(' ')}`);
  lackedScopes.set(error, scopes);
  throw error;
}
