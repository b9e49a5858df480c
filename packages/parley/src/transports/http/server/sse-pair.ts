import type { Message, RequestId } from '../../../jsonrpc/message.ts';
import { eachInSlices } from '../../../jsonrpc/slices.ts';
import type { AuthInfo, ClientConnection, ReplyChannel } from '../../../server/runtime/request-handler.ts';
import type { ParsedMessage, MalformedMessage } from '../../../server/runtime/parsed-message.ts';
import { unsupported } from '../../../server/runtime/request-meta.ts';
import { McpError } from '../../../protocol/error.ts';
import { revisionOf, type Revision } from '../../../protocol/revision.ts';
import { messageJson, responseJson } from './exchanges/answer.ts';
import { readContent } from './exchanges/body.ts';
import type { HttpCall } from './exchanges/call.ts';
import { isOfSessions, type HttpContext } from './exchanges/context.ts';
import { isJson } from './exchanges/media.ts';
import type { SsePairPaths } from './exchanges/options.ts';
import {
  batchProblem,
  beginProblem,
  isRequest,
  judgedBatch,
  randomText,
  samePrincipal,
  sessionProblem,
  streamProblem,
} from './session/rules.ts';
import { lacksScopes } from './session/scopes.ts';
import { errorBody, errorOf, lastResponse, refuse, type HttpProblem } from './exchanges/status.ts';
import type { EventStream } from './exchanges/stream.ts';

const parameter = 'sessionId';

/**
 * The HTTP+SSE transport: a GET opens the stream of a conversation, whose first event names the URL for POSTs. Every
 * answer goes on the stream. It is for clients that know no other transport. Any session-based revision may be used on
 * it. (Spec 2024-11-05, Transports, HTTP with SSE.)
 */
export class SsePairs {
  readonly #context: HttpContext;
  readonly #paths: SsePairPaths;
  readonly #open = new Map<string, SsePair>();

  constructor(context: HttpContext, paths: SsePairPaths) {
    this.#context = context;
    this.#paths = paths;
  }

  /** Answers a request to one of the two paths. */
  async serve(call: HttpCall): Promise<void> {
    if (call.request.method === 'GET') return this.#begin(call);
    const problem = await this.#post(call);
    if (problem !== undefined) refuse(call.request, call.reply, problem);
  }

  /** Ends every conversation. */
  async close(): Promise<void> {
    await eachInSlices(this.#open.values(), (pair) => pair.stop());
  }

  #begin(call: HttpCall): void {
    const { request, reply, auth, accepted } = call;
    const problem: HttpProblem | undefined = accepted.stream
      ? (sessionProblem(this.#context, call) ?? streamProblem(this.#context, call))
      : { status: 406, message: 'Accept must allow text/event-stream' };
    if (problem !== undefined) return refuse(request, reply, problem);
    const id = randomText();
    const stream = this.#context.streams.open(reply, { client: call });
    const pair = new SsePair(this.#context, stream, call);
    this.#open.set(id, pair);
    const client = { auth, owner: call.owner };
    this.#context.sessionQuota.take(client);
    call.leave();
    stream.write(`event: endpoint\ndata: ${this.#paths.messages}?${parameter}=${id}\n\n`);
    const forget = this.#context.endpoint.protection?.afterExpiry(auth, () => pair.expire());
    reply.onClose(() => {
      forget?.();
      if (this.#open.delete(id)) this.#context.sessionQuota.give(client);
      pair.end();
    });
  }

  /**
   * Takes a POST. A request that is rejected before its body was read gets its answer at once. Any other is accepted,
   * and its error goes on the stream, the only place where these clients look for answers. `MCP-Protocol-Version` is
   * ignored, since it came with the next transport.
   */
  async #post(call: HttpCall): Promise<HttpProblem | undefined> {
    const { request, reply, auth } = call;
    if (!isJson(request.header('content-type')))
      return { status: 415, message: 'Content-Type must be application/json in UTF-8' };
    const id = sessionOf(request.query);
    const pair = this.#open.get(id);
    // Another principal's conversation and an unknown one look the same to a client.
    if (pair === undefined || !samePrincipal(pair.auth, auth)) return noSession();
    const content = await readContent(call, this.#context);
    if (content.kind === 'gone') return undefined;
    if (content.kind === 'problem' && !content.problem.read) return content.problem;
    if (content.kind === 'value') return this.#value(pair, content.value, call);
    reply.send(202);
    pair.refuse(content.problem);
    return undefined;
  }

  async #value(pair: SsePair, value: unknown, call: HttpCall): Promise<HttpProblem | undefined> {
    const isBatch = Array.isArray(value);
    const messages = judgedBatch(isBatch ? value : [value], this.#context);
    // Only a status can carry a challenge, so it is sent here, before any message runs.
    if (await lacksScopes(this.#context.endpoint, messages, call)) return undefined;
    // Its stream ends with its running requests. The client must open a new one with a current token.
    if (pair.expired && messages.some(isRequest)) return noSession();
    call.reply.send(202);
    await this.#take(pair, { messages, isBatch }, call);
    return undefined;
  }

  async #take(
    pair: SsePair,
    { messages, isBatch }: { readonly messages: readonly ParsedMessage[]; readonly isBatch: boolean },
    call: Pick<HttpCall, 'auth' | 'beyond'>,
  ): Promise<void> {
    const unwelcome = beginProblem(this.#context, call, messages.some(isRequest));
    if (unwelcome !== undefined) return pair.decline(messages, unwelcome);
    const problem = isBatch ? batchProblem(pair.revision, messages, this.#context.settings.maxBatch) : undefined;
    if (problem === undefined) await Promise.all(messages.map((judged) => this.#one(pair, judged, call.auth)));
    else pair.refuse(problem);
  }

  async #one(pair: SsePair, judged: ParsedMessage, auth: AuthInfo | undefined): Promise<void> {
    if (judged.kind === 'malformed') return pair.refuse({ message: judged.reason }, judged.id);
    const foreign = this.#foreign(judged);
    if (foreign === undefined) return pair.receive(judged, auth);
    if (judged.kind === 'request') pair.fail(foreign, judged.message.id);
  }

  /** The error for a message of a revision that this transport does not carry. */
  #foreign(judged: Exclude<ParsedMessage, MalformedMessage>): McpError | undefined {
    if (judged.kind === 'response') return undefined;
    const { claimed } = judged;
    if (claimed === undefined || isOfSessions(revisionOf(claimed))) return undefined;
    // This answer leads a client that probes to `initialize`.
    if (judged.message.method === 'server/discover')
      return new McpError('methodNotFound', 'server/discover is not served over HTTP+SSE');
    return unsupported(this.#context.inSessions, typeof claimed === 'string' ? claimed : '');
  }
}

/** One conversation: it lasts as long as its stream. */
class SsePair implements ReplyChannel {
  readonly network = 'tcp';
  readonly protocol = 'http';
  readonly lasting = true;
  readonly auth: AuthInfo | undefined;
  readonly address: string | undefined;
  readonly #context: HttpContext;
  readonly #stream: EventStream;
  readonly #conversation: ClientConnection;
  /** Messages that are being answered. */
  readonly #running = new Set<ParsedMessage>();
  /** True when the token of its stream has expired. */
  expired = false;

  constructor(context: HttpContext, stream: EventStream, { auth, request }: Pick<HttpCall, 'auth' | 'request'>) {
    this.auth = auth;
    this.address = request.remoteAddress;
    this.#context = context;
    this.#stream = stream;
    this.#conversation = context.endpoint.openConnection(this);
  }

  get revision(): Revision | undefined {
    return this.#conversation.revision;
  }

  send(message: Message, related?: RequestId): void {
    // Messages outside of calls were only for the holder of the expired token.
    if (!this.expired || related !== undefined) this.#write(messageJson(this.#context, message));
  }

  /** Runs one message. Its response goes on the stream. */
  async receive(judged: ParsedMessage, auth: AuthInfo | undefined): Promise<void> {
    this.#running.add(judged);
    try {
      const response = await this.#conversation.take(judged, auth);
      if (response !== undefined) this.#write(responseJson(this.#context, response));
    } finally {
      this.#running.delete(judged);
      if (this.expired && this.#running.size === 0) this.end();
    }
  }

  /** Ends the conversation as soon as nothing runs any more: its stream alone can bring the answers. */
  expire(): void {
    this.expired = true;
    if (this.#running.size === 0) this.end();
  }

  /** Reports on the stream why a message was rejected. */
  refuse(problem: Pick<HttpProblem, 'error' | 'message' | 'retryAfterMs'>, id?: RequestId): void {
    this.fail(errorOf(problem), id);
  }

  /** Rejects every request in a message or a batch. */
  decline(messages: readonly ParsedMessage[], problem: HttpProblem): void {
    for (const judged of messages) if (judged.kind === 'request') this.refuse(problem, judged.message.id);
  }

  fail(error: McpError, id?: RequestId): void {
    this.#write(errorBody(error, this.revision ?? this.#context.inSessions.at(-1), id));
  }

  /** Ends it with its process: clients of running requests learn that the outcome is unknown. */
  stop(): void {
    for (const judged of this.#running) {
      if (judged.kind !== 'request') continue;
      const { id } = judged.message;
      const waits = this.#conversation.waits?.(id) === true;
      this.#write(responseJson(this.#context, lastResponse({ id, waits }, this.revision)));
    }
    this.end();
  }

  /** Ends the conversation with its stream: running requests are aborted. */
  end(): void {
    this.#conversation.close();
    this.#stream.end();
  }

  #write(json: string | undefined): void {
    if (json !== undefined) this.#stream.sendNamed('message', json);
  }
}

function noSession(): HttpProblem {
  return { status: 404, message: 'the session does not exist' };
}

function sessionOf(query: string): string {
  return new RegExp(`(?:^|&)${parameter}=([^&]*)`).exec(query)?.[1] ?? '';
}
