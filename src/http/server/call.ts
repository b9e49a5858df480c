import type { AuthInfo } from '../../host/endpoint.ts';
import type { HttpContext } from './context.ts';
import { acceptedBy, type AcceptedTypes } from './media.ts';
import { refuse } from './status.ts';
import type { HttpReply, HttpRequest, Room } from './universal.ts';

/** Result of something that ends at once where it can, or when its promise settles. */
export type Done = void | Promise<void>;

/** One admitted request, on its way through the edge. */
export class HttpCall implements Room {
  readonly request: HttpRequest;
  readonly reply: HttpReply;
  readonly accepted: AcceptedTypes;
  /** The value of `MCP-Protocol-Version`. */
  readonly version: string | undefined;
  /** Client that it comes from, once that was established. */
  auth: AuthInfo | undefined;
  /** Answers what needs credentials, once it was read; only where there are none. */
  refuses: ((value: unknown) => boolean) | undefined;
  readonly #context: HttpContext;
  /** True when it was admitted beyond the limit of requests: it may go on with what runs, and begin nothing. */
  beyond = false;
  #bytes = 0;
  #counted = true;
  #kept = false;
  #ended = false;

  constructor(request: HttpRequest, reply: HttpReply, context: HttpContext) {
    this.request = request;
    this.reply = reply;
    this.accepted = acceptedBy(request.header('accept'));
    this.version = request.header('mcp-protocol-version');
    this.#context = context;
    context.serving.enter();
  }

  /** Takes room for some of its body. */
  take(bytes: number): boolean {
    if (this.#ended || !this.#context.bodies.take(bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Tells whether it was answered, or given up. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Ends it with what is done for it: at once, or when that settles; but for one that is kept. */
  until(work: Done): void {
    if (work instanceof Promise)
      work.then(
        () => this.until(undefined),
        (cause: unknown) => this.fail(cause),
      );
    else if (!this.#kept) this.end();
  }

  /** Leaves it to somebody else to call `end`: what lasts as long as a client listens holds no promises here. */
  keep(): void {
    this.#kept = true;
  }

  /** It was answered, or given up. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.leave();
    this.#context.bodies.give(this.#bytes);
    this.#context.serving.leave();
  }

  /** Ends it after a failure of ours, which is told to the owner and not to the client. */
  fail(cause: unknown): void {
    const { onError } = this.#context.settings;
    onError(new Error('a request could not be answered', { cause }));
    try {
      refuse(this.request, this.reply, { status: 500, error: 'internalError', message: 'internal error' });
    } catch (again) {
      onError(new Error('a request could not be answered with 500 either', { cause: again }));
      this.reply.destroy();
    } finally {
      this.end();
    }
  }

  /** Leaves the count of requests being answered: it was answered, or became a stream. */
  leave(): void {
    if (!this.#counted) return;
    this.#counted = false;
    this.#context.admitted.leave();
  }

  /** Counts again: the stream that it became lost its client, and it is still being answered. */
  comeBack(): void {
    if (this.#counted || this.#ended) return;
    this.#counted = true;
    this.#context.admitted.rejoin();
  }
}
