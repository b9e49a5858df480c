/** Server that judges its client: it takes what a client says, has rules look at it, and answers by the catalogue. */

import { isResponse } from '../bench/exchange.ts';
import { parseJson } from '../../json/parse.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { after } from '../../jsonrpc/timeout.ts';
import type { Implementation, JsonObject } from '../../protocol/features/common.ts';
import { metaKey } from '../../protocol/meta.ts';
import { chooseRevision, newestOf, revisionOf, type Revision } from '../../protocol/revision.ts';
import { answerTo, type Given } from './catalogue/answers.ts';
import type { HeardHead } from './client-rule.ts';
import { ClientWatching } from './client-watching.ts';
import { noteProgress } from './rules/asked.ts';
import { clientRules } from './rules/rules.ts';
import { roundOf } from './rules/rounds.ts';
import { idText, isAsking, metaOf, paramsOf, Talk, type LongCall, type Put, type TalkOver } from './talk.ts';

/** Limits of one run. */
const most = { talks: 200, messages: 10_000 };

/** Time that a client may take to answer a question, in milliseconds. */
const answerMs = 60_000;

/** Way in which messages reach a client beside the answer to its request. */
export interface Line {
  /** Sends a message. @returns False where it cannot be. */
  send(message: JsonObject): boolean;
  /** Sends several in one batch. @returns False where they cannot be; left out where there are no batches. */
  sendBatch?(messages: readonly JsonObject[]): boolean;
  /** Begins to answer, where that can be seen before there is an answer. */
  open?(): void;
  /** Resolves when the connection of this piece is over; left out where there is none of its own. */
  readonly over?: Promise<void>;
}

/** Something that came in one piece: a line, or a body. */
export interface ClientPiece {
  readonly text: string;
  readonly http?: HeardHead;
  /** The revisions that are spoken where it came to. */
  readonly served: readonly Revision[];
  readonly line: Line;
}

/** Answer to a piece: messages, and that the session is gone. */
export interface ServedPiece {
  readonly talk: Talk;
  readonly messages: readonly JsonObject[];
  readonly isLost: boolean;
}

/** Options of a run. */
export interface JudgedClientOptions {
  readonly over: 'http' | 'stdio';
  readonly info: Implementation;
  /** Ids or areas that alone are judged. */
  isChosen(id: string): boolean;
  /** Looks at what is said in several conversations; its own by default. */
  readonly watching?: ClientWatching;
  /** Tools that only say that they were called, in the place of the catalogue. */
  readonly tools?: readonly string[];
  /** Hears that something was done. */
  progress(): void;
}

/** One client, judged. */
export class JudgedClient {
  readonly watching: ClientWatching;
  readonly #options: JudgedClientOptions;
  readonly #talks: Talk[] = [];
  readonly #listed = new Set<string>();
  readonly #waiting = new Map<string, (response: JsonObject) => void>();
  /** Ends of requests that run. */
  readonly #running = new Set<() => void>();
  #stateless: Talk | undefined;
  #remote: string | undefined;
  #count = 0;
  #lost = 0;
  #begun = 0;
  /** Number of messages that came. */
  messages = 0;
  /** Number of times that the address was fetched. */
  fetches = 0;
  /** Error of our own, the first; `undefined` for none. */
  failure: { readonly error: unknown } | undefined;

  constructor(options: JudgedClientOptions) {
    this.#options = options;
    this.watching = options.watching ?? new ClientWatching(clientRules.filter(({ id }) => options.isChosen(id)));
  }

  /** True where more was said than is judged. */
  get isTooMuch(): boolean {
    return this.messages > most.messages;
  }

  get talks(): readonly Talk[] {
    return this.#talks;
  }

  /** The conversation of a session. */
  ofSession(id: string | undefined): Talk | undefined {
    return id === undefined ? undefined : this.#talks.findLast(({ session }) => session === id);
  }

  /** Begins a conversation of which more is known than its messages say. */
  opened(over: TalkOver): Talk {
    return this.#begin(new Talk(over));
  }

  /** Takes the address that nobody should fetch. */
  serveRemote(remote: string): void {
    this.#remote = remote;
  }

  /** Looks at a request of HTTP without a message. */
  head(http: HeardHead): Talk | undefined {
    const talk =
      this.ofSession(http.headers['mcp-session-id']) ??
      this.#talks.findLast(({ revision }) => revision?.sessions === true);
    if (talk?.revision !== undefined)
      this.watching.heard({ message: {}, batch: 0, talk, revision: talk.revision, http }, '');
    return talk;
  }

  /**
   * Judges and answers what came. @param talk The conversation, over stdio; found by its session over HTTP.
   *
   * @throws What fails here, which is no fault of the client: it is kept as the failure of the run.
   */
  async take(piece: ClientPiece, own?: Talk): Promise<ServedPiece> {
    try {
      return await this.#took(piece, own);
    } catch (error) {
      this.failure ??= { error };
      throw error;
    }
  }

  async #took(piece: ClientPiece, own: Talk | undefined): Promise<ServedPiece> {
    const { text, http } = piece;
    let value: unknown;
    try {
      value = parseJson(text);
    } catch {
      const talk = own ?? this.#talkOf({}, piece);
      const revision = talk.revision ?? piece.served[0];
      if (revision !== undefined)
        this.watching.heard({ message: {}, malformed: text, batch: 0, talk, revision, ...(http && { http }) }, text);
      return { talk, messages: [refused(null, -32_700, 'this is no JSON')], isLost: false };
    }
    const parts = (Array.isArray(value) ? value.slice(0, 100) : [value]).map((part: unknown) =>
      isObject(part) ? part : {},
    );
    const foreign = own === undefined ? refusedProbe(parts[0] ?? {}, piece.served) : undefined;
    if (foreign !== undefined) return { talk: new Talk(this.#options.over), messages: [foreign], isLost: false };
    const talk = own ?? this.#talkOf(parts[0] ?? {}, piece);
    const answers = await Promise.all(
      parts.map((message) => this.#one(message, Array.isArray(value) ? parts : [], talk, piece)),
    );
    const given = answers.filter((answer) => answer !== undefined);
    const messages = given.flatMap((answer) => (answer === 'lost' ? [] : [answer]));
    return { talk, messages, isLost: talk.isLost };
  }

  /** Judges what should have come. @param isGone True when the client ended by itself. */
  end(isGone: boolean): void {
    for (const talk of this.#talks) this.watching.over(talk, { fetches: this.fetches, listed: this.#listed, isGone });
    for (const answer of this.#waiting.values()) answer({});
    for (const stop of this.#running) stop();
  }

  async #one(
    message: JsonObject,
    parts: readonly JsonObject[],
    talk: Talk,
    piece: ClientPiece,
  ): Promise<JsonObject | 'lost' | undefined> {
    const { http, served, text, line } = piece;
    this.messages++;
    if (this.isTooMuch) return refused(message['id'], -32_603, 'this client said too much to be judged');
    const revision = talk.revision ?? revisionFor(message, served);
    const put = isResponse(message) ? talk.put.get(idText(message['id'])) : undefined;
    const batch = parts.length;
    this.watching.heard({ message, batch, parts, talk, revision, put, ...(http && { http }) }, text);
    if (isResponse(message)) return this.#answered(message, talk);
    if (!isAsking(message)) return this.#told(message, talk);
    if (talk.isLost) return 'lost';
    talk.asked(message);
    this.#did(message, talk, revision);
    const given = await answerTo(message, {
      talk,
      revision,
      info: this.#options.info,
      served,
      remote: this.#remote,
      tools: this.#options.tools,
      listed: (tool) => void (this.#listed.size < 1_000 && this.#listed.add(tool)),
      put: (question) => this.#put(question, talk, line),
      putBatch: (questions) => this.#putBatch(questions, talk, line),
      tell: (told, params) => void line.send({ jsonrpc: '2.0', method: told, params }),
      lasts: (ms) => this.#lasts(ms, message['id'], talk, line),
    });
    return this.#given(message, given, talk, revision);
  }

  #given(message: JsonObject, given: Given, talk: Talk, revision: Revision): JsonObject | 'lost' | undefined {
    const { id, method } = message;
    const tool = method === 'tools/call' ? String(paramsOf(message)['name']) : undefined;
    if (given === 'given-up') {
      talk.answered(id, 'no answer, since it was given up');
      talk.done.add(`gave up ${tool}`);
      this.#options.progress();
      return undefined;
    }
    if (given === 'lost') {
      talk.isLost = true;
      this.#lost++;
      talk.answered(id, 'HTTP 404');
      return 'lost';
    }
    if (method === 'initialize') {
      talk.revision = revision;
      talk.stage = 'answered';
      const { capabilities } = paramsOf(message);
      talk.capabilities = isObject(capabilities) ? capabilities : {};
    }
    const response = { jsonrpc: '2.0', id, ...given };
    talk.answered(id, JSON.stringify(response));
    // What becomes a task, or wants input first, is not done by that.
    const isWhole = 'result' in given && given.result['content'] !== undefined;
    if (tool !== undefined && isWhole && talk.done.size < 1_000) talk.done.add(`answered ${tool}`);
    this.#options.progress();
    return response;
  }

  #answered(message: JsonObject, talk: Talk): undefined {
    const key = idText(message['id']);
    noteProgress(message, talk, key);
    talk.put.delete(key);
    this.#waiting.get(key)?.(message);
    this.#waiting.delete(key);
  }

  #told(message: JsonObject, talk: Talk): undefined {
    const { method } = message;
    noteProgress(message, talk, '');
    if (method === 'notifications/initialized' && talk.stage === 'answered') talk.stage = 'ready';
    if (method === 'notifications/cancelled') {
      const key = idText(paramsOf(message)['requestId']);
      const call = talk.longCalls.find(({ id }) => idText(id) === key);
      if (call !== undefined) call.isCancelled = true;
      // Over HTTP the stateless revision has the stream closed for that.
      if (talk.over === 'stdio' || talk.revision?.sessions === true) call?.giveUp();
    }
    this.#options.progress();
  }

  #did(message: JsonObject, talk: Talk, { clientDescribed }: Revision): void {
    const { name, cursor } = paramsOf(message);
    const method = String(message['method']);
    if (talk.done.size < 1_000) talk.done.add(method);
    if (method === 'tools/call' && talk.done.size < 1_000) talk.done.add(`call ${String(name)}`);
    if (typeof cursor === 'string' && talk.cursors.has(cursor)) talk.usedCursors.add(cursor);
    if (clientDescribed === 'once') return;
    const declared = metaOf(message)[metaKey.clientCapabilities];
    talk.capabilities = isObject(declared) ? declared : {};
    const round = roundOf({ message, talk });
    if (round !== undefined) talk.rounds.splice(talk.rounds.indexOf(round), 1);
  }

  /** Lets a request run. @returns False where it was given up before its time was over. */
  async #lasts(ms: number, id: unknown, talk: Talk, line: Line): Promise<boolean> {
    const call: LongCall = { id, isCancelled: false, isClosed: false, laterAsks: 0, giveUp: () => undefined };
    talk.longCalls.push(call);
    if (talk.longCalls.length > 100) talk.longCalls.shift();
    let isOver = false;
    line.open?.();
    const request = talk.open.get(idText(id));
    const progressToken = request === undefined ? undefined : metaOf(request)['progressToken'];
    if (progressToken !== undefined)
      line.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } });
    return await new Promise((resolve) => {
      const settle = (isThere: boolean): void => {
        isOver = true;
        cancel();
        this.#running.delete(stop);
        resolve(isThere);
      };
      const stop = (): void => settle(false);
      const cancel = after(ms, () => settle(true));
      this.#running.add(stop);
      call.giveUp = stop;
      void line.over?.then(() => {
        if (isOver) return;
        call.isClosed = true;
        stop();
      });
    });
  }

  async #put(question: Put, talk: Talk, line: Line): Promise<JsonObject> {
    const [message, answer] = this.#question(question, talk);
    if (!line.send(message)) return {};
    talk.said = JSON.stringify(message);
    return await answer();
  }

  async #putBatch(questions: readonly Put[], talk: Talk, line: Line): Promise<void> {
    const asked = questions.map((question) => this.#question(question, talk));
    const messages = asked.map(([message]) => message);
    if (line.sendBatch?.(messages) !== true) return;
    talk.said = JSON.stringify(messages);
    await Promise.all(asked.map(([, answer]) => answer()));
  }

  /** A question with an id, and a wait for its answer. */
  #question(question: Put, talk: Talk): readonly [message: JsonObject, answer: () => Promise<JsonObject>] {
    const id = `check-${++this.#count}`;
    const key = idText(id);
    const { method, params } = question;
    talk.put.set(key, question);
    const answer = (): Promise<JsonObject> =>
      new Promise((resolve) => {
        const cancel = after(answerMs, () => resolve({}));
        this.#waiting.set(key, (response) => {
          cancel();
          resolve(response);
        });
      });
    return [{ jsonrpc: '2.0', id, method, params }, answer];
  }

  /** The conversation that a message belongs to: its session, all that is stateless, or a new one. */
  #talkOf(message: JsonObject, { http, served }: ClientPiece): Talk {
    const newest = newestOf(served, 'stateless');
    if (isStateless(message) && newest !== undefined)
      return (this.#stateless ??= this.#begin(new Talk(this.#options.over, newest)));
    const known = this.ofSession(http?.headers['mcp-session-id']);
    if (known !== undefined && message['method'] !== 'initialize') return known;
    // What is no request does not say itself of which revision it is.
    if (!isAsking(message) && this.#stateless !== undefined && isBeside(message, this.#stateless, http))
      return this.#stateless;
    // What comes without its session belongs to the last that there was.
    const last = this.#talks.findLast(({ revision }) => revision?.sessions === true);
    const isOpening = message['method'] === 'initialize';
    if (!isOpening && last !== undefined) return last;
    if (!isAsking(message) && this.#stateless !== undefined) return this.#stateless;
    const talk = new Talk(this.#options.over);
    talk.isAfterLoss = this.#lost > 0;
    // A server that begins anew may be another, which has none.
    talk.offersTasks = !talk.isAfterLoss;
    if (this.#lost > 0 && message['method'] === 'initialize') this.#lost--;
    return this.#begin(talk);
  }

  #begin(talk: Talk): Talk {
    talk.number = ++this.#begun;
    this.#talks.push(talk);
    if (this.#talks.length > most.talks) this.#talks.shift();
    return talk;
  }
}

/** Tells whether a message is of a revision without sessions, or looks for one. */
function isStateless(message: JsonObject): boolean {
  const claimed = revisionOf(metaOf(message)[metaKey.protocolVersion]);
  return claimed?.sessions === false || message['method'] === 'server/discover';
}

/** Tells whether a notification, or an answer, belongs to what is stateless: by its header, or by the request that it cancels. */
function isBeside(message: JsonObject, { ids }: Talk, http: HeardHead | undefined): boolean {
  const { requestId } = paramsOf(message);
  if (http !== undefined) return revisionOf(http.headers['mcp-protocol-version'])?.sessions === false;
  return message['method'] === 'notifications/cancelled' && ids.has(idText(requestId));
}

/**
 * The answer of a server of handshake revisions alone to who looks for another; `undefined` where one is served. A client is right to
 * look, and tries `initialize` next: what it said is of no revision that is judged here.
 */
function refusedProbe(message: JsonObject, served: readonly Revision[]): JsonObject | undefined {
  if (!isAsking(message) || !isStateless(message) || newestOf(served, 'stateless') !== undefined) return undefined;
  return refused(message['id'], -32_601, `there is no method ${JSON.stringify(message['method'])} here`);
}

/** The revision of a message before one is settled. */
function revisionFor(message: JsonObject, served: readonly Revision[]): Revision {
  const handshakes = served.filter(({ sessions }) => sessions);
  const asked = message['method'] === 'initialize' ? paramsOf(message)['protocolVersion'] : undefined;
  const chosen = handshakes.length > 0 ? chooseRevision(handshakes, asked) : undefined;
  const found = chosen ?? served.at(-1);
  if (found === undefined) throw new TypeError('a revision must be served');
  return found;
}

function refused(id: unknown, code: number, message: string): JsonObject {
  return { jsonrpc: '2.0', id: id ?? null, error: { code, message } };
}
