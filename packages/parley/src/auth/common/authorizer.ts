/** Interface between those who send requests over HTTP and those who authorize them. */

import type { AuthorizationFetch } from './document.ts';

/** Header fields by their names in lower case. */
export type AuthorizationFields = Readonly<Record<string, string>>;

/** A way to be authorized at one server: what `oauth()` and its kin make, and the option `auth` takes. */
export interface Authorization {
  /**
   * Begins to authorize the requests of one connection; any number of connections to the same server may share it.
   *
   * @throws TypeError when it was bound to another server already: grants of one are not for another.
   * @internal
   */
  bind(server: BoundServer): Authorizer;
  /** Changes with the grant and never by its renewal; what a server calls private is kept apart by it. */
  context(): string;
  /** The extensions of the protocol that it speaks, with their settings. */
  readonly extensions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
  /** True where it is that of one person, so that who uses it acts as that person; software that serves many must know. */
  readonly personal?: boolean | undefined;
}

/** The server that a connection is to. */
export interface BoundServer {
  readonly url: URL;
  /** Function that sends the requests of the conversation, and by default those about authorization. */
  readonly fetch: AuthorizationFetch;
  /**
   * True when a server without resource metadata may be its own authorization server, at the root of its origin: in the manner of
   * this revision, where one is named. Left out where no revision that may be spoken knows such servers.
   */
  readonly atRoot?: { readonly revision?: string | undefined } | undefined;
}

/** The purpose of a request, as far as authorization must know. */
export interface RequestAbout {
  /** The JSON-RPC method, where the request carries one. */
  readonly method?: string | undefined;
  /** The name in its params: a tool, a prompt, a resource. */
  readonly name?: string | undefined;
}

/** One attempt to send a request. */
export interface AuthorizedRequest {
  /** The HTTP method. */
  readonly method: string;
  /** URL of this attempt, redirects counted. */
  readonly url: URL;
  readonly about: RequestAbout;
  readonly signal: AbortSignal;
  /** Sender of the request in whose place it is sent, where it was given as `caller` with the request. */
  readonly caller?: unknown;
  /** True when a person may be asked for its sake; not for what nobody waits for. */
  readonly mayAsk: boolean;
  /** True in revisions in which servers publish where tokens are given: it is not guessed. */
  readonly isPublished?: boolean | undefined;
  /** The kinds of refusals that were seen to for this request, by the names that the authorizer gives them; it adds to them. */
  readonly tried: Set<string>;
  /** Is told that the request waits for a person, and that it does so no longer: no time-out runs meanwhile. */
  waiting(person: boolean): void;
}

/** An answer, as far as authorization must know. */
export interface AuthorizedAnswer {
  readonly status: number;
  header(name: string): string | undefined;
}

/** Authorizes the requests of one server; any number of them at the same time. */
export interface Authorizer {
  /**
   * The header fields of an attempt. It may wait: for a renewal, say.
   *
   * @throws AuthorizationError when it cannot be authorized.
   */
  headers(request: AuthorizedRequest): AuthorizationFields | Promise<AuthorizationFields>;
  /** Sees every answer, refusals too; must not throw. */
  answered?(request: AuthorizedRequest, answer: AuthorizedAnswer): void;
  /**
   * Sees to a refusal (401, 403, or 400 with a challenge).
   *
   * @param sent The header fields that `headers` gave for the attempt.
   * @returns Whether to send the request again; false where the refusal is the caller's, as it is.
   * @throws AuthorizationError when it cannot be mended.
   */
  refused(request: AuthorizedRequest, answer: AuthorizedAnswer, sent: AuthorizationFields): Promise<boolean>;
  /**
   * Waits for what is under way beside the requests and would be lost with the process, such as a renewal that has used up what it
   * renews by. A connection is closed after that. It takes 20 seconds at most, and never rejects.
   */
  rest?(): Promise<void>;
}
