import type { RequestId } from '../../../../jsonrpc/message.ts';
import { microtask } from '../../../../jsonrpc/timeout.ts';
import { McpError } from '../../../../protocol/error.ts';
import { revisionOf } from '../../../../protocol/revision.ts';
import type { HttpCall } from '../../call.ts';
import type { HttpContext } from '../../context.ts';
import { busy, errorBody, refuse } from '../../status.ts';
import type { EventStream } from '../../stream.ts';
import type { AnswerPart } from './home-words.ts';

/** Ways of a handed request to its owner. */
export interface HandedCallParts {
  readonly context: HttpContext;
  /** The process that has the session. */
  readonly home: string;
  /** The ids of the requests in it, which each need an answer. */
  readonly ids: readonly RequestId[];
  /** True when nothing in it does harm where it comes twice. */
  readonly repeatable: boolean;
  /** Hears that it is over here, and whether its home is to know. */
  over(call: HandedCall, isLeft: boolean): void;
}

/** A request of a session that another process has, on the way to its answer. */
export class HandedCall {
  readonly home: string;
  /** Resolves when it was answered, or its client listens to a stream that needs nobody to wait for it. */
  readonly done: Promise<void>;
  /** Time at which its home was heard of last. */
  heardAt: number;
  readonly #call: HttpCall;
  readonly #parts: HandedCallParts;
  #finish: () => void = () => undefined;
  #stream: EventStream | undefined;
  #next = 0;
  #isOver = false;

  constructor(call: HttpCall, parts: HandedCallParts) {
    this.home = parts.home;
    this.#call = call;
    this.#parts = parts;
    this.heardAt = parts.context.settings.now();
    this.done = new Promise((resolve) => (this.#finish = resolve));
    call.reply.onClose(() => this.#over(true));
  }

  /** Takes a part of the answer. One that came before it may have been missed. */
  take(number: number, part: AnswerPart): void {
    this.heardAt = this.#parts.context.settings.now();
    if (this.#isOver) return;
    if (number !== this.#next++) return this.missed();
    switch (part.kind) {
      case 'sent':
        this.#over(false);
        return this.#call.reply.send(part.status, part.text, part.headers);
      case 'begun':
        return this.#begin(part.headers);
      case 'written':
        return this.#stream?.write(part.text);
      case 'ended':
        if (part.text !== undefined) this.#stream?.write(part.text);
        return this.#end();
      case 'cut':
        this.#over(false);
        return this.#call.reply.destroy();
    }
  }

  /** Its home is there, and says how many parts it sent; nothing where it knows nothing of it. */
  stands(parts: number | undefined): void {
    this.heardAt = this.#parts.context.settings.now();
    if (!this.#isOver && parts !== this.#next) this.missed();
  }

  /** Some of the answer is missing. A stream that can be resumed is, by its client. */
  missed(): void {
    if (this.#isOver) return;
    const { reply } = this.#call;
    if (this.#stream === undefined && this.#parts.ids.length > 0) this.#fail('the answer was lost between processes');
    else reply.destroy();
    this.#over(true);
  }

  /** Its home is gone, and the session with it. */
  gone(): void {
    if (this.#isOver) return;
    this.#over(false);
    const { request, reply } = this.#call;
    if (this.#stream === undefined && this.#parts.ids.length === 0)
      refuse(request, reply, { status: 404, message: 'there is no such session' });
    else this.#fail('the process that was to answer is gone');
  }

  /** Its home did not get it: the session is gone, and nothing of this was run. */
  unheard(): void {
    if (this.#isOver) return;
    this.#over(false);
    refuse(this.#call.request, this.#call.reply, { status: 404, message: 'there is no such session' }, this.#id);
  }

  /** Its home is silent, and nobody knows whether it is gone. */
  silent(): void {
    if (this.#isOver) return;
    const { request, reply } = this.#call;
    if (this.#stream !== undefined || this.#parts.ids.length > 0)
      this.#fail('the process that was to answer is silent');
    else refuse(request, reply, busy('the process that has the session is silent; try again later'));
    this.#over(true);
  }

  /**
   * Its home may have got it or not, unless it answers already. Where a second time may do something twice its answer is waited for, or the word of its home that there is none; the rest
   * may be sent again.
   */
  doubted(): void {
    if (this.#isOver || this.#next > 0 || !this.#parts.repeatable) return;
    const { request, reply } = this.#call;
    refuse(request, reply, busy('sessions cannot be had now; try again later'), this.#id);
    this.#over(true);
  }

  /** Ends it with the process that it came to. */
  close(): void {
    if (this.#isOver) return;
    this.#call.reply.destroy();
    this.#over(true);
  }

  /** The id of a request that came alone. */
  get #id(): RequestId | undefined {
    const [id, ...others] = this.#parts.ids;
    return others.length === 0 ? id : undefined;
  }

  #begin(headers: Readonly<Record<string, string>>): void {
    const { auth, reply, request } = this.#call;
    this.#stream = this.#parts.context.streams.open(reply, { headers, auth });
    this.#call.leave();
    // Nobody waits for a stream that has no end of its own.
    if (request.method === 'GET') this.#finish();
  }

  /** Tells each request that it has no answer: where it ran it may have had effects, and is not run again. */
  #fail(why: string): void {
    const { request, reply, accepted } = this.#call;
    const revision = revisionOf(request.header('mcp-protocol-version'));
    const errors = this.#parts.ids.map((id) => errorBody(new McpError('internalError', why), revision, id));
    const stream =
      this.#stream ?? (accepted.json ? undefined : this.#parts.context.streams.open(reply, { auth: this.#call.auth }));
    if (stream === undefined) return reply.send(200, errors.length === 1 ? errors[0] : `[${errors.join(',')}]`);
    for (const error of errors) stream.send(error);
    stream.end();
  }

  #end(): void {
    const stream = this.#stream;
    this.#over(false);
    stream?.end();
  }

  #over(isLeft: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#finish();
    this.#parts.over(this, isLeft);
    const stream = this.#stream;
    // Whatever is said by it now was said before this turn is over.
    if (stream !== undefined) microtask(() => stream.closed());
  }
}
