/** Interface between those who send requests over HTTP and those who authorize them. */

/** Header fields by their names in lower case. */
import type { Fetch } from '../../jsonrpc/fetch.ts';
export type AuthorizationFields = Readonly<Record<string, string>>;

/** A way to be authorized at one server: what `oauth()` and its kin make, and the option `auth` takes. */
export interface Authorization {
  /**
   * Begins to authorize the requests of one connection. Any number of connections to the same server may share it.
   *
   * @throws TypeError if it was bound to another server already: grants of one are not for another.
   * @internal
   */
  bind(server: BoundServer): Authorizer;
  /** Changes with the grant but not with its renewal. It separates cached private responses. */
  context(): string;
  /** The extensions of the protocol that it speaks, with their settings. */
  readonly extensions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
  /**
   * True if it belongs to one user, so that every request acts as that user. Software that serves many users must check
   * it.
   */
  readonly personal?: boolean | undefined;
}

/** The server that a connection is to. */
export interface BoundServer {
  readonly url: URL;
  /** Function that sends the requests of the conversation, and by default those about authorization. */
  readonly fetch: Fetch;
  /**
   * Set if a server without resource metadata may be its own authorization server, at the root of its origin;
   * `revision` is the one that defines this. Left out if no possible revision does.
   */
  readonly atRoot?: { readonly revision?: string | undefined } | undefined;
}

/** The purpose of a request, as far as authorization must know. */
export interface RequestAbout {
  /** The JSON-RPC method, if the request carries one. */
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
  /** The original caller, if the request has a `caller`. */
  readonly caller?: unknown;
  /** True if a user may be asked for it; false if its outcome is not awaited. */
  readonly mayAsk: boolean;
  /** True in revisions in which servers publish where tokens are given: it is not guessed. */
  readonly isPublished?: boolean | undefined;
  /** The kinds of refusals that were seen to for this request, by the names that the authorizer gives them; it adds to them. */
  readonly tried: Set<string>;
  /** Called when the request begins and ends to wait for a user: no time-out runs meanwhile. */
  waiting(person: boolean): void;
}

/** An answer, as far as authorization must know. */
export interface AuthorizedAnswer {
  readonly status: number;
  header(name: string): string | undefined;
}

/** Authorizes the requests of one server, any number of them at the same time. */
export interface Authorizer {
  /**
   * The header fields of an attempt. It may wait, for example for a renewal.
   *
   * @throws AuthorizationError if it cannot be authorized.
   */
  headers(request: AuthorizedRequest): AuthorizationFields | Promise<AuthorizationFields>;
  /** Sees every answer, refusals too; must not throw. */
  answered?(request: AuthorizedRequest, answer: AuthorizedAnswer): void;
  /**
   * Handles a refusal (401, 403, or 400 with a challenge).
   *
   * @param sent The header fields that `headers` returned for the attempt.
   * @returns True to send the request again; false to return the refusal to the caller.
   * @throws AuthorizationError if it cannot be fixed.
   */
  refused(request: AuthorizedRequest, answer: AuthorizedAnswer, sent: AuthorizationFields): Promise<boolean>;
  /**
   * Waits for background work that the process must not lose, such as a renewal that has used up its refresh token. The
   * connection closes after that. It takes at most 20 seconds, and never rejects.
   */
  rest?(): Promise<void>;
}
