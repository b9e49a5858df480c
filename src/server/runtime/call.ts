import { isRequestId, type NotificationMessage, type RequestId, type RequestMessage } from '../../jsonrpc/message.ts';
import { isExtensionFlag, supports, type ClientCapabilities, type ClientFlag } from '../../protocol/capability.ts';
import { declaresExtension } from '../../protocol/extension.ts';
import type { Implementation, JsonObject } from '../../protocol/features/common.ts';
import { isWanted, type LoggingLevel } from '../../protocol/features/logging.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import type { Revision, RevisionDate } from '../../protocol/revision.ts';
import { toWire } from '../../protocol/compile/to-wire.ts';
import type { Asker } from '../../connection/ask.ts';
import type { AuthInfo, Link } from './endpoint.ts';
import type { ServerSession } from './host.ts';
import { tell } from '../../connection/observe.ts';
import type { Reports } from './input/reports.ts';
import { Said, saidWords } from './said.ts';

/** Description that the client gives of itself; it is not verified. */
export interface ClientView {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
}

/** Facts of its conversation that a running request needs. */
export interface CallFacts {
  readonly revision: Revision;
  readonly client: ClientView;
  readonly link: Link;
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
 * Part of a call that handlers see and speak by, be it of one request or of work that outlives it; whoever serves tools, prompts
 * and resources knows no more of a call.
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
  | 'asker'
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
  #asker: Asker | undefined;
  #makeAsker: (() => Asker) | undefined;
  #controller: AbortController | undefined;
  #onEnd: (() => void) | undefined;
  #onLeave: (() => void) | undefined;
  /** True when it was asked to come to its end. */
  #isLeft = false;
  #ended: 'finished' | 'aborted' | undefined;
  /** Reason that its client gave when it cancelled. */
  #why: unknown;
  #progress = Number.NEGATIVE_INFINITY;
  /** The name of the state that the request goes on from; `undefined` for one that begins. */
  continues: string | undefined;
  /** Answers of the client to a handler that drives the rounds by hand, by key. */
  inputResponses: Readonly<Record<string, unknown>> | undefined;
  /** State that such a handler kept in the round before. */
  requestState: unknown;
  /** Beginning of the ids of its side effects, the same in each of its runs; set by whoever has some first. */
  seed: string | undefined;
  #reports: Reports | Said | undefined;
  #held = false;
  /** The scopes that it needs, where it failed because its sender lacks one. */
  lackedScopes: readonly string[] | undefined;
  /** Number of questions and effects of its handler that are open. */
  unanswered = 0;
  /** Lets what is sent for it pass middleware; set for a request that passed some itself. */
  passes: ((call: Call, method: string, params: JsonObject) => void) | undefined;

  /** @param auth Who the request comes from, where a link carries requests that differ in it. */
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

  /** Carrier of the request, as the link says. */
  get network(): string | undefined {
    return this.#facts.link.network;
  }

  /** The address of the client, where the edge knows it. */
  get address(): string | undefined {
    return this.#facts.link.address;
  }

  /** The handshake conversation of the request, or `undefined` where the revision is stateless. */
  get session(): ServerSession | undefined {
    return this.#facts.session;
  }

  /** Asks the client; what may be asked, and how, is the business of the revision. */
  get asker(): Asker {
    this.#asker ??= this.#makeAsker?.();
    if (this.#asker === undefined)
      throw new TypeError(`${this.method} cannot ask the client; tools, prompts and reads of resources can`);
    return this.#asker;
  }

  /** Says how to make the asker, which most requests never need. */
  askBy(make: () => Asker): void {
    this.#makeAsker = make;
  }

  /** Aborted when the client cancels the request or goes away; made when first asked for. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#ended === 'aborted') this.#controller.abort(abortReason(this.#why));
    return this.#controller.signal;
  }

  /** The level from which `log` sends, or `undefined` when the client wants nothing. */
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
    // JSON has no infinity; a token that is no token asks for nothing.
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
    // In a session the handler runs once, and says nothing twice.
    if (this.session === undefined && !this.#isNew([level, data, logger])) return;
    this.send('notifications/message', { level, data: data ?? null, ...(logger === undefined ? {} : { logger }) });
  }

  #isNew(message: readonly unknown[]): boolean {
    return (this.#reports ??= new Said()).isNew(saidWords(message));
  }

  /** The highest progress that was sent, or `undefined` for none. */
  get lastProgress(): number | undefined {
    return Number.isFinite(this.#progress) ? this.#progress : undefined;
  }

  /**
   * Tells what earlier runs of the same conversation sent from what is new.
   *
   * @param make Makes what does, of what this run said before.
   * @param progress The highest that earlier runs sent.
   */
  remember<T extends Reports>(make: (said: Said | undefined) => T, progress: number | undefined): T {
    const reports = make(this.#reports instanceof Said ? this.#reports : undefined);
    this.#reports = reports;
    this.#progress = progress ?? this.#progress;
    return reports;
  }

  /** Keeps what is reported from being sent until it is released: what a handler says that was ended counts for nothing. */
  hold(held: boolean): void {
    this.#held = held;
  }

  get #speaks(): boolean {
    return this.#ended === undefined && !this.#held;
  }

  /** Tells whether the client wants to hear messages of a level. */
  admits(level: LoggingLevel): boolean {
    return isWanted(level, this.#facts.logLevel());
  }

  /** Sends a notification on the stream of this request; once the request ended, nothing is sent. */
  send(method: string, params: Readonly<Record<string, unknown>>): void {
    if (this.#ended !== undefined) return;
    if (this.passes === undefined) this.write(method, params);
    else this.passes(this, method, params);
  }

  /** Does so past all middleware. */
  write(method: string, params: Readonly<Record<string, unknown>>): void {
    if (this.#ended === undefined)
      this.#facts.link.send(notification(this.#facts.revision, method, params), this.requestId);
  }

  /** The link that it came over. */
  get link(): Link {
    return this.#facts.link;
  }

  /** Breaks the connection that waits for this request, where the link can; the client comes back for the rest. */
  closeStream(retryMs?: number): void {
    if (this.#ended === undefined) this.#facts.link.disconnect?.(this.requestId, retryMs);
  }

  /** Tells whether the request was cancelled or its client is gone. */
  get aborted(): boolean {
    return this.#ended === 'aborted';
  }

  /** Tells whether its result was sent, or nobody waits for it any more. */
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
   * @param reason What its client said of it, if it did.
   */
  abort(reason?: unknown): void {
    if (this.#ended !== undefined) return;
    this.#ended = 'aborted';
    this.#why = reason;
    this.#controller?.abort(abortReason(reason));
    this.#onEnd?.();
    this.#onLeave?.();
  }

  /** Asks a request that lasts to come to its end with a result; what does not last ends by itself. */
  leave(): void {
    this.#isLeft = true;
    this.#onLeave?.();
  }

  /** Hears that the request should come to its end, or was aborted; at once, where it was already. One listener. */
  onLeave(run: () => void): void {
    this.#onLeave = run;
    if (this.aborted || this.#isLeft) run();
  }

  /** Hears of an abort without the price of a signal; at once, where it was aborted already. */
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

/** Builds a notification in the words of a revision and tells the observer of it. */
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

/** @param cause The reason that the peer gave, if it gave one; not every runtime takes it as an option. */
function abortReason(cause: unknown): DOMException {
  return Object.assign(new DOMException('the request was cancelled', 'AbortError'), { cause });
}
