import type { AuthInfo, Endpoint } from '../../host/endpoint.ts';
import type { Revision } from '../../protocol/revision.ts';
import { acceptedBy, type Accepted } from './media.ts';
import type { HttpSettings } from './options.ts';
import type { HttpReply, HttpRequest, Room } from './universal.ts';
import type { Shares } from './quota.ts';
import type { Silence } from './silence.ts';
import { refuse } from './status.ts';
import type { EventStreams } from './stream.ts';

/** What the parts of one HTTP server share. */
export interface Edge {
  readonly endpoint: Endpoint;
  readonly settings: HttpSettings;
  readonly streams: EventStreams;
  /** The answers of which no client has a byte yet. */
  readonly silence: Silence;
  /** The places for sessions, of either transport that has them. */
  readonly sessionShares: Shares;
  /** The stateless revisions of the endpoint; may be empty. */
  readonly stateless: readonly Revision[];
  /** The handshake revisions of the endpoint; may be empty. */
  readonly handshake: readonly Revision[];
  /** The requests being answered, event streams not counted. */
  readonly admitted: Load;
  /** The bodies of the requests being answered. */
  readonly bodies: Bodies;
  /** Everything being answered, to be waited for at the end. */
  readonly serving: Load;
  /** How far the server is on its way to its end. */
  readonly course: Course;
}

/** How far a server is on its way to its end. */
export interface Course {
  /** While it drains nothing begins, and what runs gets what it needs for its end. */
  stage: 'open' | 'draining' | 'closed';
}

/** What comes of something that ends at once where it can, or when its promise settles. */
export type Done = void | Promise<void>;

/** One admitted request, on its way through the edge. */
export class Visit implements Room {
  readonly request: HttpRequest;
  readonly reply: HttpReply;
  readonly accepted: Accepted;
  /** The value of `MCP-Protocol-Version`. */
  readonly version: string | undefined;
  /** Who it comes from, once that was established. */
  auth: AuthInfo | undefined;
  readonly #edge: Edge;
  /** Whether it was admitted beyond the limit of requests: it may go on with what runs, and begin nothing. */
  beyond = false;
  #bytes = 0;
  #counted = true;
  #kept = false;
  #ended = false;

  constructor(request: HttpRequest, reply: HttpReply, edge: Edge) {
    this.request = request;
    this.reply = reply;
    this.accepted = acceptedBy(request.header('accept'));
    this.version = request.header('mcp-protocol-version');
    this.#edge = edge;
    edge.serving.enter();
  }

  /** Takes room for some of its body. */
  take(bytes: number): boolean {
    if (this.#ended || !this.#edge.bodies.take(bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Whether it was answered, or given up. */
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
    this.#edge.bodies.give(this.#bytes);
    this.#edge.serving.leave();
  }

  /** Ends it after a failure of ours, which is told to the owner and not to the client. */
  fail(cause: unknown): void {
    const { onError } = this.#edge.settings;
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
    this.#edge.admitted.leave();
  }

  /** Counts again: the stream that it became lost its client, and it is still being answered. */
  comeBack(): void {
    if (this.#counted || this.#ended) return;
    this.#counted = true;
    this.#edge.admitted.rejoin();
  }
}

/** Counts the bytes of bodies that are being read or answered, those of event streams among them. */
export class Bodies {
  readonly #limit: number;
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes room, or not. One body alone has it always: how large that may be is another limit. */
  take(bytes: number): boolean {
    if (this.#taken > 0 && this.#taken + bytes > this.#limit) return false;
    this.#taken += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#taken -= bytes;
  }
}

/** Counts the requests being answered, so that they can be limited and waited for. */
export class Load {
  readonly #limit: number;
  #running = 0;
  #idle: (() => void) | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Admits one request, or not. */
  enter(): boolean {
    if (this.#running >= this.#limit) return false;
    this.#running++;
    return true;
  }

  /** Admits one beyond the limit, which others may be waiting for; there are as many places again for these. */
  enterBeyond(): boolean {
    if (this.#running >= this.#limit * 2) return false;
    this.#running++;
    return true;
  }

  /** Takes back one that left, even above the limit: it is running already. */
  rejoin(): void {
    this.#running++;
  }

  leave(): void {
    this.#running--;
    if (this.#running === 0) this.#idle?.();
  }

  /** Resolves when no request is being answered. */
  async idle(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
  }
}
