import { noteTime } from '../../../jsonrpc/timeout.ts';
import { projectServerCapabilities } from '../../../protocol/compile/capabilities.ts';
import type { ServerCapabilities } from '../../../protocol/capability.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import type { LoggingLevel } from '../../../protocol/features/logging.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { isPromised } from '../../../connection/gate.ts';
import { notification, type CallFacts, type ClientView } from '../call.ts';
import type { AuthInfo, ReplyChannel } from '../request-handler.ts';
import type { ServerCore, ServerSession } from '../server-core.ts';
import { guarded } from '../masking.ts';
import { throughHostMiddleware } from '../middleware/late-passing.ts';
import type { SessionWay } from '../input/live-requester.ts';
import type { QuestionOrigin } from '../input/question.ts';
import type { KnownSession, SessionRecord } from '../session-record.ts';

/** Outcome of `initialize`: the chosen revision, and the client's description. */
export interface SessionOpening {
  readonly revision: Revision;
  readonly client: ClientView;
}

/** The parts of a conversation that its session needs. */
export interface SessionParts {
  readonly host: ServerCore;
  readonly link: ReplyChannel;
  /** Tells whether no request of the client runs. */
  isIdle(): boolean;
  /** Sends a request to the client, within a call or outside. */
  ask(
    method: string,
    params: JsonObject,
    origin: QuestionOrigin,
    client: Pick<SessionWay, 'client' | 'task' | 'late'>,
  ): Promise<JsonObject>;
}

/** Facts of a session for its calls: the outcome of `initialize`, the state of its lifecycle, and its log level. */
export class SessionFacts implements CallFacts {
  readonly revision: Revision;
  readonly client: ClientView;
  readonly link: ReplyChannel;
  readonly session: ServerSession;
  /** The server's capabilities as `initialize` returned them. Later changes do not affect them. */
  readonly #offered: ServerCapabilities;
  readonly #host: ServerCore;
  #auth: AuthInfo | undefined;
  #isReady = false;
  #level: LoggingLevel = 'info';

  /** @param known The stored facts of the session, if another process opened it. */
  constructor({ revision, client }: SessionOpening, parts: SessionParts, known?: KnownSession) {
    this.revision = revision;
    this.client = client;
    this.link = parts.link;
    this.#host = parts.host;
    this.#auth = parts.link.auth;
    this.#offered = known?.offered ?? projectServerCapabilities(revision, parts.host.capabilities(parts.link));
    this.session = this.#sessionOver(parts);
    if (known !== undefined) this.restore(known);
  }

  /** All that another process needs. Only the edge knows the resource subscriptions and adds them. */
  get record(): SessionRecord {
    const { revision, client } = this;
    const [offered, isReady, level] = [this.#offered, this.#isReady, this.#level];
    return { revision: revision.date, client, offered, isReady, level, watched: [] };
  }

  /** Applies changes from other processes. */
  restore({ isReady, level }: KnownSession): void {
    this.#isReady = isReady;
    this.#level = level;
  }

  /** Tells whether the client sent `notifications/initialized`. Before that, no request may be sent. */
  get isReady(): boolean {
    return this.#isReady;
  }

  logLevel(): LoggingLevel | undefined {
    return isPromised('notifications/message', this.#offered, this.#host.relays) ? this.#level : undefined;
  }

  /** Sets the level that the client requested, instead of `info`. */
  setLevel(level: LoggingLevel): void {
    if (level !== this.#level) this.link.changed?.({ kind: 'level', level });
    this.#level = level;
  }

  /** Records the sender of a request. */
  heard(auth: AuthInfo | undefined): void {
    this.#auth = auth;
  }

  /** Records `notifications/initialized`. */
  initialized(): void {
    if (!this.#isReady) this.link.changed?.({ kind: 'ready' });
    this.#isReady = true;
  }

  /** Ends the session. No more messages arrive or are sent. */
  end(): void {
    this.#isReady = false;
    this.session.onEnd?.();
  }

  #sessionOver({ host, link, isIdle, ask }: SessionParts): ServerSession {
    const { revision, client } = this;
    const auth = (): AuthInfo | undefined => this.#auth;
    const openedAt = noteTime();
    return {
      id: link.id,
      passing: link.passing === true,
      revision,
      client,
      principal: link.auth?.principal,
      get auth() {
        return auth();
      },
      address: link.address,
      get openedAt() {
        return openedAt();
      },
      get dismiss() {
        return link.dismiss === undefined || !isIdle() ? undefined : () => link.dismiss?.();
      },
      changed: (change) => link.changed?.(change),
      state: new Map(),
      ask: async (method, params, signal, call) => {
        const given = call?.signal === undefined ? signal : AbortSignal.any([signal, call.signal]);
        const origin = { facts: revision, signal: given, requestId: call?.requestId, session: this.session };
        return await ask(method, params, origin, { client, task: call?.task, late: call?.late });
      },
      notify: (method, params) => {
        const { chain } = host;
        if (!this.isReady || !isPromised(method, this.#offered, host.relays)) return;
        if (chain?.used !== true) return link.send(notification(revision, method, params));
        const write = (given: JsonObject): void => {
          if (this.isReady) link.send(notification(revision, method, given));
        };
        guarded(host, method, () =>
          throughHostMiddleware((late) => late.toldThrough(this.session, method, { chain, host, link, params, write })),
        );
      },
    };
  }
}
