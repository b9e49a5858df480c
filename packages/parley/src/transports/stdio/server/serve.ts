import type { Readable, Writable } from 'node:stream';
import { peekText, type MessagePeek } from '../../../jsonrpc/message-peek.ts';
import { JsonError } from '../../../json/parse.ts';
import type { Message, RequestId, ResponseMessage } from '../../../jsonrpc/message.ts';
import { lineReader, type LineReader } from '../../../jsonrpc/ndjson.ts';
import { parseMessage } from '../../../jsonrpc/encode.ts';
import { after, settledWithin } from '../../../jsonrpc/timeout.ts';
import { ConnectionError } from '../../../jsonrpc/transport.ts';
import {
  answerReceived,
  invalidRequest,
  opensStream,
  toText,
  type BatchAnswer,
} from '../../../server/runtime/batch.ts';
import { endpointOf, type ClientConnection, type Servable } from '../../../server/runtime/request-handler.ts';
import { harmless } from '../../../options/harmless.ts';
import { refuseUnknown, type Names } from '../../../options/known-names.ts';
import { refuseNoNumber, refuseOther } from '../../../options/known-values.ts';
import { guardStdout } from './guard.ts';
import { noticeLingering } from './lingering.ts';
import { floodError, InvalidLines, readInTurns } from '../flood.ts';
import { lineWriter, type LineWriter } from '../line-writer.ts';

/** Options of `serveStdio`; everything has a default. */
export interface StdioServerOptions {
  /** Stream that messages come from; `process.stdin` by default. */
  readonly input?: Readable;
  /** Stream for the messages; `process.stdout` by default. Nothing else may be written there. */
  readonly output?: Writable;
  /** Limit of the bytes of a message; 10 MiB by default. A longer one is refused, and the next is read as usual. */
  readonly maxLineBytes?: number;
  /**
   * Limit of the bytes that may wait for a client that does not read; 16 MiB by default. Input rests at a sixteenth of
   * it, notifications are dropped above it, and at twice as much the conversation ends.
   */
  readonly maxPendingBytes?: number;
  /** Time that running requests may take to finish once the input ended; 5 seconds by default. */
  readonly drainTimeoutMs?: number;
  /**
   * True if other writes to `process.stdout` (by `console.log`, for example) go to stderr meanwhile; true by default.
   */
  readonly guardStdout?: boolean;
  /**
   * True ends the process half a second after the last answer once the client has gone, whatever still runs; `close`
   * does not. By default a process lives on while it has open timers, pools or servers. 10 seconds after the end of
   * standard input, a line on standard error reports that; false leaves the line out.
   */
  readonly exit?: boolean;
  /**
   * Receives errors outside of messages; by default the `onError` of the server or bridge, if it has one. Nothing is
   * printed by default.
   */
  readonly onError?: (error: Error) => void;
}

/** A server that serves its one client over standard input and output. */
export interface StdioServer {
  /** Resolves when the conversation is over, whichever side ended it. */
  readonly closed: Promise<void>;
  /** Ends the conversation at once: running requests are aborted, and written data is flushed. */
  close(): Promise<void>;
}

/**
 * Serves one client over standard input and output. It ends when the input does. With `exit`, the process ends too.
 *
 * @throws TypeError for unknown or invalid options, and for an output that is in use.
 * @example serveStdio(server, { exit: true });
 */
export function serveStdio(served: Servable, options: StdioServerOptions = {}): StdioServer {
  checkOptions(options);
  const { output = process.stdout } = options;
  if (inUse.has(output)) throw new TypeError('this output serves a client already; one is served at a time');
  const session = new StdioSession(served, options);
  inUse.add(output);
  void session.closed.then(() => inUse.delete(output));
  return { closed: session.closed, close: () => session.end(0) };
}

/** Two that share an output would both answer each request. */
const inUse = new WeakSet<Writable>();

const optionNames: Names<StdioServerOptions> = {
  input: 1,
  output: 1,
  maxLineBytes: 1,
  maxPendingBytes: 1,
  drainTimeoutMs: 1,
  guardStdout: 1,
  exit: 1,
  onError: 1,
};

function checkOptions(options: StdioServerOptions): void {
  refuseUnknown('serveStdio', options, optionNames);
  for (const name of ['maxLineBytes', 'maxPendingBytes', 'drainTimeoutMs'] as const)
    refuseNoNumber(name, options[name]);
  refuseOther('function', 'onError', options.onError);
  for (const name of ['guardStdout', 'exit'] as const) refuseOther('boolean', name, options[name]);
}

/** Time that a program has for its clean-up before its process ends, in milliseconds. */
const cleanUpMs = 500;

class StdioSession {
  readonly closed: Promise<void>;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #reader: LineReader;
  readonly #writer: LineWriter;
  readonly #conversation: ClientConnection;
  /** Number of unanswered requests, open streams not counted, and the callers that wait until there are none. */
  #running = 0;
  #onIdle: (() => void) | undefined;
  readonly #exactNumbers: boolean | undefined;
  readonly #maxPending: number;
  readonly #onError: (error: Error) => void;
  readonly #stopGuarding: () => void;
  readonly #exit: boolean | undefined;
  readonly #unsubscribe: (() => void)[] = [];
  readonly #invalid = new InvalidLines();
  #ending: Promise<void> | undefined;
  /** Ends the wait for running requests. */
  #cutDrain: () => void = () => {};
  #resolveClosed: () => void = () => {};
  #conversing = true;

  constructor(served: Servable, options: StdioServerOptions) {
    const endpoint = endpointOf(served);
    endpoint.behind?.requireServable({ knowsCallers: false, names: [] });
    this.#exit = options.exit;
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    this.#input = options.input ?? process.stdin;
    this.#output = options.output ?? process.stdout;
    this.#maxPending = options.maxPendingBytes ?? 16 * 1024 * 1024;
    const { owner } = endpoint.listeners ?? {};
    this.#onError = harmless(options.onError ?? ((error) => owner?.onError?.(error, 'stdio')));
    this.#writer = lineWriter(this.#output, () => this.#restWhenStalled());
    this.#stopGuarding = this.#output === process.stdout && options.guardStdout !== false ? guardStdout() : () => {};
    this.#exactNumbers = endpoint.exactNumbers;
    this.#conversation = endpoint.openConnection({
      network: 'pipe',
      lasting: true,
      // Messages before the answer must not wait until the handler yields.
      send: (message) => this.#send(message, 'now'),
    });
    this.#reader = lineReader({
      maxBytes: options.maxLineBytes,
      line: (text) => this.#line(text),
      problem: (problem, seen) => this.#unreadable(problem, seen),
    });
    const drainTimeoutMs = options.drainTimeoutMs ?? 5_000;
    const mayRead = (): boolean => this.#conversing && !this.#isStalled;
    this.#unsubscribe.push(readInTurns(this.#input, (chunk) => this.#chunk(chunk), mayRead));
    this.#on(this.#input, 'end', () => this.#inputEnded(drainTimeoutMs));
    this.#on(this.#input, 'close', () => this.#inputEnded(drainTimeoutMs));
    this.#on(this.#input, 'error', (error: Error) => this.#failed(error));
    this.#on(this.#output, 'error', (error: Error) => this.#failed(error));
    this.#on(this.#output, 'drain', () => this.#input.resume());
  }

  /** Ends the conversation once. Running requests get the given time first; a later end without time cuts that short. */
  end(drainTimeoutMs: number): Promise<void> {
    if (drainTimeoutMs === 0) this.#cutDrain();
    this.#ending ??= this.#end(drainTimeoutMs);
    return this.#ending;
  }

  async #end(drainTimeoutMs: number): Promise<void> {
    if (drainTimeoutMs > 0) await settledWithin(drainTimeoutMs, Promise.race([this.#idle(), this.#drainCut()]));
    this.#conversing = false;
    this.#conversation.close();
    await settledWithin(1_000, this.#writer.flushed());
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    // A broken pipe may be reported late, and must not end the process then either.
    this.#output.on('error', () => {});
    this.#input.pause();
    this.#stopGuarding();
    this.#resolveClosed();
  }

  #on(stream: Readable | Writable, event: string, listener: Parameters<Readable['on']>[1]): void {
    stream.on(event, listener);
    this.#unsubscribe.push(() => stream.off(event, listener));
  }

  #chunk(chunk: Uint8Array | string): void {
    if (this.#ending !== undefined) return;
    this.#writer.together(() => this.#reader.push(chunk));
  }

  #inputEnded(drainTimeoutMs: number): void {
    if (this.#ending === undefined) this.#reader.end();
    this.#clientGone(drainTimeoutMs);
  }

  #failed(error: Error): void {
    this.#onError(error);
    this.#clientGone(0);
  }

  #clientGone(drainTimeoutMs: number): void {
    const isFirst = this.#ending === undefined;
    const ended = this.end(drainTimeoutMs);
    if (!isFirst) return;
    // The program may clean up until then.
    if (this.#exit) void ended.then(() => after(cleanUpMs, () => process.exit()));
    else if (this.#exit === undefined && this.#input === process.stdin) noticeLingering();
  }

  #line(text: string): void {
    if (this.#ending !== undefined && this.#invalid.isFlood) return;
    try {
      const value = parseMessage(text, { exactNumbers: this.#exactNumbers });
      this.#invalid.parsed(value);
      this.#receive(value);
      if (this.#invalid.isFlood) this.#failed(floodError('client'));
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      this.#invalid.invalid();
      if (this.#invalid.isFlood) return this.#failed(floodError('client'));
      this.#onError(error);
      const seen = peekText(text);
      const id = error.reason === 'too-deep' ? seen?.id : undefined;
      if (!this.#unheard(error, seen)) this.#send(withId(this.#conversation.unreadable(error.message), id));
    }
  }

  #unreadable(problem: ConnectionError, seen: MessagePeek | undefined): void {
    this.#invalid.invalid();
    if (this.#invalid.isFlood) return this.#ending === undefined ? this.#failed(floodError('client')) : undefined;
    this.#onError(problem);
    if (this.#unheard(problem, seen)) return;
    const { message } = problem;
    this.#send(
      problem.reason === 'too-large'
        ? withId(invalidRequest(this.#conversation, message), seen?.id)
        : this.#conversation.unreadable(message),
    );
  }

  /** An unreadable answer gets no response: the handler that asked gets the error. Returns true if it is an answer. */
  #unheard(problem: Error, seen: MessagePeek | undefined): boolean {
    if (seen?.kind !== 'answer') return false;
    const error = { code: -32603, message: `the answer of the client cannot be read: ${problem.message}` };
    if (seen.id !== undefined) this.#receive({ jsonrpc: '2.0', id: seen.id, error });
    return true;
  }

  #receive(value: unknown): void {
    if (opensStream(value)) return answerReceived(this.#conversation, value, this.#ended);
    this.#running++;
    answerReceived(this.#conversation, value, this.#answered);
  }

  readonly #ended = (response: BatchAnswer): void => {
    if (response !== undefined) this.#send(response);
  };

  readonly #answered = (response: BatchAnswer): void => {
    this.#running--;
    if (response !== undefined) this.#send(response);
    if (this.#running === 0) this.#onIdle?.();
  };

  #idle(): Promise<void> {
    return this.#running === 0 ? Promise.resolve() : new Promise((resolve) => (this.#onIdle = resolve));
  }

  #drainCut(): Promise<void> {
    return new Promise((resolve) => (this.#cutDrain = resolve));
  }

  #send(message: Message | readonly Message[], when: 'now' | 'soon' = 'soon'): void {
    if (!this.#conversing) return;
    const { pending } = this.#writer;
    if (pending > this.#maxPending && 'method' in message && !('id' in message)) {
      this.#onError(new ConnectionError('too-large', `${message.method} is dropped: the client does not read`));
      return;
    }
    if (pending > 2 * this.#maxPending) {
      this.#failed(new ConnectionError('too-large', `the client has not read ${pending} bytes`));
      return;
    }
    const text = toText(message, this.#onError);
    if (text === undefined) return;
    // A failed write is an 'error' of the stream too, which ends the conversation.
    if (when === 'now') this.#writer.write(text);
    else this.#writer.collect(text);
  }

  #restWhenStalled(): void {
    if (this.#isStalled) this.#input.pause();
  }

  get #isStalled(): boolean {
    return this.#output.writableNeedDrain && this.#writer.pending > this.#maxPending / 16;
  }
}

/** JSON-RPC 2.0, Response object: the id is null only if it is unknown. */
function withId(response: ResponseMessage, id: RequestId | undefined): ResponseMessage {
  return id === undefined ? response : { ...response, id };
}
