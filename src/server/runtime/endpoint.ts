import type { RequestId, Message, ResponseMessage } from '../../jsonrpc/message.ts';
import type { Revision } from '../../protocol/revision.ts';
import { shown } from '../../options/shown.ts';
import type { Store } from '../../storage/store.ts';
import type { Judged } from './judged.ts';
import type { Protection, ScopeGuard } from './protection.ts';
import type { HeaderParameter } from '../../connection/header.ts';
import type { ServiceListeners } from './events/listeners.ts';
import type { KnownSession, SessionChange, SessionRecord } from './session-record.ts';

export type { ServiceListeners };

/** The sender of a request, as the edge established it; without authorization there is no principal. */
export interface AuthInfo {
  /** The stable identity (issuer and subject, say) that sessions and private state are bound to. */
  readonly principal: string;
  readonly scopes?: readonly string[];
  /** Anything else that the check found out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** The issuer of the token. */
  readonly issuer?: string | undefined;
  /** Subject of the token (`sub`): a person, or a client that acts for itself. */
  readonly subject?: string | undefined;
  /** The client that the token was issued to. */
  readonly clientId?: string | undefined;
  /** Time at which the token expires, in seconds since 1970 as `exp` has it. Event streams end soon after. */
  readonly expiresAt?: number | undefined;
  /** Scheme by which the token was presented. */
  readonly scheme?: 'Bearer' | 'DPoP' | undefined;
  /**
   * Gets a token of this caller for an API behind this server; the caller's own token is not for others. It is there where
   * `protect` has `exchange`. (RFC 8693.)
   *
   * @throws AuthorizationError when the authorization server gives none.
   */
  readonly exchange?: ((request: TokenExchangeRequest) => Promise<ExchangedToken>) | undefined;
}

/** Names what a token is wanted for. */
export interface TokenExchangeRequest {
  /** The logical name of the API at the authorization server. */
  readonly audience?: string;
  /** The URL of the API. (RFC 8707.) */
  readonly resource?: string;
  readonly scopes?: readonly string[];
  /** Gets another one, since the one before was refused. */
  readonly fresh?: boolean;
  /**
   * The kind of token; `access_token` by default. An `id-jag` is an assertion for the authorization server that is the `audience`.
   * (ext-auth, Enterprise-Managed Authorization.)
   */
  readonly type?: 'access_token' | 'id-jag';
}

/** A token for another API. */
export interface ExchangedToken {
  readonly token: string;
  /** Scheme by which it is used; an assertion by none. */
  readonly type: 'Bearer' | 'DPoP' | 'N_A';
  readonly scopes: readonly string[];
  /** Time at which it expires, in seconds since 1970, where the authorization server said so. */
  readonly expiresAt: number | undefined;
}

/** Way in which an endpoint is to be served. */
export interface Serving {
  /** True when it is found out who each request comes from. */
  readonly knowsCallers: boolean;
  /** True when tokens of callers can be exchanged; left out where that is not known. */
  readonly exchanges?: boolean | undefined;
  /** Names and addresses by which it is reached; none where nobody but who started it reaches it. */
  readonly names: readonly string[] | string;
}

/** Rules of an endpoint that acts at servers behind it by credentials that not everybody may borrow. */
export interface ActsBehind {
  /** @throws TypeError for a way of serving it that lends somebody's credentials to others, or lacks what it needs. */
  requireServable(way: Serving): void;
  /** Tells whether nobody at an address is served, where it is not found out who calls. */
  refuses(address: string | undefined): boolean;
}

/** A server as a transport sees it: one definition that answers any number of conversations at once. */
export interface Endpoint {
  /** The revisions spoken here, oldest first. */
  readonly revisions: readonly Revision[];
  /**
   * True when its conversations want numbers in their spelling, as who passes them on does; an edge that cannot give
   * them so gives plain ones.
   */
  readonly exactNumbers?: boolean | undefined;
  /** Begins a conversation with one client. Cheap: nothing is registered or compiled for it. */
  converse(link: Link): Conversation;
  /**
   * Goes on here with a session that another process opened; left out where sessions cannot move.
   *
   * @param record What is known of it, as `readSessionRecord` gives it.
   * @internal
   */
  readonly resume?: ((link: Link, record: KnownSession) => Conversation) | undefined;
  /**
   * The arguments of a tool that 2026-07-28 mirrors into `Mcp-Param-*` headers, so that the edge can compare them;
   * empty for an unknown tool. (Streamable HTTP, Custom headers from tool parameters.)
   *
   * @param auth Who asks: a tool may be unknown to some.
   * @internal
   */
  headerParameters(tool: string, auth?: AuthInfo): readonly HeaderParameter[];
  /** Protection of it over HTTP. @internal */
  readonly protection?: Protection | undefined;
  /** Rules of serving it, where it has credentials at servers behind it. */
  readonly behind?: ActsBehind | undefined;
  /** Knowledge of scopes before a request is run; an edge asks it about messages that come together. @internal */
  readonly guard?: (() => ScopeGuard | Promise<ScopeGuard>) | undefined;
  /** Store that its processes share, or that it was given for this one; an edge keeps in it what belongs to no single request. */
  readonly store?: Store | undefined;
  /** Listeners to what happens, which may come at any time. @internal */
  readonly listeners?: ServiceListeners | undefined;
  /** Ends every conversation and releases what the definition holds; the store stays open. */
  close(): Promise<void>;
}

/** Anything that can be served: a server, a bridge. */
export interface Served {
  readonly endpoint: Endpoint;
}

/**
 * The endpoint of what is to be served.
 *
 * @throws TypeError for what is no server and no bridge.
 */
export function endpointOf(served: Served): Endpoint {
  // Programs that no compiler checked give anything.
  const endpoint = (served as Partial<Served> | null | undefined)?.endpoint as Partial<Endpoint> | undefined;
  if (typeof endpoint?.converse !== 'function')
    throw new TypeError(`what is served must come from createServer or createBridge; this is ${shown(served)}`);
  return served.endpoint;
}

/** The way back to one client. */
export interface Link {
  /**
   * Transport of the conversation, in the words of OpenTelemetry for `network.transport`: `tcp`, `pipe`, `inproc`.
   * Spans have it; without it they say nothing of that.
   */
  readonly network?: string | undefined;
  /** Protocol of the application that carries it, in the words of OpenTelemetry for `network.protocol.name`: `http`. */
  readonly protocol?: string | undefined;
  /**
   * True when the link outlives one request. An exchange of 2026-07-28 over HTTP does not: it serves stateless requests
   * alone.
   */
  readonly lasting: boolean;
  /**
   * True when nothing is kept from one message of the client to the next, though its revision has sessions: what needs that is neither
   * declared nor served.
   */
  readonly passing?: boolean | undefined;
  /**
   * Sends one message to the client. Never throws; what cannot be delivered is dropped, since its reader is gone.
   *
   * @param related The request being answered, whose stream carries the message; without it the message belongs
   *   to the conversation as a whole.
   */
  send(message: Message, related?: RequestId): void;
  /**
   * Breaks the connection that waits for a request on purpose: the client asks again after a while, and what is sent
   * meanwhile waits for it. Only HTTP sessions of a revision with polling do; elsewhere nothing happens. (Spec
   * 2025-11-25, Transports, Sending Messages to the Server.)
   *
   * @param retryMs How long the client is asked to stay away; left out, the edge chooses.
   */
  disconnect?(related: RequestId, retryMs?: number): void;
  /** The session's id, where the edge gave it one. */
  readonly id?: string | undefined;
  /** Facts of the client that the edge knows from its authorization. */
  readonly auth?: AuthInfo | undefined;
  /** The address of the client, where the edge knows it. */
  readonly address?: string | undefined;
  /**
   * Beginning of the ids of questions to the client, which no other copy of the conversation has: an answer may come to another process. Without it
   * they are numbers.
   */
  readonly idsBegin?: string | undefined;
  /** Hears what the client changed in its session, before the request for it is answered. @internal */
  changed?(change: SessionChange): void;
  /**
   * Ends the conversation so that its client begins another. Only HTTP sessions have it: their later requests are
   * answered with 404. (Spec 2025-11-25, Transports, Session Management.)
   */
  dismiss?(): void;
}

/** One client's conversation, as the transport sees it. */
export interface Conversation {
  /** The revision that `initialize` settled; stays `undefined` for stateless requests. */
  readonly revision: Revision | undefined;
  /** All that another process needs to go on with its session, as it is now; `undefined` where there is none. @internal */
  readonly record?: SessionRecord | undefined;
  /** Takes over what the client changed in its session at other processes. @internal */
  restore?(record: SessionRecord): void;
  /** Tells the client that everything may have changed: it could not be told for a while. */
  missed?(): void;
  /**
   * Takes one parsed JSON value from the client. It never rejects: whatever arrives, a request gets a response
   * (an error where it must) and everything else gets `undefined`. Requests run at the same time.
   *
   * @param auth Who this value comes from, where the edge establishes that anew for each; the principal is that of the
   *   link, scopes and claims may differ. Left out, what the link says holds.
   */
  receive(value: unknown, auth?: AuthInfo): Promise<ResponseMessage | undefined>;
  /** The same for a value that the edge has judged already, since it had to know where that belongs. @internal */
  take(judged: Judged, auth?: AuthInfo): Promise<ResponseMessage | undefined>;
  /**
   * Tells whether a request that was taken may be sent again without harm: it has not begun to run, since it is being found out
   * whether it may, or leaves nothing behind, as a list or a task's result that is waited for. What is left out has begun.
   */
  waits?(id: RequestId): boolean;
  /** Answers a value that could not even be parsed. */
  unreadable(reason: string): ResponseMessage;
  /**
   * Answers the requests that would otherwise last for ever (subscriptions), so that the edge can shut down without
   * breaking them off; where it is left out, or they stay open all the same, `close` ends them.
   */
  end?(): void;
  /** The client went away: whatever is running is aborted. Closing twice is fine. */
  close(): void;
}
