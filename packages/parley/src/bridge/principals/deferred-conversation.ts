import type { AuthInfo, ClientConnection, RequestHandler, ReplyChannel } from '../../server/runtime/request-handler.ts';
import type { ParsedMessage } from '../../server/runtime/parsed-message.ts';
import type { RequestId, ResponseMessage } from '../../jsonrpc/message.ts';
import { McpError } from '../../protocol/error.ts';
import type { Revision } from '../../protocol/revision.ts';
import { unreachable } from '../failure.ts';
import type { OfPrincipal } from './entry.ts';

/** Parts of a conversation whose bridge may still be opening. */
export interface DeferredConversationOptions {
  readonly opening: Promise<OfPrincipal>;
  /** The bridge, if it is ready. */
  readonly ready: OfPrincipal | undefined;
  /** Makes the endpoint that answers if the bridge cannot be opened. */
  refusing(error: McpError): RequestHandler;
  /** Runs work for a message, and records its sender. */
  during<T>(auth: AuthInfo | undefined, work: () => Promise<T>): Promise<T>;
  /** Called once when the conversation is over. */
  left(): void;
}

/** A conversation with the bridge of a principal. It waits while the bridge is being opened. */
export class DeferredConversation implements ClientConnection {
  readonly #link: ReplyChannel;
  readonly #options: DeferredConversationOptions;
  #inner: ClientConnection | undefined;
  #opening: Promise<ClientConnection> | undefined;
  #isClosed = false;

  constructor(link: ReplyChannel, options: DeferredConversationOptions) {
    this.#link = link;
    this.#options = options;
    this.#inner = options.ready?.endpoint.openConnection(link);
  }

  get revision(): Revision | undefined {
    return this.#inner?.revision;
  }

  async receive(value: unknown, auth?: AuthInfo): Promise<ResponseMessage | undefined> {
    return await this.#during(auth, async () => await (this.#inner ?? (await this.#late())).receive(value, auth));
  }

  async take(judged: ParsedMessage, auth?: AuthInfo): Promise<ResponseMessage | undefined> {
    return await this.#during(auth, async () => await (this.#inner ?? (await this.#late())).take(judged, auth));
  }

  waits(id: RequestId): boolean {
    return this.#inner === undefined || this.#inner.waits?.(id) === true;
  }

  unreadable(reason: string): ResponseMessage {
    const { refusing } = this.#options;
    const answering = this.#inner ?? refusing(new McpError('parseError', reason)).openConnection(this.#link);
    return answering.unreadable(reason);
  }

  end(): void {
    this.#inner?.end?.();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#inner?.close();
    this.#options.left();
  }

  async #during<T>(auth: AuthInfo | undefined = this.#link.auth, work: () => Promise<T>): Promise<T> {
    return await this.#options.during(auth, work);
  }

  #late(): Promise<ClientConnection> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<ClientConnection> {
    const { opening, refusing } = this.#options;
    const endpoint = await opening.then(
      (bridge) => bridge.endpoint,
      (error: unknown) => refusing(error instanceof McpError ? error : unreachable(error)),
    );
    this.#inner = endpoint.openConnection(this.#link);
    if (this.#isClosed) this.#inner.close();
    return this.#inner;
  }
}
