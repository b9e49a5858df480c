import { isRequestId, type NotificationMessage, type RequestId, type RequestMessage } from '../../jsonrpc/message.ts';
import { isExtensionFlag, supports, type ClientCapabilities, type ClientFlag } from '../../protocol/capability.ts';
import { declaresExtension } from '../../protocol/extension.ts';
import type { Implementation, JsonObject } from '../../protocol/features/common.ts';
import { isWanted, type LoggingLevel } from '../../protocol/features/logging.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import type { Revision, RevisionDate } from '../../protocol/revision.ts';
import { toWire } from '../../protocol/compile/to-wire.ts';
import type { ClientRequester } from '../../connection/client-request.ts';
import type { AuthInfo, ReplyChannel } from './request-handler.ts';
import type { ServerSession } from './server-core.ts';
import { tell } from '../../connection/observe.ts';
import type { Reports } from './reports.ts';
import { ReportedMessages, saidWords } from './reported-messages.ts';

/** Description that the client gives of itself; it is not verified. */
export interface ClientView {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
}

/** Facts of its conversation that a running request needs. */
export interface CallFacts {
  readonly revision: Revision;
  readonly client: ClientView;
  readonly link: ReplyChannel;
  /** The least severe level to send now, or `undefined` for none. */
  logLevel(): LoggingLevel | undefined;
  /** The handshake conversation, or `undefined` for a stateless request. */
  readonly session: ServerSession | undefined;
}

/** The client of a request, as a handler sees it. */
export interface CallClient extends ClientView {
  /** Tells whether the client declared a capability, such as `'sampling.tools'` or an extension's identifier. */
  supports(flag: ClientFlag): boolean;
}

/**
 * The part of a call that handlers use, for one request or for work that outlives it. Tools, prompts and resources
 * depend on this type alone.
 */
export type CallFace = Pick<
  Call,
  | 'auth'
  | 'requestId'
  | 'method'
  | 'facts'
  | 'revision'
  | 'meta'
  | 'client'
  | 'network'
  | 'address'
  | 'session'
  | 'requester'
  | 'signal'
  | 'aborted'
  | 'inputResponses'
  | 'requestState'
  | 'lackedScopes'
  | 'unanswered'
  | 'progress'
  | 'log'
  | 'closeStream'
>;

/** One request being served: what its handler may know, and what it may send beside its result. */
export class Call {
  /** Sender of the request, as the edge established it for this request. */
  readonly auth: AuthInfo | undefined;
  readonly #facts: CallFacts;
  readonly #message: RequestMessage;
  #requester: ClientRequester | undefined;
  #makeRequester: (() => ClientRequester) | undefined;
  #controller: AbortController | undefined;
  #onEnd: (() => void) | undefined;
  #onLeave: (() => void) | undefined;
  /** True after the request was asked to end. */
  #isLeft = false;
  #ended: 'finished' | 'aborted' | undefined;
  /** The reason that the client gave when it cancelled. */
  #why: unknown;
  #progress = Number.NEGATIVE_INFINITY;
  /** The name of the state from which the request continues; `undefined` for a new request. */
  continues: string | undefined;
  /** The client's answers to a handler that manages its rounds itself, by key. */
  inputResponses: Readonly<Record<string, unknown>> | undefined;
  /** The state that such a handler stored in the previous round. */
  requestState: unknown;
  /** The prefix of the ids of its side effects, the same in each of its runs. The first side effect sets it. */
  seed: string | undefined;
  #reports: Reports | ReportedMessages | undefined;
  #held = false;
  /** The scopes that the request needs, if it failed because its sender lacks one. */
  lackedScopes: readonly string[] | undefined;
  /** The number of open questions and effects of the handler. */
  unanswered = 0;
  /** Sends what belongs to this request through middleware. Set if the request itself passed middleware. */
  passes: ((call: Call, method: string, params: JsonObject) => void) | undefined;

  /** @param auth The sender of the request, if a link carries requests of several senders. */
  constructor(facts: CallFacts, message: RequestMessage, auth: AuthInfo | undefined = facts.link.auth) {
    this.auth = auth;
    this.#facts = facts;
    this.#message = message;
  }

  /** The JSON-RPC id of the request. */
  get requestId(): RequestId {
    return this.#message.id;
  }

  get method(): string {
    return this.#message.method;
  }

  /** The facts of the revision in use. */
  get facts(): Revision {
    return this.#facts.revision;
  }

  /** The revision in use, by its date. */
  get revision(): RevisionDate {
    return this.#facts.revision.date;
  }

  /** The request's `_meta`, untouched. */
  get meta(): Readonly<Record<string, unknown>> {
    // `classify` made sure that params is an object; `_meta` was checked by `fromWire`.
    return (this.#message.params?.['_meta'] as Readonly<Record<string, unknown>> | undefined) ?? {};
  }

  get client(): CallClient {
    const { info, capabilities } = this.#facts.client;
    return {
      info,
      capabilities,
      supports: (flag) =>
        isExtensionFlag(flag) ? declaresExtension(this.facts, capabilities, flag) : supports(capabilities, flag),
    };
  }

  /** The transport of the request, as the link names it. */
  get network(): string | undefined {
    return this.#facts.link.network;
  }

  /** The address of the client, if the edge knows it. */
  get address(): string | undefined {
    return this.#facts.link.address;
  }

  /** The session of the request, or `undefined` if the revision is stateless. */
  get session(): ServerSession | undefined {
    return this.#facts.session;
  }

  /** Sends requests to the client. The revision decides which requests are possible, and how. */
  get requester(): ClientRequester {
    this.#requester ??= this.#makeRequester?.();
    if (this.#requester === undefined)
      throw new TypeError(`${this.method} cannot ask the client; tools, prompts and reads of resources can`);
    return this.#requester;
  }

  /** Sets the factory of the asker. Most requests never need one. */
  askBy(make: () => ClientRequester): void {
    this.#makeRequester = make;
  }

  /** Aborted when the client cancels the request or disconnects. Created on first use. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#ended === 'aborted') this.#controller.abort(abortReason(this.#why));
    return this.#controller.signal;
  }

  /** The level from which `log` sends, or `undefined` if the client wants no log messages. */
  get logLevel(): LoggingLevel | undefined {
    return this.#facts.logLevel();
  }

  /**
   * Reports progress; nothing is sent unless the client asked for it, and never a value that does not increase.
   * (Spec, Progress: the value MUST increase with each notification.)
   */
  progress(done: number, total?: number, message?: string): void {
    for (const value of [done, total ?? 0]) {
      if (typeof value !== 'number') throw new TypeError(`progress takes numbers, not ${JSON.stringify(value)}`);
    }
    const progressToken = this.meta['progressToken'];
    // JSON has no infinity. An invalid progress token requests nothing.
    if (!isRequestId(progressToken) || !this.#speaks || !Number.isFinite(done) || done <= this.#progress) return;
    this.#progress = done;
    this.send('notifications/progress', {
      progressToken,
      progress: done,
      ...(Number.isFinite(total) ? { total } : {}),
      ...(message === undefined ? {} : { message }),
    });
  }

  /** Sends a log message when the client's level admits it. */
  log(level: LoggingLevel, data: unknown, logger?: string): void {
    if (!this.#speaks || !this.admits(level)) return;
    // In a session the handler runs once, so no message is a repetition.
    if (this.session === undefined && !this.#isNew([level, data, logger])) return;
    this.send('notifications/message', { level, data: data ?? null, ...(logger === undefined ? {} : { logger }) });
  }

  #isNew(message: readonly unknown[]): boolean {
    return (this.#reports ??= new ReportedMessages()).isNew(saidWords(message));
  }

  /** The highest progress that was sent, or `undefined` for none. */
  get lastProgress(): number | undefined {
    return Number.isFinite(this.#progress) ? this.#progress : undefined;
  }

  /**
   * Distinguishes messages that earlier runs of the same conversation sent from new ones.
   *
   * @param make Makes the record of earlier messages, from the messages of this run so far.
   * @param progress The highest progress that earlier runs sent.
   */
  remember<T extends Reports>(make: (said: ReportedMessages | undefined) => T, progress: number | undefined): T {
    const reports = make(this.#reports instanceof ReportedMessages ? this.#reports : undefined);
    this.#reports = reports;
    this.#progress = progress ?? this.#progress;
    return reports;
  }

  /** Holds back messages until they are released. The messages of a handler that was ended are dropped. */
  hold(held: boolean): void {
    this.#held = held;
  }

  get #speaks(): boolean {
    return this.#ended === undefined && !this.#held;
  }

  /** Tells whether the client wants log messages of a level. */
  admits(level: LoggingLevel): boolean {
    return isWanted(level, this.#facts.logLevel());
  }

  /** Sends a notification on the stream of this request; once the request ended, nothing is sent. */
  send(method: string, params: Readonly<Record<string, unknown>>): void {
    if (this.#ended !== undefined) return;
    if (this.passes === undefined) this.write(method, params);
    else this.passes(this, method, params);
  }

  /** Sends a notification without middleware. */
  write(method: string, params: Readonly<Record<string, unknown>>): void {
    if (this.#ended === undefined)
      this.#facts.link.send(notification(this.#facts.revision, method, params), this.requestId);
  }

  /** The link over which the request came. */
  get link(): ReplyChannel {
    return this.#facts.link;
  }

  /** Closes the connection that waits for this request, if the link can do so. The client reconnects for the rest. */
  closeStream(retryMs?: number): void {
    if (this.#ended === undefined) this.#facts.link.disconnect?.(this.requestId, retryMs);
  }

  /** Tells whether the request was cancelled or its client disconnected. */
  get aborted(): boolean {
    return this.#ended === 'aborted';
  }

  /** Tells whether the result was sent, or no client waits for it any more. */
  get over(): boolean {
    return this.#ended !== undefined;
  }

  /** Ends the call: its result is about to be sent. */
  finish(): void {
    this.#ended ??= 'finished';
  }

  /**
   * Ends the call early: nothing more is sent for it.
   *
   * @param reason The reason that the client gave, if it gave one.
   */
  abort(reason?: unknown): void {
    if (this.#ended !== undefined) return;
    this.#ended = 'aborted';
    this.#why = reason;
    this.#controller?.abort(abortReason(reason));
    this.#onEnd?.();
    this.#onLeave?.();
  }

  /** Asks a long-lived request to end with a result. Other requests end by themselves. */
  leave(): void {
    this.#isLeft = true;
    this.#onLeave?.();
  }

  /**
   * Registers one listener, which runs when the request should end or was aborted. If that happened already, it runs at
   * once.
   */
  onLeave(run: () => void): void {
    this.#onLeave = run;
    if (this.aborted || this.#isLeft) run();
  }

  /** Runs a function on abort, without the cost of a signal. If the request was aborted already, it runs at once. */
  onAbort(run: () => void): void {
    if (this.aborted) return run();
    const before = this.#onEnd;
    this.#onEnd =
      before === undefined
        ? run
        : () => {
            before();
            run();
          };
  }
}

/** Builds a notification in the form of a revision and passes it to the observer. */
export function notification(
  revision: Revision,
  method: string,
  params: Readonly<Record<string, unknown>>,
): NotificationMessage {
  const type = methodOf(method)?.params;
  // The row's type is the type of these parameters: both come from the same method name.
  const wire = type === undefined ? params : toWire(revision, type, params as never);
  const message: NotificationMessage =
    Object.keys(wire).length === 0 ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params: wire };
  tell({ from: 'server', revision, message });
  return message;
}

/** @param cause The reason that the peer gave, if it gave one. Not every runtime accepts it as an option. */
function abortReason(cause: unknown): DOMException {
  return Object.assign(new DOMException('the request was cancelled', 'AbortError'), { cause });
}
