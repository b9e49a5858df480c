import type { AuthInfo, Endpoint } from '../peer/endpoint.ts';
import type { Revision } from '../protocol/revision.ts';
import type { Accepted } from './media.ts';
import type { HttpSettings } from './options.ts';
import type { HttpReply, HttpRequest } from './shape.ts';
import type { Shares } from './shares.ts';
import type { EventStreams } from './stream.ts';

/** What the parts of one HTTP server share. */
export interface Edge {
  readonly endpoint: Endpoint;
  readonly settings: HttpSettings;
  readonly streams: EventStreams;
  /** The places for sessions, of either transport that has them. */
  readonly sessionShares: Shares;
  /** The stateless revisions of the endpoint; may be empty. */
  readonly stateless: readonly Revision[];
  /** The handshake revisions of the endpoint; may be empty. */
  readonly handshake: readonly Revision[];
}

/** One admitted request, on its way through the edge. */
export class Visit {
  readonly request: HttpRequest;
  readonly reply: HttpReply;
  readonly accepted: Accepted;
  readonly auth: AuthInfo | undefined;
  readonly #load: Load;
  #counted = true;

  constructor(
    call: { request: HttpRequest; reply: HttpReply },
    accepted: Accepted,
    auth: AuthInfo | undefined,
    load: Load,
  ) {
    this.request = call.request;
    this.reply = call.reply;
    this.accepted = accepted;
    this.auth = auth;
    this.#load = load;
  }

  /** The value of `MCP-Protocol-Version`. */
  get version(): string | undefined {
    return this.request.header('mcp-protocol-version');
  }

  /** Leaves the count of requests being answered: it was answered, or became a stream. */
  leave(): void {
    if (!this.#counted) return;
    this.#counted = false;
    this.#load.leave();
  }

  /** Counts again: the stream that it became lost its client, and it is still being answered. */
  comeBack(): void {
    if (this.#counted) return;
    this.#counted = true;
    this.#load.rejoin();
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
