/** What puts credentials on the requests of one conversation over HTTP, and mends what a server refuses. */

import type { AuthorizationFetch } from './document.ts';

/** Header fields by their names in lower case. */
type Fields = Readonly<Record<string, string>>;

/** A way to be authorized at one server: what `oauth()` and its kin make, and the option `auth` takes. */
export interface Authorization {
  /**
   * Begins to authorize the requests of one connection.
   *
   * @throws TypeError when it was bound to another server already: grants of one are not for another.
   */
  bind(server: BoundServer): Authorizer;
  /** Changes with the grant and never by its renewal; what a server calls private is kept apart by it. */
  context(): string;
  /** The extensions of the protocol that it speaks, with their settings. */
  readonly extensions?: Readonly<Record<string, object>> | undefined;
}

/** The server that a connection is to. */
export interface BoundServer {
  readonly url: URL;
  /** What sends the requests of the conversation, and by default those about authorization. */
  readonly fetch: AuthorizationFetch;
  /** Hears what the owner of the client is to know. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** What a request is for, as far as authorization must know. */
export interface RequestAbout {
  /** The JSON-RPC method, where the request carries one. */
  readonly method?: string | undefined;
  /** What the method names: a tool, a prompt, a resource. */
  readonly name?: string | undefined;
}

/** One attempt to send a request. */
export interface AuthorizedRequest {
  /** The HTTP method. */
  readonly method: string;
  /** Where this attempt goes, redirects counted. */
  readonly url: URL;
  readonly about: RequestAbout;
  readonly signal: AbortSignal;
  /** Is told that the request waits for a person, and that it does so no longer: no time-out runs meanwhile. */
  waiting(person: boolean): void;
}

/** An answer, as far as authorization must know. */
export interface AuthorizedAnswer {
  readonly status: number;
  header(name: string): string | undefined;
}

/** Authorizes the requests of one connection; any number of them at the same time. */
export interface Authorizer {
  /**
   * The header fields of an attempt. It may wait: for a renewal, or for a person.
   *
   * @throws AuthorizationError when it cannot be authorized.
   */
  headers(request: AuthorizedRequest): Fields | Promise<Fields>;
  /** Sees every answer, refusals too; must not throw. */
  answered?(request: AuthorizedRequest, answer: AuthorizedAnswer): void;
  /**
   * Sees to a refusal (401, 403, or 400 with a challenge).
   *
   * @param sent The header fields that `headers` gave for the attempt.
   * @param attempt How often this request was sent, 1 for the first time.
   * @returns Whether to send the request again; false where the refusal is the caller's, as it is.
   * @throws AuthorizationError when it cannot be mended.
   */
  refused(request: AuthorizedRequest, answer: AuthorizedAnswer, sent: Fields, attempt: number): Promise<boolean>;
}
