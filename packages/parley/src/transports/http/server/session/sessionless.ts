import type { Message, RequestId, ResponseMessage } from '../../../../jsonrpc/message.ts';
import type { ClientConnection, ReplyChannel } from '../../../../server/runtime/request-handler.ts';
import type { ParsedMessage, MalformedMessage, ParsedRequest } from '../../../../server/runtime/parsed-message.ts';
import { revisionOf, type Revision } from '../../../../protocol/revision.ts';
import { HttpAnswer, messageJson, responseJson } from '../exchanges/answer.ts';
import type { CallEnd, HttpCall } from '../exchanges/call.ts';
import type { HttpContext } from '../exchanges/context.ts';
import { lastResponse, refuse, sessionStatus, type HttpProblem } from '../exchanges/status.ts';
import { toleratedBatchProblem, versionProblem } from './rules.ts';
import { tolerated } from '../exchanges/tolerated.ts';
import { lacksScopes } from './scopes.ts';

/** Session-based clients without stored sessions: any process answers any request. */
export class Sessionless {
  readonly #context: HttpContext;
  /** Functions that end running answers. */
  readonly #running = new Set<() => void>();

  constructor(context: HttpContext) {
    this.#context = context;
  }

  /** Answers a POST of one message. */
  post(call: HttpCall, judged: Exclude<ParsedMessage, MalformedMessage>): CallEnd {
    if (judged.kind === 'request' && judged.message.method === 'initialize') return this.#initialize(call, judged);
    const revision = this.#revision(call, judged.kind === 'request' ? judged.message.id : undefined);
    if (revision === undefined) return;
    if (judged.kind === 'request') return this.#request(call, judged, revision);
    // Its request would be in an unknown process. An answer belongs to no question.
    call.reply.send(202);
  }

  /** Begins what no session keeps. Some clients still send the headers of a session that is over. */
  #initialize(call: HttpCall, judged: ParsedRequest): CallEnd {
    const { settings, inSessions } = this.#context;
    const revision = this.#unnamed;
    if (call.request.header('mcp-session-id') !== undefined)
      tolerated(settings, 'initialize with the Mcp-Session-Id of a session that is over');
    if (call.version !== undefined && !inSessions.some(({ date }) => date === call.version))
      tolerated(settings, 'initialize with an MCP-Protocol-Version header that is not supported');
    if (revision !== undefined) return this.#request(call, judged, revision);
  }

  /** Answers a POST of a batch. */
  async batch(call: HttpCall, messages: readonly ParsedMessage[]): Promise<void> {
    const revision = this.#revision(call);
    if (revision === undefined) return;
    const problem = toleratedBatchProblem(revision, messages, this.#context.settings);
    if (problem !== undefined) return refuse(call.request, call.reply, problem);
    if (await lacksScopes(this.#context.endpoint, messages, call)) return;
    const asked = messages.filter(({ kind }) => kind === 'request' || kind === 'malformed');
    if (asked.length === 0) return call.reply.send(202);
    const answer = this.#answer(call);
    const conversation = this.#goOn(this.#link(call, answer), revision);
    const responses = new Map<ParsedMessage, ResponseMessage | undefined>();
    const complete = (): void => {
      const all = asked.map((judged) => responses.get(judged));
      const texts = all.flatMap((one) => (one === undefined ? [] : [responseJson(this.#context, one)]));
      if (answer.gone) return;
      if (answer.streaming) for (const text of texts) answer.message(text);
      answer.finish(200, answer.streaming || texts.length === 0 ? undefined : `[${texts.join(',')}]`);
    };
    const stop = (): void => {
      for (const judged of asked)
        if (judged.kind === 'request' && !responses.has(judged))
          responses.set(judged, last(conversation, judged, revision));
      complete();
    };
    await this.#during(conversation, stop, async () => {
      const one = async (judged: ParsedMessage): Promise<void> => {
        responses.set(judged, await conversation.take(judged, call.auth));
      };
      await Promise.all(asked.map(one));
      complete();
    });
  }

  /** Ends running answers: the clients learn that the outcome is unknown. */
  close(): void {
    for (const stop of this.#running) stop();
  }

  /** Answers text that could not be parsed. */
  unreadable(call: HttpCall, problem: HttpProblem): CallEnd {
    refuse(call.request, call.reply, problem);
  }

  async #request(call: HttpCall, judged: ParsedRequest, revision: Revision): Promise<void> {
    const answer = this.#answer(call);
    const link = this.#link(call, answer);
    const opens = judged.message.method === 'initialize';
    const conversation = opens ? this.#context.endpoint.openConnection(link) : this.#goOn(link, revision);
    const respond = (response: ResponseMessage | undefined): void =>
      answer.respond(response === undefined ? 200 : sessionStatus(response), response);
    const stop = (): void => respond(last(conversation, judged, revision));
    await this.#during(conversation, stop, async () => respond(await conversation.take(judged, call.auth)));
  }

  /** Does something in a conversation, which then ends. */
  async #during(conversation: ClientConnection, stop: () => void, work: () => Promise<void>): Promise<void> {
    const stopped = (): void => {
      stop();
      conversation.close();
    };
    this.#running.add(stopped);
    try {
      await work();
    } finally {
      this.#running.delete(stopped);
      conversation.close();
    }
  }

  /** The revision of a request; `undefined` if it was rejected. */
  #revision(call: HttpCall, id?: RequestId): Revision | undefined {
    const revision = call.version === undefined ? this.#unnamed : revisionOf(call.version);
    const problem = this.#problem(call, revision);
    if (problem === undefined) return revision;
    refuse(call.request, call.reply, problem, id);
    return undefined;
  }

  #problem(call: HttpCall, revision: Revision | undefined): HttpProblem | undefined {
    // Spec 2025-11-25, Transports, Session Management: the client begins again, and then gets no id.
    if (call.request.header('mcp-session-id') !== undefined)
      return { status: 404, message: 'the session does not exist' };
    const problem = versionProblem(call.version);
    if (problem !== undefined) return problem;
    if (revision !== undefined && this.#context.inSessions.includes(revision)) return undefined;
    return { status: 400, message: 'MCP-Protocol-Version is not supported' };
  }

  /**
   * The revision of a client that names none: the one from before the header. (Spec 2025-06-18, Transports, Protocol
   * version header.)
   */
  get #unnamed(): Revision | undefined {
    return this.#context.inSessions.find(({ batches }) => batches) ?? this.#context.inSessions[0];
  }

  #answer(call: HttpCall): HttpAnswer {
    const answer = new HttpAnswer(this.#context, call);
    call.reply.onClose(() => answer.closed());
    return answer;
  }

  /** A conversation whose client has declared no capabilities: it can be asked nothing. */
  #goOn(link: ReplyChannel, { date: revision }: Revision): ClientConnection {
    const client = { info: undefined, capabilities: {} };
    const known = { revision, client, isReady: true, level: 'info', watched: [] } as const;
    const conversation = this.#context.endpoint.resume?.(link, known);
    if (conversation === undefined) throw new TypeError('a bridge cannot be served with sessions: false');
    return conversation;
  }

  #link({ auth, request }: HttpCall, answer: HttpAnswer): ReplyChannel {
    return {
      network: 'tcp',
      protocol: 'http',
      lasting: true,
      passing: true,
      auth,
      address: request.remoteAddress,
      // What belongs to no request has no stream here.
      send: (message: Message, related?: RequestId) => {
        const json = related === undefined ? undefined : messageJson(this.#context, message);
        if (json !== undefined) answer.message(json);
      },
    };
  }
}

function last(conversation: ClientConnection, { message: { id } }: ParsedRequest, revision: Revision): ResponseMessage {
  return lastResponse({ id, waits: conversation.waits?.(id) === true }, revision);
}
