import type { Records } from '../../storage/records.ts';
import type { SealingKeys } from '../../sealing/sealing-key.ts';
import type { Implementation, JsonObject } from '../../protocol/features/common.ts';
import type { ServerCapabilities } from '../../protocol/capability.ts';
import type { Extensions } from '../../protocol/extension.ts';
import type { McpError } from '../../protocol/error.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { AuthInfo, ReplyChannel } from './request-handler.ts';
import type { Call, ClientView } from './call.ts';
import type { ScopeGuard } from './protection.ts';
import type { TaskQuestion } from '../../connection/client-request.ts';
import type { HeaderParameter } from '../../connection/header.ts';
import type { MiddlewareStack } from '../../connection/middleware/middleware-stack.ts';
import type { ServiceListeners } from './events/listeners.ts';
import type { SessionChange } from './session-record.ts';
import type { Store } from '../../storage/store.ts';

/** Round settings of a server. An undefined setting gets its default. */
export interface ServerRounds {
  /** Name of the service that owns the states. */
  readonly service?: string | undefined;
  /** The sealing keys, 32 bytes each. Without one, this process makes its own. */
  readonly keys: SealingKeys;
  /** Lifetime of a state in milliseconds; an hour by default. */
  readonly ttlMs: number | undefined;
  /** The largest state that travels, in characters; 65,536 by default. */
  readonly maxStateLength: number | undefined;
  /** A place for larger states and for the marks of used ones. The default is memory. */
  readonly records: Records | undefined;
  /**
   * True if each state is single-use, false if none is. By default a state is single-use if it holds an answer or an
   * effect.
   */
  readonly singleUse: boolean | undefined;
  /** The most rounds that one conversation may have. */
  readonly maxRounds: number;
  /** The time, in milliseconds since 1970; `Date.now` by default. */
  readonly now: (() => number) | undefined;
}

/**
 * Answers one request.
 *
 * @param params The parameters in the canonical model, already checked against the revision.
 * @returns The result in the canonical model; it is converted to the client's revision afterwards.
 */
export type Handler = (params: Readonly<Record<string, unknown>>, call: Call) => unknown;

/** Facts about a host that only middleware needs. */
export interface Guide {
  /** Tells whether the item that a request names exists for its sender. */
  knows(method: string, params: JsonObject, auth: AuthInfo | undefined): boolean;
  /**
   * The result that reports an error of middleware, for a method whose results can report errors. Otherwise it becomes
   * a JSON-RPC error.
   */
  thrown(method: string, error: unknown): JsonObject | undefined;
}

/** Contents of an endpoint: a server's registries, or a bridge's upstream. */
export interface ServerCore {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  /** The revisions spoken, oldest first. */
  readonly revisions: readonly Revision[];
  /**
   * The capabilities that are offered now, in the canonical model.
   *
   * @param link The client, if capabilities depend on it. By default, the capabilities that every client gets.
   */
  capabilities(link?: Pick<ReplyChannel, 'auth' | 'network' | 'passing'>): ServerCapabilities;
  /** The declared extensions, besides those among the capabilities, for revisions that have a place for them. */
  extensions?(): Extensions;
  /** The handler of a method, or `undefined` if the host has none. */
  handler(method: string): Handler | undefined;
  /**
   * Answers methods that the protocol does not know. Parameters and results are in wire form.
   *
   * @throws McpError methodNotFound if no handler knows the method.
   */
  readonly unknown?: Handler | undefined;
  /** Cache hint for `server/discover`: how long its result may be cached, and by whom. */
  readonly discoverHint: { readonly ttlMs: number; readonly cacheScope: 'public' | 'private' };
  /** Time limit for a session's client to answer one question, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Limit of question rounds of one request. */
  readonly maxRounds: number;
  /** Settings of the rounds for stateless clients. Without them, handlers manage the rounds themselves. */
  readonly rounds?: ServerRounds;
  /** The store that its processes share. */
  readonly store?: Store | undefined;
  /** True if numbers from clients keep their text because they are forwarded. */
  readonly exactNumbers?: boolean;
  /** True if it forwards notifications of another server, declared or not. The other server decides what it offers. */
  readonly relays?: boolean;
  /** Tells whether requests for an undeclared feature are handled all the same: another server may answer. */
  readonly undeclared?: ((feature: string, method: string) => boolean) | undefined;
  headerParameters(tool: string, auth?: AuthInfo): readonly HeaderParameter[];
  /** Finds the required scopes before a request runs. */
  readonly guard?: (() => ScopeGuard | Promise<ScopeGuard>) | undefined;
  /** Rate limits for clients, if there are any. */
  readonly rates?: AskedRates | undefined;
  /** Listeners to events. They may be added at any time. */
  readonly listeners?: ServiceListeners | undefined;
  /** The middleware that all messages pass through. */
  readonly chain?: MiddlewareStack | undefined;
  /** Facts about it that middleware needs. */
  readonly guide?: Guide;
  /** True if peers may see the messages of errors that are otherwise masked. */
  readonly exposeErrors?: boolean;
  /** Receives errors that must not be lost and must not reach the peer. */
  onError(error: unknown, where: string): void;
  /**
   * Called before a session is opened.
   *
   * @throws McpError if there is no room for it.
   */
  admit?(from: ClientOrigin): void;
  /** `initialize` opened a session. */
  opened?(conversation: ServerSession): void;
  /** True if a session may continue in any process that has the same definition. */
  readonly isPortable?: boolean;
  /** A session is subscribed to exactly these resources, because its client changed them at other processes. */
  watches?(conversation: ServerSession, uris: readonly string[]): void;
  /** A session could not be notified of changes for a while: everything may have changed. */
  missed?(conversation: ServerSession): void;
  /** A session ended. */
  closed?(conversation: ServerSession): void;
  /** Receives the client's notifications that the conversation does not handle itself, in wire form. */
  notified?(method: string, params: JsonObject, from: NotificationSender): void;
}

/** Sender of a request, for its rate limit. */
export interface RequestSender {
  readonly auth: AuthInfo | undefined;
  readonly session: ServerSession | undefined;
  /** The address of the client, if the edge knows it. */
  readonly address: string | undefined;
}

/**
 * Checks the rate limits before a request is handled. Returns the refusal of a request that exceeds one. It does not
 * reject.
 */
export type AskedRates = (method: string, from: RequestSender) => McpError | undefined | Promise<McpError | undefined>;

/** Origin of a conversation, as its edge knows it. */
export interface ClientOrigin {
  readonly principal: string | undefined;
  readonly address: string | undefined;
}

/** Sender of a notification. */
export interface NotificationSender extends ClientOrigin {
  /** The session, or `undefined` if the revision is stateless. */
  readonly session: ServerSession | undefined;
}

/** A session that `initialize` opened, as the host sees it. */
export interface ServerSession {
  /** Its id, if its edge assigned one: the same in all processes. */
  readonly id?: string | undefined;
  /** True if it lasts for one request only, though its revision has sessions. */
  readonly passing?: boolean | undefined;
  readonly revision: Revision;
  /** Description that the client gave of itself. */
  readonly client: ClientView;
  /** The principal of the client, if its edge knows it. */
  readonly principal: string | undefined;
  /** Sender of its newest request, if its edge knows it. The principal stays the same. The token may change. */
  readonly auth: AuthInfo | undefined;
  /** The address of the client, if its edge knows it. */
  readonly address?: string | undefined;
  /**
   * Ends the session so that its client opens another; `undefined` if the client could not be notified, and while its
   * requests run.
   */
  readonly dismiss?: (() => void) | undefined;
  /**
   * Sends a request to the client, within a call or outside. Protocol requests are in the canonical model, others in
   * wire form.
   *
   * @param call The call whose stream carries the request; without it, the request goes to the conversation as a whole.
   *   Also the wish for
   * a task, if the client supports tasks, and the receiver of an answer that comes too late.
   * @param signal Cancels the request. The end of the call cancels it too.
   * @throws McpError the client's own error, a missing capability, or the reason why no answer came.
   */
  ask(
    method: string,
    params: JsonObject,
    signal: AbortSignal,
    call?: Partial<Pick<Call, 'signal' | 'requestId'>> & {
      readonly task?: TaskQuestion | undefined;
      readonly late?: ((result: JsonObject) => void) | undefined;
    },
  ): Promise<JsonObject>;
  /** Sends a notification that belongs to no request. Nothing is sent before the client is ready. */
  notify(method: string, params: Readonly<Record<string, unknown>>): void;
  /**
   * Called at the end of the session. Set by the code that sends its messages through middleware. It must not throw.
   */
  onEnd?: () => void;
  /** Time at which it was opened here, in milliseconds as `performance.now()` has it. */
  readonly openedAt: number;
  /** Records a change by the client, so that other processes learn of it. */
  changed?(change: SessionChange): void;
  /** State that the host keeps for this session. It is dropped with the session. */
  readonly state: Map<symbol, unknown>;
}
