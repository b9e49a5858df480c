import type { Implementation, JsonObject } from '../../protocol/features/common.ts';
import type { ServerCapabilities } from '../../protocol/capability.ts';
import type { Extensions } from '../../protocol/extension.ts';
import type { McpError } from '../../protocol/error.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { AuthInfo, Link } from './endpoint.ts';
import type { Call, ClientView } from './call.ts';
import type { ScopeGuard } from './protection.ts';
import type { TaskQuestion } from '../../connection/ask.ts';
import type { HeaderParameter } from '../../connection/header.ts';
import type { Chain } from '../../connection/middleware/chain.ts';
import type { ServerRounds } from './input/server-rounds.ts';
import type { ServiceListeners } from './events/listeners.ts';
import type { SessionChange } from './session-record.ts';
import type { Store } from '../../storage/store.ts';

/**
 * Answers one request.
 *
 * @param params The parameters in the canonical model, already checked against the revision.
 * @returns The result in the canonical model; it is projected to the client's revision afterwards.
 */
export type Handler = (params: Readonly<Record<string, unknown>>, call: Call) => unknown;

/** Facts of a host that only middleware needs. */
export interface Guide {
  /** Tells whether what a request names is there for who sends it. */
  knows(method: string, params: JsonObject, auth: AuthInfo | undefined): boolean;
  /** The result that tells what middleware threw in place of the handler of a method, where one can; else it is an error. */
  thrown(method: string, error: unknown): JsonObject | undefined;
}

/** Contents of an endpoint: a server's registries, or a bridge's upstream. */
export interface Host {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  /** The revisions spoken, oldest first. */
  readonly revisions: readonly Revision[];
  /**
   * Capabilities that are offered now, in the canonical model.
   *
   * @param link Whom they are offered to, where that makes a difference; left out, what is offered to everybody.
   */
  capabilities(link?: Pick<Link, 'auth' | 'network' | 'passing'>): ServerCapabilities;
  /** The extensions that are declared, beside those among the capabilities, wherever a revision has a place for them. */
  extensions?(): Extensions;
  /** The handler of a method, or `undefined` where the host has none. */
  handler(method: string): Handler | undefined;
  /**
   * Answers methods that the protocol does not know, with their parameters and results as they are on the wire.
   *
   * @throws McpError methodNotFound for those that nobody here knows.
   */
  readonly unknown?: Handler | undefined;
  /** Hint for `server/discover`: the time that its result may be kept, and by whom. */
  readonly discoverHint: { readonly ttlMs: number; readonly cacheScope: 'public' | 'private' };
  /** Time that a handshake client may take to answer one question, in milliseconds. */
  readonly askTimeoutMs: number;
  /** Limit of rounds of questions of one request. */
  readonly maxRounds: number;
  /**
   * Settings of the rounds by which stateless clients are asked; without it the handlers see to the rounds themselves.
   */
  readonly rounds?: ServerRounds;
  /** Store that its processes share. */
  readonly store?: Store | undefined;
  /** True when numbers of clients keep their spelling, since they are passed on. */
  readonly exactNumbers?: boolean;
  /** True when it passes on what another server tells, be it declared or not; what it offers is that server's word. */
  readonly relays?: boolean;
  /** Tells whether requests for a feature that is not offered are handled all the same: another server may answer. */
  readonly undeclared?: ((feature: string, method: string) => boolean) | undefined;
  headerParameters(tool: string, auth?: AuthInfo): readonly HeaderParameter[];
  /** Knowledge of scopes before a request is run. */
  readonly guard?: (() => ScopeGuard | Promise<ScopeGuard>) | undefined;
  /** Measures of how often clients may ask, where there are any. */
  readonly rates?: AskedRates | undefined;
  /** Listeners to what happens, which may come at any time. */
  readonly listeners?: ServiceListeners | undefined;
  /** The middleware that all messages pass. */
  readonly chain?: Chain | undefined;
  /** Facts that middleware needs to know of it. */
  readonly guide?: Guide;
  /** True when peers may read the messages of errors that are masked otherwise. */
  readonly exposeErrors?: boolean;
  /** Hears what must not be lost and must not reach the peer. */
  onError(error: unknown, where: string): void;
  /**
   * Asked before a handshake conversation is settled.
   *
   * @throws McpError when there is no room for it.
   */
  admit?(from: ClientOrigin): void;
  /** A handshake conversation was settled by `initialize`. */
  opened?(conversation: ServerSession): void;
  /** True when a handshake conversation may go on in any process that has the same definition. */
  readonly isPortable?: boolean;
  /** A conversation watches these resources and no others, as its client asked at other processes. */
  watches?(conversation: ServerSession, uris: readonly string[]): void;
  /** A conversation could not be told of changes for a while: everything may have changed. */
  missed?(conversation: ServerSession): void;
  /** A handshake conversation ended. */
  closed?(conversation: ServerSession): void;
  /** Hears the notifications of a client that are not the conversation's own, as they are on the wire. */
  notified?(method: string, params: JsonObject, from: NotificationSender): void;
}

/** Sender of a request, by which it is measured. */
export interface RequestSender {
  readonly auth: AuthInfo | undefined;
  readonly session: ServerSession | undefined;
  /** The address of the client, where the edge knows it. */
  readonly address: string | undefined;
}

/** Measures of requests before anything is done for them, with the refusal of one that came too soon. It does not fail. */
export type AskedRates = (method: string, from: RequestSender) => McpError | undefined | Promise<McpError | undefined>;

/** Origin of a conversation, as its edge knows it. */
export interface ClientOrigin {
  readonly principal: string | undefined;
  readonly address: string | undefined;
}

/** Sender of a notification. */
export interface NotificationSender extends ClientOrigin {
  /** The handshake conversation, or `undefined` where the revision is stateless. */
  readonly session: ServerSession | undefined;
}

/** A conversation that `initialize` settled, as the host sees it. */
export interface ServerSession {
  /** Its id, where its edge gave it one: the same in all processes. */
  readonly id?: string | undefined;
  /** True when it is that of one request alone, though its revision has sessions. */
  readonly passing?: boolean | undefined;
  readonly revision: Revision;
  /** Description that the client gave of itself. */
  readonly client: ClientView;
  /** Principal that the client is, where its edge knows. */
  readonly principal: string | undefined;
  /** Sender of its newest request, where its edge knows: the same principal as ever, by another token perhaps. */
  readonly auth: AuthInfo | undefined;
  /** The address of the client, where its edge knows it. */
  readonly address?: string | undefined;
  /**
   * Ends the conversation so that its client begins another; `undefined` where the client could not be told, and while
   * requests of it run.
   */
  readonly dismiss?: (() => void) | undefined;
  /**
   * Asks the client beside or within a call: questions of the protocol in the canonical model, others as they are on
   * the wire.
   *
   * @param call The call whose stream carries the question, without which it goes to the conversation as a whole; and the wish that
   *   the answer comes as a task, where the client hosts such; and what takes an answer that comes when nobody waits any more.
   * @param signal Gives the question up; the end of the call does too.
   * @throws McpError what the client answered, what it lacks, or why no answer came.
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
  /** Sends a notification that belongs to no request; nothing is sent before the client is ready for it. */
  notify(method: string, params: Readonly<Record<string, unknown>>): void;
  /** Hears that the session ended; set by what lets its messages pass middleware. It must not throw. */
  onEnd?: () => void;
  /** Time at which it was opened here, in milliseconds as `performance.now()` has it. */
  readonly openedAt: number;
  /** Takes note of what the client changed, so that its other processes know. */
  changed?(change: SessionChange): void;
  /** State that the host keeps for this conversation, gone with it. */
  readonly state: Map<symbol, unknown>;
}
