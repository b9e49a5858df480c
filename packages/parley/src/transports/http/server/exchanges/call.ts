import { ownerOf } from '../../../../auth/common/owner.ts';
import type { AuthInfo } from '../../../../server/runtime/request-handler.ts';
import type { HttpContext } from './context.ts';
import { acceptedBy, type AcceptedTypes } from './media.ts';
import type { FullQuota, QuotaClient, RequestPlace } from './quota.ts';
import { refuse } from './status.ts';
import type { HttpReply, IncomingRequest, WriteCapacity } from './universal.ts';

/** Result of work that ends at once, or when its promise settles. */
export type CallEnd = void | Promise<void>;

/** Client of a request: its principal if known, otherwise its address. */
export function clientOf({ remoteAddress }: IncomingRequest, auth?: AuthInfo): QuotaClient {
  return { auth, owner: ownerOf(auth?.principal, remoteAddress) };
}

/** One admitted request, on its way through the edge. */
export class HttpCall implements WriteCapacity, QuotaClient {
  readonly request: IncomingRequest;
  readonly reply: HttpReply;
  readonly accepted: AcceptedTypes;
  /** The value of `MCP-Protocol-Version`. */
  readonly version: string | undefined;
  /** Rejects a message that needs credentials, once it was read; only if there are none. */
  refuses: ((value: unknown) => boolean) | undefined;
  readonly #context: HttpContext;
  /** Limit that left no place for its principal, or no room for its body. */
  lacks: FullQuota | undefined;
  #auth: AuthInfo | undefined;
  #place: RequestPlace;
  #bytes = 0;
  #counted = true;
  #kept = false;
  #ended = false;

  /** @param place Its place among the requests being answered, which it gives back. */
  constructor(
    request: IncomingRequest,
    reply: HttpReply,
    { context, place }: { context: HttpContext; place: RequestPlace },
  ) {
    this.request = request;
    this.reply = reply;
    this.accepted = acceptedBy(request.header('accept'));
    this.version = request.header('mcp-protocol-version');
    this.#context = context;
    this.#place = place;
    context.serving.enter();
  }

  /** Its authenticated client. Once it is set, the request counts for the principal, not for the address. */
  get auth(): AuthInfo | undefined {
    return this.#auth;
  }

  set auth(auth: AuthInfo | undefined) {
    this.#auth = auth;
    const moved = this.#context.admitted.move(this.#place, clientOf(this.request, auth));
    if (typeof moved === 'string') this.lacks = moved;
    else this.#place = moved;
  }

  /** The owner that it counts for. */
  get owner(): string | undefined {
    return this.#place.client.owner;
  }

  /** The limit beyond which it was admitted: it may continue running work, but begin none. */
  get beyond(): FullQuota | undefined {
    return this.#place.beyond;
  }

  /** Takes room for some of its body. */
  take(bytes: number): boolean {
    if (this.#ended) return false;
    this.lacks = this.#context.bodies.take(bytes, this.owner, this.#bytes);
    if (this.lacks === undefined) this.#bytes += bytes;
    return this.lacks === undefined;
  }

  /** Tells whether it was answered or dropped. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Ends it with its work: at once, or when that settles. A kept call does not end here. */
  until(work: CallEnd): void {
    if (work instanceof Promise)
      work.then(
        () => this.until(undefined),
        (cause: unknown) => this.fail(cause),
      );
    else if (!this.#kept) this.end();
  }

  /** Makes other code responsible for calling `end`: a long-lived stream holds no promises here. */
  keep(): void {
    this.#kept = true;
  }

  /** It was answered or dropped. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.leave();
    this.#context.bodies.give(this.#bytes, this.owner);
    this.#context.serving.leave();
  }

  /** Ends it after an internal failure. The owner gets the error, the client does not. */
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
    this.#context.admitted.leave(this.#place);
  }

  /** Counts again: the stream that it became lost its client, and it is still being answered. */
  comeBack(): void {
    if (this.#counted || this.#ended) return;
    this.#counted = true;
    this.#context.admitted.rejoin(this.#place);
  }
}
