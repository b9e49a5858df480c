import type { RequestId, Message, ResponseMessage } from '../../jsonrpc/message.ts';
import type { Revision } from '../../protocol/revision.ts';
import { shown } from '../../options/shown.ts';
import type { Store } from '../../storage/store.ts';
import type { ParsedMessage } from './parsed-message.ts';
import type { Protection, ScopeGuard } from './protection.ts';
import type { HeaderParameter } from '../../connection/header.ts';
import type { ServiceListeners } from './events/listeners.ts';
import type { KnownSession, SessionChange, SessionRecord } from './session-record.ts';

export type { ServiceListeners };

/** The sender of a request, as the edge established it; without authorization there is no principal. */
export interface AuthInfo {
  /** The stable identity (issuer and subject, say) that sessions and private state are bound to. */
  readonly principal: string;
  /** The scopes of the access token. */
  readonly scopes?: readonly string[];
  /** Other facts that the check of the token found. */
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
  /** The scopes to ask for. */
  readonly scopes?: readonly string[];
  /** Gets a new token because the previous one was rejected. */
  readonly fresh?: boolean;
  /**
   * The kind of token; `access_token` by default. An `id-jag` is an assertion for the authorization server that is the `audience`.
   * (ext-auth, Enterprise-Managed Authorization.)
   */
  readonly type?: 'access_token' | 'id-jag';
}

/** A token for another API. */
export interface ExchangedToken {
  /** The new access token. */
  readonly token: string;
  /** The scheme that uses the token; `N_A` for an assertion. */
  readonly type: 'Bearer' | 'DPoP' | 'N_A';
  /** The scopes that it has. */
  readonly scopes: readonly string[];
  /** Time at which it expires, in seconds since 1970, if the authorization server returned it. */
  readonly expiresAt: number | undefined;
}

/** The way in which an endpoint is exposed. */
export interface Exposure {
  /** True if each request is authenticated. */
  readonly knowsCallers: boolean;
  /** True if tokens of callers can be exchanged; left out if not known. */
  readonly exchanges?: boolean | undefined;
  /** The names and addresses at which it is reached. Empty if only the process that started it can reach it. */
  readonly names: readonly string[] | string;
}

/** Rules of an endpoint that acts at upstream servers with credentials. Not every caller may use these credentials. */
export interface UpstreamIdentityPolicy {
  /**
   * Checks a way of exposing the server.
   *
   * @throws TypeError if this exposure would let some callers use another caller's credentials, or lacks something that
   * it needs.
   */
  requireServable(way: Exposure): void;
  /** Tells whether requests from an address are refused if the caller is not authenticated. */
  refuses(address: string | undefined): boolean;
}

/** A server as a transport sees it: one definition that answers any number of conversations at once. */
export interface RequestHandler {
  /** The revisions spoken here, oldest first. */
  readonly revisions: readonly Revision[];
  /**
   * True if its conversations need the exact text of numbers, for example because a bridge forwards them. An edge that
   * cannot preserve it passes plain numbers.
   */
  readonly exactNumbers?: boolean | undefined;
  /** Begins a conversation with one client. Cheap: nothing is registered or compiled for it. */
  openConnection(link: ReplyChannel): ClientConnection;
  /**
   * Continues a session that another process opened. Left out if sessions cannot move.
   *
   * @param record The stored record, as `readSessionRecord` returns it.
   * @internal
   */
  readonly resume?: ((link: ReplyChannel, record: KnownSession) => ClientConnection) | undefined;
  /**
   * The arguments of a tool that 2026-07-28 mirrors into `Mcp-Param-*` headers, so that the edge can compare them;
   * empty for an unknown tool. (Streamable HTTP, Custom headers from tool parameters.)
   *
   * @param auth The caller. A tool may be hidden from some callers.
   * @internal
   */
  headerParameters(tool: string, auth?: AuthInfo): readonly HeaderParameter[];
  /** Protection of it over HTTP. @internal */
  readonly protection?: Protection | undefined;
  /** Rules for exposing it, if it holds credentials for upstream servers. */
  readonly behind?: UpstreamIdentityPolicy | undefined;
  /** Finds the required scopes before a request runs. An edge calls it for messages that arrive together. @internal */
  readonly guard?: (() => ScopeGuard | Promise<ScopeGuard>) | undefined;
  /**
   * The store of the server, shared by its processes or local to this one. An edge keeps in it data that belongs to no
   * single request.
   */
  readonly store?: Store | undefined;
  /** Listeners to events. They may be added at any time. @internal */
  readonly listeners?: ServiceListeners | undefined;
  /** Ends every conversation and releases what the definition holds; the store stays open. */
  close(): Promise<void>;
}

/** Anything that can be served: a server, a bridge. */
export interface Servable {
  /** The handler of its requests. */
  readonly endpoint: RequestHandler;
}

/**
 * The endpoint of a server or a bridge.
 *
 * @throws TypeError if the value is neither a server nor a bridge.
 */
export function endpointOf(served: Servable): RequestHandler {
  // Untyped programs may pass any value.
  const endpoint = (served as Partial<Servable> | null | undefined)?.endpoint as Partial<RequestHandler> | undefined;
  if (typeof endpoint?.openConnection !== 'function')
    throw new TypeError(`a served object must come from createServer or createBridge; this is ${shown(served)}`);
  return served.endpoint;
}

/** The connection back to one client. */
export interface ReplyChannel {
  /**
   * Transport of the conversation, as OpenTelemetry names it in `network.transport`: `tcp`, `pipe`, `inproc`. Spans
   * have it as an attribute. If it is left out, spans omit the attribute.
   */
  readonly network?: string | undefined;
  /** Application protocol, as OpenTelemetry names it in `network.protocol.name`: `http`. */
  readonly protocol?: string | undefined;
  /**
   * True if the link outlives one request. An exchange of 2026-07-28 over HTTP does not: it serves only stateless
   * requests.
   */
  readonly lasting: boolean;
  /**
   * True if nothing is stored between two messages of the client, though its revision has sessions. Features that need
   * storage are neither declared nor served.
   */
  readonly passing?: boolean | undefined;
  /**
   * Sends one message to the client. Never throws. A message that cannot be delivered is dropped, since its reader has
   * gone.
   *
   * @param related The request being answered, whose stream carries the message. Without it the message belongs
   * to the conversation as a whole.
   */
  send(message: Message, related?: RequestId): void;
  /**
   * Deliberately closes the connection that waits for a request. The client polls again later, and messages wait until
   * then. Only HTTP sessions of a revision with polling do this. Elsewhere nothing happens. (Spec 2025-11-25,
   * Transports, Sending Messages to the Server.)
   *
   * @param retryMs The time after which the client should reconnect. By default the edge chooses.
   */
  disconnect?(related: RequestId, retryMs?: number): void;
  /** The session's id, if the edge assigned one. */
  readonly id?: string | undefined;
  /** Facts about the client that the edge took from its authorization. */
  readonly auth?: AuthInfo | undefined;
  /** The address of the client, if the edge knows it. */
  readonly address?: string | undefined;
  /**
   * Prefix of the ids of requests to the client, unique among the replicas of the conversation: the answer may arrive
   * at another process. Without it the ids are numbers.
   */
  readonly idsBegin?: string | undefined;
  /** Called when the client changed its session, before the request for the change is answered. @internal */
  changed?(change: SessionChange): void;
  /**
   * Ends the session so that its client opens another. Only HTTP sessions have it: later requests of the session get
   * 404. (Spec 2025-11-25, Transports, Session Management.)
   */
  dismiss?(): void;
}

/** One client's conversation, as the transport sees it. */
export interface ClientConnection {
  /** The revision that `initialize` settled; stays `undefined` for stateless requests. */
  readonly revision: Revision | undefined;
  /**
   * The state that another process needs to continue the session, as it is now; `undefined` if there is no session.
   * @internal
   */
  readonly record?: SessionRecord | undefined;
  /** Applies changes that the client made to its session at other processes. @internal */
  restore?(record: SessionRecord): void;
  /** Notifies the client that everything may have changed, because it could not be notified for a while. */
  missed?(): void;
  /**
   * Takes one parsed JSON value from the client. It never rejects. A request gets a response, which may be an error.
   * Any other value gets `undefined`. Requests run at the same time.
   *
   * @param auth The sender of this value, if the edge authenticates each value. Its principal equals that of the
   * link. Scopes and claims may differ. By default the sender of the link.
   */
  receive(value: unknown, auth?: AuthInfo): Promise<ResponseMessage | undefined>;
  /** Takes a value that the edge already parsed as a message, because it needed its kind. @internal */
  take(judged: ParsedMessage, auth?: AuthInfo): Promise<ResponseMessage | undefined>;
  /**
   * Tells whether a request can safely be sent again. That is true while its rate limit is checked, and if it has no
   * side effects, such as a list or a wait for a task's result. If this is left out, assume that the request has begun.
   */
  waits?(id: RequestId): boolean;
  /** Answers a value that could not be parsed. */
  unreadable(reason: string): ResponseMessage;
  /**
   * Answers the requests that would otherwise stay open (subscriptions), so that the edge can shut down in order. If it
   * is left out, or requests stay open, `close` ends them.
   */
  end?(): void;
  /** The client disconnected: running work is aborted. Closing twice is fine. */
  close(): void;
}
