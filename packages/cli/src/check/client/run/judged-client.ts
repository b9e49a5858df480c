/** Server that judges its client: it takes what a client says, has rules look at it, and answers by the catalogue. */

import { parseJson } from '../../../../../parley/src/json/parse.ts';
import { isObject, isResponse } from '../../../../../parley/src/jsonrpc/message.ts';
import { after, monotonicNow } from '../../../../../parley/src/jsonrpc/timeout.ts';
import type { Implementation, JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { metaKey } from '../../../../../parley/src/protocol/meta.ts';
import { newestOf, type Revision } from '../../../../../parley/src/protocol/revision.ts';
import { answerTo, type GivenAnswer } from '../catalogue/answers.ts';
import type { HeardHead, OpenedPage } from '../client-rule.ts';
import { ClientWatching } from '../client-watching.ts';
import { droppedTimes, droppedTool, eventIdOf, type DroppedCall } from '../dropped.ts';
import { noteProgress } from '../rules/asked.ts';
import { noteRoots } from '../rules/roots.ts';
import { knownMs } from '../rules/headers.ts';
import { clientRules } from '../rules/rules.ts';
import { roundOf } from '../rules/rounds.ts';
import type { ClientPiece, SideChannel, ServedPiece } from '../piece.ts';
import { isBeside, isStateless, jsonRpcRefusal, refusedProbe, revisionOfMessage } from '../placing.ts';
import { PutQuestions } from '../put-questions.ts';
import type { ServedProcess } from '../served-process.ts';
import { RunningCalls } from '../running-calls.ts';
import {
  idText,
  isAsking,
  likeId,
  metaOf,
  paramsOf,
  ClientSession,
  saidText,
  type ClientSessionOver,
} from '../client-session.ts';

/** Limits of one run. */
const most = { talks: 200, messages: 10_000 };

/** Options of a run. */
export interface JudgedClientOptions {
  readonly over: 'http' | 'stdio';
  readonly info: Implementation;
  /** Selects ids or areas. */
  isChosen(id: string): boolean;
  /** Checks messages across several conversations; by default only its own. */
  readonly watching?: ClientWatching;
  /** Tools that only record their call, in place of the catalogue. */
  readonly tools?: readonly string[];
  /** Hears that something was done. */
  progress(): void;
}

/** One client, judged. */
export class JudgedClient {
  readonly watching: ClientWatching;
  readonly #options: JudgedClientOptions;
  readonly #talks: ClientSession[] = [];
  readonly #listed = new Set<string>();
  readonly #questions = new PutQuestions();
  readonly #running = new RunningCalls();
  /** Conversations of stateless clients, by the serving process if there are several. */
  readonly #stateless = new Map<ServedProcess | undefined, ClientSession>();
  #remote: string | undefined;
  #lost = 0;
  #begun = 0;
  /** Number of messages that came. */
  messages = 0;
  /** Number of times that the address was fetched. */
  fetches = 0;
  /** Number of times that the address of an icon was fetched. */
  icons = 0;
  /** Pages that were opened. */
  readonly pages: OpenedPage[] = [];
  /** Tokens of apps that reached what they had not declared. */
  readonly apps: Set<string> = new Set();
  /** Error of our own, the first; `undefined` for none. */
  failure: { readonly error: unknown } | undefined;

  constructor(options: JudgedClientOptions) {
    this.#options = options;
    this.watching = options.watching ?? new ClientWatching(clientRules, (id) => options.isChosen(id));
  }

  /** True if there were more messages than the check reads. */
  get isTooMuch(): boolean {
    return this.messages > most.messages;
  }

  get talks(): readonly ClientSession[] {
    return this.#talks;
  }

  /** The conversation of a session. */
  ofSession(id: string | undefined): ClientSession | undefined {
    return id === undefined ? undefined : this.#talks.findLast(({ session }) => session === id);
  }

  /** Begins a conversation of which more is known than its messages say. */
  opened(over: ClientSessionOver): ClientSession {
    return this.#begin(new ClientSession(over));
  }

  /** Sets the address that a client should not fetch. */
  serveRemote(remote: string): void {
    this.#remote = remote;
  }

  /** Looks at a request of HTTP without a message. */
  head(http: HeardHead): ClientSession | undefined {
    const session = http.headers['mcp-session-id'];
    const clientSession =
      session === undefined
        ? this.#talks.findLast(({ revision, isForeign }) => revision?.sessions === true && !isForeign)
        : this.ofSession(session);
    if (clientSession?.revision !== undefined)
      this.watching.heard({ message: {}, batch: 0, clientSession, revision: clientSession.revision, http }, '');
    return clientSession;
  }

  /**
   * Judges and answers what came. @param talk The conversation, over stdio; found by its session over HTTP.
   *
   * @throws What fails here, which is no fault of the client: it is kept as the failure of the run.
   */
  async take(piece: ClientPiece, own?: ClientSession): Promise<ServedPiece> {
    try {
      return await this.#took(piece, own);
    } catch (error) {
      this.failure ??= { error };
      throw error;
    }
  }

  async #took(piece: ClientPiece, own: ClientSession | undefined): Promise<ServedPiece> {
    const { text, http } = piece;
    let value: unknown;
    try {
      value = parseJson(text);
    } catch {
      const clientSession = own ?? this.#talkOf({}, piece);
      const revision = clientSession.revision ?? piece.served[0];
      if (revision !== undefined)
        this.watching.heard(
          { message: {}, malformed: text, batch: 0, clientSession, revision, ...(http && { http }) },
          text,
        );
      return { clientSession, messages: [jsonRpcRefusal(null, -32_700, 'this is not JSON')], isLost: false };
    }
    const parts = (Array.isArray(value) ? value.slice(0, 100) : [value]).map((part: unknown) =>
      isObject(part) ? part : {},
    );
    const foreign = own === undefined ? refusedProbe(parts[0] ?? {}, piece.served) : undefined;
    if (foreign !== undefined)
      return { clientSession: new ClientSession(this.#options.over), messages: [foreign], isLost: false };
    if (own === undefined && this.#isOfUnknown(parts[0] ?? {}, piece))
      return { clientSession: new ClientSession(this.#options.over), messages: [], isLost: true };
    const clientSession = own ?? this.#talkOf(parts[0] ?? {}, piece);
    const answers = await Promise.all(
      parts.map((message) => this.#one(message, Array.isArray(value) ? parts : [], clientSession, piece)),
    );
    const given = answers.filter((answer) => answer !== undefined);
    const messages = given.flatMap((answer) => (answer === 'lost' ? [] : [answer]));
    return { clientSession, messages, isLost: clientSession.isLost };
  }

  /** Judges what should have come. @param isGone True when the client ended by itself. @param isStarted True when who judges has started it. */
  end(isGone: boolean, isStarted = false): void {
    const { fetches, icons, pages, apps } = this;
    const seen = { fetches, icons, pages, apps, listed: this.#listed, isGone, isStarted };
    for (const clientSession of this.#talks) this.watching.over(clientSession, seen);
    this.#questions.end();
    this.#running.end();
  }

  async #one(
    message: JsonObject,
    parts: readonly JsonObject[],
    clientSession: ClientSession,
    piece: ClientPiece,
  ): Promise<JsonObject | 'lost' | undefined> {
    const { http, served, text, lines, line } = piece;
    this.messages++;
    if (this.isTooMuch)
      return isAsking(message)
        ? jsonRpcRefusal(message['id'], -32_603, 'this client said too much to be judged')
        : undefined;
    const revision = clientSession.revision ?? revisionOfMessage(message, served);
    const put = isResponse(message) ? clientSession.put.get(idText(message['id'])) : undefined;
    const batch = parts.length;
    this.watching.heard({ message, lines, batch, parts, clientSession, revision, put, ...(http && { http }) }, text);
    if (isResponse(message)) return this.#answered(message, clientSession);
    if (!isAsking(message)) return this.#told(message, clientSession);
    if (clientSession.isLost) return await this.#lostAgain(clientSession);
    clientSession.asked(message);
    this.#did(message, clientSession, revision);
    const given = await answerTo(message, {
      clientSession,
      revision,
      info: this.#options.info,
      served,
      http,
      remote: this.#remote,
      tools: this.#options.tools,
      listed: (tool) => void (this.#listed.size < 1_000 && this.#listed.add(tool)),
      put: (question) => this.#questions.put(question, clientSession, line),
      putAndCancel: (question) => this.#questions.putAndCancel(question, clientSession, line),
      slow: () => this.#questions.slow(clientSession),
      putBatch: (questions) => this.#questions.putBatch(questions, clientSession, line),
      breakOff: line.breakOff === undefined ? undefined : (call) => this.#breakOff(call, clientSession, line),
      tell: (told, params) => void line.send({ jsonrpc: '2.0', method: told, params }),
      endStream: line.breakOff === undefined ? undefined : () => line.breakOff?.({}),
      lasts: (ms, until) => this.#running.last({ id: message['id'], clientSession, line, ms, until }),
    });
    return this.#given(message, given, clientSession, revision);
  }

  /** Answer in a lost session. It is slow, so that later messages come from a client that knows of the loss. */
  async #lostAgain({ lostAt }: ClientSession): Promise<'lost'> {
    await new Promise<void>((resolve) => after(lostAt + knownMs + 50 - monotonicNow(), resolve));
    return 'lost';
  }

  #given(
    message: JsonObject,
    given: GivenAnswer,
    clientSession: ClientSession,
    revision: Revision,
  ): JsonObject | 'lost' | undefined {
    const { id, method } = message;
    const tool = method === 'tools/call' ? saidText(paramsOf(message)['name']) : undefined;
    if (given === 'given-up') {
      clientSession.answered(id, 'no answer, since it was given up');
      if (tool !== undefined) clientSession.done.add(`gave up ${tool}`);
      this.#options.progress();
      return undefined;
    }
    if (given === 'dropped') return undefined;
    if (given === 'lost') {
      clientSession.isLost = true;
      clientSession.lostAt = monotonicNow();
      this.#lost++;
      clientSession.answered(id, 'HTTP 404');
      return 'lost';
    }
    if (method === 'initialize') {
      clientSession.revision = revision;
      clientSession.stage = 'answered';
      const { capabilities } = paramsOf(message);
      clientSession.capabilities = isObject(capabilities) ? capabilities : {};
    }
    const response = { jsonrpc: '2.0', id, ...given };
    clientSession.answered(id, JSON.stringify(response));
    // What becomes a task, or wants input first, is not done by that.
    const isWhole = 'result' in given && given.result['content'] !== undefined;
    if (tool !== undefined && isWhole && clientSession.done.size < 1_000) clientSession.done.add(`answered ${tool}`);
    this.#options.progress();
    return response;
  }

  /** Breaks off the stream of a call. If the revision supports resumption, the rest is kept for the client. */
  #breakOff(call: DroppedCall, clientSession: ClientSession, line: Pick<SideChannel, 'breakOff'>): void {
    const { revision } = clientSession;
    // A request whose stream broke is lost in the revisions that resume none. (Spec 2026-07-28, Changelog.)
    if (!call.isResumable) clientSession.open.delete(idText(call.callId));
    const isPolled = revision?.resumption === 'polling';
    // Only the newest of them have an event without a message.
    const [message] = this.#questions.made({ method: 'ping', params: {}, probe: 'before-break' }, clientSession);
    line.breakOff?.({
      ...(call.isResumable && { id: this.#eventId(call, clientSession) }),
      ...(call.isResumable && !isPolled && { message }),
      ...(isPolled && { retryMs: droppedTimes.retry }),
    });
    call.broke();
    this.#options.progress();
  }

  #eventId(call: DroppedCall, clientSession: ClientSession): string {
    const id = eventIdOf(clientSession.number, clientSession.dropped.indexOf(call), call.events.length);
    call.events.push(id);
    return id;
  }

  /** Continues a broken stream for a client that resumes it. @returns False if the event id is unknown. */
  resumes(clientSession: ClientSession, eventId: string | undefined, line: SideChannel): boolean {
    const call =
      eventId === undefined ? undefined : clientSession.dropped.find(({ events }) => events.includes(eventId));
    if (call === undefined) return false;
    if (call.cameBack()) this.#breakOff(call, clientSession, line);
    else {
      const response = {
        jsonrpc: '2.0',
        id: call.callId,
        result: { content: [{ type: 'text', text: `${droppedTool} was answered` }] },
      };
      line.breakOff?.({ id: this.#eventId(call, clientSession), message: response });
      call.isOver = true;
      clientSession.answered(call.callId, JSON.stringify(response));
      clientSession.done.add(`answered ${droppedTool}`);
      this.#options.progress();
    }
    return true;
  }

  #answered(message: JsonObject, clientSession: ClientSession): undefined {
    const own = idText(message['id']);
    // An answer of a wrong type is a separate fault, and counts as an answer.
    const key = clientSession.put.has(own) ? own : (likeId(message['id'], clientSession) ?? own);
    noteProgress(message, clientSession, key);
    noteRoots(message, clientSession, key);
    clientSession.answeredQuestion(key);
    this.#questions.answered(message, key);
  }

  #told(message: JsonObject, clientSession: ClientSession): undefined {
    const { method } = message;
    noteProgress(message, clientSession, '');
    noteRoots(message, clientSession, '');
    if (method === 'notifications/initialized' && clientSession.stage === 'answered') clientSession.stage = 'ready';
    if (method === 'notifications/cancelled') {
      const key = idText(paramsOf(message)['requestId']);
      const call = clientSession.longCalls.find(({ id }) => idText(id) === key);
      if (call !== undefined) call.isCancelled = true;
      for (const dropped of clientSession.dropped) if (idText(dropped.callId) === key) dropped.isOver = true;
      // Over HTTP the stateless revision has the stream closed for that.
      if (clientSession.over === 'stdio' || clientSession.revision?.sessions === true) call?.giveUp();
    }
    this.#options.progress();
  }

  #did(message: JsonObject, clientSession: ClientSession, { clientDescribed }: Revision): void {
    const { name, cursor } = paramsOf(message);
    const method = saidText(message['method']);
    if (clientSession.done.size < 1_000) clientSession.done.add(method);
    if (method === 'tools/call' && clientSession.done.size < 1_000) clientSession.done.add(`call ${saidText(name)}`);
    if (typeof cursor === 'string' && clientSession.cursors.has(cursor)) clientSession.usedCursors.add(cursor);
    if (clientDescribed === 'once') return;
    const declared = metaOf(message)[metaKey.clientCapabilities];
    clientSession.capabilities = isObject(declared) ? declared : {};
    const round = roundOf({ message, clientSession });
    if (round !== undefined) clientSession.rounds.splice(clientSession.rounds.indexOf(round), 1);
  }

  /** Tells whether a message names a session that there is not: one of another run says nothing of those of this one. */
  #isOfUnknown(message: JsonObject, { http }: ClientPiece): boolean {
    const session = http?.headers['mcp-session-id'];
    if (session === undefined || this.ofSession(session) !== undefined) return false;
    if (message['method'] === 'initialize' || isStateless(message)) return false;
    const stateless = this.#stateless.get(undefined);
    return isAsking(message) || stateless === undefined || !isBeside(message, stateless, http);
  }

  /** The conversation that a message belongs to: its session, all that is stateless, or a new one. */
  #talkOf(message: JsonObject, { http, served, process }: ClientPiece): ClientSession {
    const newest = newestOf(served, 'stateless');
    const stateless = this.#stateless.get(process);
    if (isStateless(message) && newest !== undefined) return stateless ?? this.#beginStateless(newest, process);
    const known = this.ofSession(http?.headers['mcp-session-id']);
    if (known !== undefined && message['method'] !== 'initialize') return known;
    // A message that is not a request does not name its revision.
    if (!isAsking(message) && stateless !== undefined && isBeside(message, stateless, http)) return stateless;
    // A message without a session belongs to the last session.
    const last = this.#talks.findLast(
      (clientSession) =>
        clientSession.revision?.sessions === true && !clientSession.isForeign && clientSession.process === process,
    );
    const isOpening = message['method'] === 'initialize';
    if (!isOpening && last !== undefined) return last;
    if (!isAsking(message) && stateless !== undefined) return stateless;
    const clientSession = new ClientSession(this.#options.over);
    clientSession.process = process;
    clientSession.isAfterLoss = this.#lost > 0;
    // A server that starts again may be a different one, without tasks.
    clientSession.offersTasks = !clientSession.isAfterLoss;
    if (this.#lost > 0 && message['method'] === 'initialize') this.#lost--;
    return this.#begin(clientSession);
  }

  #beginStateless(newest: Revision, process: ServedProcess | undefined): ClientSession {
    const clientSession = this.#begin(new ClientSession(this.#options.over, newest));
    clientSession.process = process;
    this.#stateless.set(process, clientSession);
    // If a client starts process after process, the oldest is dropped.
    const [oldest] = this.#stateless.keys();
    if (this.#stateless.size > most.talks) this.#stateless.delete(oldest);
    return clientSession;
  }

  #begin(clientSession: ClientSession): ClientSession {
    clientSession.number = ++this.#begun;
    this.#talks.push(clientSession);
    if (this.#talks.length > most.talks) this.#talks.shift();
    return clientSession;
  }
}
