import type { LongStream } from '../exchanges/long-stream.ts';
import type { Message, RequestId, RequestMessage, ResponseMessage } from '../../../../jsonrpc/message.ts';
import { ownerOf } from '../../../../auth/common/owner.ts';
import type { AuthInfo, ClientConnection, ReplyChannel } from '../../../../server/runtime/request-handler.ts';
import type {
  ParsedMessage,
  MalformedMessage,
  ParsedNotification,
  ParsedRequest,
  ParsedResponse,
} from '../../../../server/runtime/parsed-message.ts';
import { changesSession, type SessionChange, type SessionRecord } from '../../../../server/runtime/session-record.ts';
import { errorToWire } from '../../../../protocol/error.ts';
import type { Revision } from '../../../../protocol/revision.ts';
import { HttpAnswer, messageJson, responseJson } from '../exchanges/answer.ts';
import type { EventStore } from '../../../../storage/events.ts';
import type { CallEnd, HttpCall } from '../exchanges/call.ts';
import type { HttpContext } from '../exchanges/context.ts';
import { isReport } from '../exchanges/message-weight.ts';
import { ReportRoom } from './report-room.ts';
import {
  busy,
  errorOf,
  lastResponse,
  refuse,
  retryHeaders,
  sessionStatus,
  type LastReason,
} from '../exchanges/status.ts';
import type { EventStream } from '../exchanges/stream.ts';
import type { Elsewhere } from './elsewhere.ts';
import type { LongStreams, Resumption } from './stream.ts';
import { isRequest } from './rules.ts';
import { RunningAnswers } from './running-answers.ts';
import { SessionStreams } from './streams.ts';

/** Limit of messages that wait for a client that has no stream open. */
const undeliveredLimit = 64;

/** Result of a change that could not be sent to the other processes. */
const unkept = Symbol('not kept');
const noStream = busy('the client cannot be asked: too many event streams are open');
const notKept = busy('the session cannot be stored now; try again later');
const none: readonly ParsedRequest[] = [];
const idOf = ({ message }: ParsedRequest): RequestId => message.id;

/** Parts that the sessions of one HTTP server share. */
export interface SessionContext extends HttpContext {
  readonly events: EventStore | 'none';
  /** Forgets a session, and ends it. */
  dismiss(session: HttpSession): void;
  /** Called when a session became busy or idle. */
  changed(session: HttpSession): void;
}

/** Origin of a session: opened here, or by another process. */
export interface SessionOrigin {
  readonly id: string;
  /** Its other processes, if there are any. */
  readonly elsewhere?: Elsewhere | undefined;
  /** Facts of it, where another one opened it. */
  readonly record?: SessionRecord | undefined;
}

/**
 * One session: a conversation over many requests. A message of a running request goes on the stream of its POST, any
 * other on the stream of the GET. Each is sent on exactly one.
 */
export class HttpSession implements ReplyChannel {
  readonly network = 'tcp';
  readonly protocol = 'http';
  readonly lasting = true;
  readonly id: string;
  readonly auth: AuthInfo | undefined;
  readonly address: string | undefined;
  readonly owner: string | undefined;
  readonly #context: SessionContext;
  readonly #conversation: ClientConnection;
  readonly #answers: RunningAnswers;
  readonly #undelivered: string[] = [];
  #streams: LongStreams | undefined;
  /** The stream for messages that belong to no request. */
  #standalone: LongStream | undefined;
  /** The connection that it was opened on. */
  #listener: EventStream | undefined;
  readonly #elsewhere: Elsewhere | undefined;
  /** Requests being answered, and connections that only listen. */
  #calls = 0;
  #ended = false;
  /** Reason why what runs has no answer, should it end now. */
  #why: LastReason = 'ended';
  #lastUsed: number;

  constructor(
    context: SessionContext,
    { id, elsewhere, record }: SessionOrigin,
    { auth, request }: Pick<HttpCall, 'auth' | 'request'>,
  ) {
    this.id = id;
    this.auth = auth;
    this.address = request.remoteAddress;
    this.owner = ownerOf(auth?.principal, this.address);
    this.#context = context;
    this.#answers = new RunningAnswers(context, (running) => this.#last(running));
    this.#elsewhere = elsewhere;
    this.#lastUsed = context.settings.now();
    const { endpoint } = context;
    this.#conversation =
      record === undefined || endpoint.resume === undefined
        ? endpoint.openConnection(this)
        : endpoint.resume(this, record);
  }

  /** The revision that was settled; `undefined` until `initialize` succeeded. */
  get revision(): Revision | undefined {
    return this.#conversation.revision;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Tells whether there is a running request or an open stream. */
  get isBusy(): boolean {
    return this.#calls > 0;
  }

  get idsBegin(): string | undefined {
    return this.#elsewhere?.idsBegin;
  }

  /** The data that another process needs to continue it. */
  get record(): SessionRecord | undefined {
    return this.#conversation.record;
  }

  changed(change: SessionChange): void {
    this.#elsewhere?.changed(change);
  }

  /** Applies changes from other processes. */
  restore(record: SessionRecord): void {
    this.#conversation.restore?.(record);
  }

  /** Tells the client that everything may have changed. */
  missed(): void {
    this.#conversation.missed?.();
  }

  /** Takes an answer or a notification that came to another process. */
  take(judged: ParsedNotification | ParsedResponse): void {
    // Neither has an answer, and it does not reject.
    void this.#conversation.take(judged);
  }

  /** Tells whether nothing was asked of the session for too long, and nothing is going on. */
  get expired(): boolean {
    const { now, sessionIdleTimeoutMs } = this.#context.settings;
    return !this.isBusy && now() - this.#lastUsed > sessionIdleTimeoutMs;
  }

  send(message: Message, related?: RequestId): void {
    const json = this.#ended ? undefined : messageJson(this.#context, message);
    if (json === undefined) return;
    const answer = related === undefined ? undefined : this.#answers.get(related);
    if (answer?.message(json) === true) return;
    // Its client has the final response. On another stream this message would overtake earlier ones.
    if (answer?.isTaken === true && !('id' in message)) return;
    if (this.#elsewhere?.deliver(json, message) === true) return;
    if (answer?.lacksStream === true && !this.listening && 'method' in message && 'id' in message)
      return this.#rejectQuestion(message);
    this.deliver(json);
  }

  /** Answers a question in place of the client. It would wait for a stream, which the client cannot open either. */
  #rejectQuestion({ id }: RequestMessage): void {
    const error = errorToWire(this.revision, errorOf(noStream));
    // The question is registered once it was sent.
    void Promise.resolve().then(() => this.#conversation.receive({ jsonrpc: '2.0', id, error }));
  }

  /** Sends what belongs to no request; without a stream for that it waits. */
  deliver(json: string): void {
    if (this.#standalone?.connected === true) return this.#standalone.send(json);
    this.#undelivered.push(json);
    if (this.#undelivered.length <= undeliveredLimit) return;
    // Log messages and progress go first, so that a question does not get lost.
    this.#undelivered.splice(Math.max(0, this.#undelivered.findIndex(isReport)), 1);
    this.#context.settings.onError(new Error('a message to a client was dropped: too many wait for its stream'));
  }

  dismiss(): void {
    this.#context.dismiss(this);
  }

  disconnect(related: RequestId, retryMs: number = this.#context.settings.retryMs): void {
    if (this.#resumable.resumption === 'polling') this.#answers.get(related)?.disconnect(retryMs);
  }

  /** Runs the `initialize` request; whether it succeeded shows in `revision`. */
  async initialize(judged: ParsedRequest): Promise<ResponseMessage | undefined> {
    return this.#conversation.take(judged);
  }

  /** Answers a POST of one message. */
  post(call: HttpCall, judged: Exclude<ParsedMessage, MalformedMessage>): CallEnd {
    if (judged.kind === 'request') return this.#request(call, judged);
    // A message for another process does not need the session's replica here.
    const isPassed = this.#elsewhere?.pass(judged, (id) => this.#answers.get(id) !== undefined) === true;
    if (isPassed) return call.reply.send(202);
    return this.#during(this.#kept(judged, this.#conversation.take(judged, call.auth)), (response) => {
      if (response === unkept) refuse(call.request, call.reply, notKept);
      else if (response === undefined) call.reply.send(202);
      else call.reply.send(sessionStatus(response), responseJson(this.#context, response), retryHeaders(response));
    });
  }

  /** Answers a POST of a batch. */
  async batch(call: HttpCall, messages: readonly ParsedMessage[]): Promise<void> {
    const requests = messages.filter(isRequest);
    const answer = this.#answer(call, this.#elsewhere === undefined ? none : requests);
    const { batch, over } = this.#answers.ofBatch(answer, requests.length);
    const one = async (judged: ParsedMessage): Promise<void> => {
      const response = await this.#receive(answer, judged, call.auth);
      if (response !== undefined) batch.add(response);
    };
    const all = this.#kept(undefined, Promise.all(messages.map(one)));
    await this.#during(all, () => undefined).finally(over);
    if (!batch.complete()) call.reply.send(202);
    await this.#elsewhere?.flushed();
  }

  /** The error for text that could not be parsed. */
  unreadable(reason: string): string {
    return responseJson(this.#context, this.#conversation.unreadable(reason));
  }

  /** Tells whether the client has a stream open for messages that belong to no request. */
  get listening(): boolean {
    return this.#standalone?.connected === true;
  }

  /** Makes the reply of a GET the stream for messages that belong to no request, and sends what waited for it. */
  listen(call: HttpCall): void {
    if (this.#standalone?.ended !== false) this.#standalone = this.#resumable.begin();
    this.#listener = this.#connect(call);
    this.#standalone.open(this.#listener);
    this.#flush();
    this.#elsewhere?.listening();
  }

  /** Finds the messages that a client missed; `undefined` if that is not possible. */
  resume(lastEventId: string): Promise<Resumption | undefined> {
    return this.#resumable.resume(lastEventId);
  }

  /** Makes the reply of a GET the connection of a broken stream: first the missed messages, then new ones. */
  takeUp(call: HttpCall, resumption: Resumption, lastEventId: string): void {
    const isMoved = resumption.isMoved === true && resumption.stream?.ended === false;
    if (isMoved) this.#standalone = resumption.stream;
    const connection = this.#connect(call);
    if (resumption.stream !== undefined && resumption.stream === this.#standalone) this.#listener = connection;
    // Some clients know no more where they were, when this connection breaks before the next event.
    if (this.#resumable.resumption === 'polling') connection.write(`id: ${lastEventId}\ndata:\n\n`);
    resumption.connect(connection);
    if (isMoved) this.#elsewhere?.listening();
    if (resumption.stream !== undefined && resumption.stream === this.#standalone) this.#flush();
  }

  /** Tells whether streams that broke can be resumed. */
  get resumes(): boolean {
    return this.#resumable.resumption !== 'none';
  }

  /** Asks the reader of the GET stream to come back later: another process continues the stream. */
  sendAway(retryMs: number): void {
    if (this.listening) this.#listener?.pause(retryMs);
  }

  /** Releases the GET stream: another process may have it now. */
  letGo(): void {
    const stream = this.#standalone;
    this.#standalone = undefined;
    stream?.leave();
  }

  /** Takes what waits for a stream that is open elsewhere. */
  undelivered(): readonly string[] {
    return this.#undelivered.splice(0);
  }

  /**
   * Reports to waiting clients that the outcome of running requests is unknown: the session ends, perhaps with its
   * process.
   *
   * @param why The reason: its process ends, or only the session does.
   */
  stop(why: LastReason = 'stopped'): void {
    this.#why = why;
    this.#answers.stop(this.#elsewhere !== undefined && this.resumes);
  }

  /** Ends the session: running requests are aborted, and its streams end. Call it once. */
  end(): void {
    this.#ended = true;
    this.letGo();
    // As long as it is known what runs.
    this.#streams?.end((id) => this.#last(id));
    this.#conversation.close();
  }

  /** The streams behave as the negotiated revision requires. */
  get #resumable(): LongStreams {
    if (this.#streams !== undefined) return this.#streams;
    const { settings, events } = this.#context;
    const resumption = this.revision?.resumption ?? 'none';
    if (this.#elsewhere !== undefined && resumption !== 'none' && events !== 'none')
      return (this.#streams = this.#elsewhere.streams(resumption));
    const log = resumption === 'none' || events === 'none' ? undefined : events.open(this.owner);
    const polling = log !== undefined && resumption === 'polling';
    return (this.#streams = new SessionStreams({ settings, log, polling, reports: new ReportRoom(settings.now) }));
  }

  #connect(call: HttpCall): EventStream {
    const connection = this.#context.streams.open(call.reply, { client: call });
    call.leave();
    this.#began();
    const forget = this.#context.endpoint.protection?.afterExpiry(call.auth, () => connection.end());
    call.reply.onClose(() => {
      forget?.();
      connection.closed();
      this.#left();
    });
    return connection;
  }

  /** Sends what waited for a listener. */
  #flush(): void {
    for (const json of this.#undelivered.splice(0)) this.#standalone?.send(json);
  }

  #request(call: HttpCall, judged: ParsedRequest): CallEnd {
    const answer = this.#answer(call, this.#elsewhere === undefined ? none : [judged]);
    const id = this.#answers.expect(judged.message.id, answer);
    const work = this.#conversation.take(judged, call.auth);
    const forget = (): unknown => id !== undefined && this.#answers.forget(id);
    return this.#during(this.#kept(judged, work).finally(forget), (response) => {
      if (response === unkept) {
        const error = errorToWire(this.revision, errorOf(notKept));
        answer.respond(503, { jsonrpc: '2.0', id: judged.message.id, error });
      } else answer.respond(response === undefined ? 200 : sessionStatus(response), response);
      return this.#elsewhere?.flushed();
    });
  }

  /** Spec 2025-11-25, Transports: a client that disconnects has not cancelled its request. */
  #answer(call: HttpCall, requests: readonly ParsedRequest[]): HttpAnswer {
    // Requests that have not begun when the stream does may have run when it is read later.
    const maker = this.#resumable.answering(requests.map(idOf));
    const answer = new HttpAnswer(this.#context, call, maker);
    call.reply.onClose(() => answer.closed());
    return answer;
  }

  async #receive(
    answer: HttpAnswer,
    judged: ParsedMessage,
    auth: AuthInfo | undefined,
  ): Promise<ResponseMessage | undefined> {
    const id = judged.kind === 'request' ? this.#answers.expect(judged.message.id, answer) : undefined;
    let last: ResponseMessage | undefined;
    const forget = (): void => {
      if (id !== undefined) last = this.#answers.forget(id);
    };
    const response = await this.#conversation.take(judged, auth).finally(forget);
    return response ?? last;
  }

  /** The response to a request that is still running when the session ends. */
  #last(id: RequestId): ResponseMessage {
    return lastResponse({ id, waits: this.#conversation.waits?.(id) === true, why: this.#why }, this.revision);
  }

  /**
   * Waits until every process has the change, before it is answered. A failure is reported to the client that made the
   * change.
   */
  #kept<T>(judged: ParsedMessage | undefined, work: Promise<T>): Promise<T | typeof unkept> {
    const elsewhere = this.#elsewhere;
    if (elsewhere === undefined) return work;
    const { failures } = elsewhere;
    return work.then(async (value) => {
      await elsewhere.saved();
      return changesSession(judged) && elsewhere.failures > failures ? unkept : value;
    });
  }

  /** Counts running work until it is over, and then continues with its outcome. */
  #during<T>(work: Promise<T>, proceed: (value: T) => unknown): Promise<void> {
    this.#began();
    return work.then(
      (value) => {
        this.#left();
        // If that takes time, the request is not over before.
        return proceed(value) as undefined;
      },
      (cause: unknown) => {
        this.#left();
        throw cause;
      },
    );
  }

  #began(): void {
    if (this.#calls++ === 0) this.#context.changed(this);
  }

  #left(): void {
    this.#lastUsed = this.#context.settings.now();
    if (--this.#calls === 0) this.#context.changed(this);
  }
}
