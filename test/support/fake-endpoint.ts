/** An endpoint without a server behind it, so that the tests of the edge depend on nothing but the contract. */
import {
  classify,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from '../../packages/parley/src/jsonrpc/message.ts';
import type {
  ClientConnection,
  RequestHandler,
  ReplyChannel,
  Servable,
} from '../../packages/parley/src/server/runtime/request-handler.ts';
import type { ParsedMessage } from '../../packages/parley/src/server/runtime/parsed-message.ts';
import type { HeaderParameter } from '../../packages/parley/src/connection/header.ts';
import { errorToWire, McpError } from '../../packages/parley/src/protocol/error.ts';
import { revisionOf, revisions, type Revision } from '../../packages/parley/src/protocol/revision.ts';

/** What a test may do with the fake and learn from it. */
export interface Fake extends Servable {
  /** Every value that reached a conversation. */
  readonly received: unknown[];
  readonly conversations: FakeConversation[];
}

export interface FakeOptions {
  readonly revisions?: readonly Revision[];
  readonly headerParameters?: readonly HeaderParameter[];
}

/** Makes an endpoint that answers `ask`, `notify`, `slow`, `full`, `explode` and echoes every other method. */
export function fakeEndpoint(options: FakeOptions = {}): Fake {
  const conversations: FakeConversation[] = [];
  const received: unknown[] = [];
  const endpoint: RequestHandler = {
    revisions: options.revisions ?? revisions,
    openConnection: (link) => {
      const conversation = new FakeConversation(link, received);
      conversations.push(conversation);
      return conversation;
    },
    headerParameters: (tool) => (tool === 'query' ? (options.headerParameters ?? []) : []),
    close: async () => undefined,
  };
  return { endpoint, received, conversations };
}

export class FakeConversation implements ClientConnection {
  revision: Revision | undefined;
  closed = false;
  /** What the edge is told to be a graceful end; none unless a test has one. */
  end?: () => void;
  readonly link: ReplyChannel;
  readonly #received: unknown[];
  readonly #running = new Map<RequestId, (response: ResponseMessage | undefined) => void>();
  readonly #asked = new Map<RequestId, (response: ResponseMessage) => void>();

  constructor(link: ReplyChannel, received: unknown[]) {
    this.link = link;
    this.#received = received;
  }

  take(judged: ParsedMessage): Promise<ResponseMessage | undefined> {
    return this.receive(judged.kind === 'malformed' ? judged.value : judged.message);
  }

  async receive(value: unknown): Promise<ResponseMessage | undefined> {
    this.#received.push(value);
    const received = classify(value);
    if (received.kind === 'request') return this.#request(received.message);
    if (received.kind === 'response') {
      const { id } = received.message;
      if (id !== undefined && id !== null) this.#asked.get(id)?.(received.message);
    }
    return undefined;
  }

  unreadable(reason: string): ResponseMessage {
    return {
      jsonrpc: '2.0',
      ...(this.revision?.errorWithoutId === true ? {} : { id: null }),
      error: { code: -32700, message: reason },
    };
  }

  close(): void {
    this.closed = true;
    for (const settle of this.#running.values()) settle(undefined);
  }

  /** Answers a request that waits. */
  release(id: RequestId): void {
    this.#running.get(id)?.({ jsonrpc: '2.0', id, result: { released: true } });
    this.#running.delete(id);
  }

  /** The ids of the requests that wait. */
  get waiting(): readonly RequestId[] {
    return [...this.#running.keys()];
  }

  async #request({ id, method, params }: RequestMessage): Promise<ResponseMessage | undefined> {
    switch (method) {
      case 'initialize': {
        const revision = revisionOf(params?.['protocolVersion']);
        if (params?.['clientInfo'] === 'late') return this.#request({ jsonrpc: '2.0', id, method: 'full' });
        if (this.revision !== undefined || revision?.era !== 'handshake')
          return { jsonrpc: '2.0', id, error: { code: -32600, message: 'no' } };
        this.revision = revision;
        return {
          jsonrpc: '2.0',
          id,
          result: { protocolVersion: revision.date, capabilities: {}, serverInfo: { name: 'fake', version: '1' } },
        };
      }
      case 'subscriptions/listen':
        this.link.send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged' }, id);
        return this.#wait(id);
      case 'slow':
        return this.#wait(id);
      case 'notify':
        this.link.send(
          { jsonrpc: '2.0', method: 'notifications/message', params: { data: params?.['data'] ?? 'working' } },
          id,
        );
        return { jsonrpc: '2.0', id, result: { notified: true } };
      case 'broadcast':
        this.link.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
        return { jsonrpc: '2.0', id, result: {} };
      case 'ask': {
        const answer = new Promise<ResponseMessage>((resolve) => this.#asked.set('q', resolve));
        this.link.send({ jsonrpc: '2.0', id: 'q', method: 'roots/list' }, id);
        return { jsonrpc: '2.0', id, result: { answer: await answer } };
      }
      case 'unknown/method':
        return { jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } };
      case 'full': {
        const error = new McpError('busy', 'no room', { data: { retryAfterMs: 2500 } });
        return { jsonrpc: '2.0', id, error: errorToWire(this.revision, error) };
      }
      case 'explode':
        throw new Error('a bug of the server');
      default:
        return { jsonrpc: '2.0', id, result: { method, ...(params === undefined ? {} : { params }) } };
    }
  }

  #wait(id: RequestId): Promise<ResponseMessage | undefined> {
    return new Promise((resolve) => this.#running.set(id, resolve));
  }
}
