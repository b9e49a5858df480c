import { parsedMessageOf, type ParsedMessage } from '../../packages/parley/src/server/runtime/parsed-message.ts';
import type { RequestMessage, ResponseMessage } from '../../packages/parley/src/jsonrpc/message.ts';
import type {
  ClientConnection,
  ReplyChannel,
  Servable,
} from '../../packages/parley/src/server/runtime/request-handler.ts';
import type { Revision } from '../../packages/parley/src/protocol/revision.ts';

/** What a transport under test serves: the smallest endpoint that shows what arrived and how it went back. */
export interface EchoServed extends Servable {
  /** The conversations so far. */
  readonly conversations: readonly EchoConversation[];
}

export interface EchoConversation {
  readonly link: ReplyChannel;
  /** The methods of the notifications that arrived. */
  readonly notifications: readonly string[];
  readonly closed: boolean;
  /** Lets every `wait` go on. */
  release(): void;
}

/** Answers `echo` with its params, `wait` once released, `cycle` with what is no JSON; everything else with `{}`. */
export function echoServed(revision?: Revision): EchoServed {
  const conversations: EchoConversation[] = [];
  return {
    conversations,
    endpoint: {
      revisions: [],
      openConnection(link) {
        const conversation = new Echo(link, revision);
        conversations.push(conversation);
        return conversation;
      },
      headerParameters: () => [],
      close: async () => {},
    },
  };
}

class Echo implements ClientConnection, EchoConversation {
  readonly link: ReplyChannel;
  readonly revision: Revision | undefined;
  readonly notifications: string[] = [];
  closed = false;
  #released: () => void = () => {};
  readonly #release: Promise<void>;

  constructor(link: ReplyChannel, revision: Revision | undefined) {
    this.link = link;
    this.revision = revision;
    this.#release = new Promise((resolve) => (this.#released = resolve));
  }

  release(): void {
    this.#released();
  }

  receive(value: unknown): Promise<ResponseMessage | undefined> {
    return this.take(parsedMessageOf(value, []));
  }

  async take(received: ParsedMessage): Promise<ResponseMessage | undefined> {
    if (received.kind === 'request') return this.#answer(received.message);
    if (received.kind === 'notification') this.notifications.push(received.message.method);
    if (received.kind !== 'malformed') return undefined;
    return { jsonrpc: '2.0', id: received.id ?? null, error: { code: -32600, message: received.reason } };
  }

  unreadable(reason: string): ResponseMessage {
    return { jsonrpc: '2.0', id: null, error: { code: -32700, message: reason } };
  }

  close(): void {
    this.closed = true;
    this.#released();
  }

  async #answer({ id, method, params }: RequestMessage): Promise<ResponseMessage> {
    if (method === 'wait') await this.#release;
    if (method === 'cycle') {
      const cycle: Record<string, unknown> = {};
      cycle['self'] = cycle;
      return { jsonrpc: '2.0', id, result: cycle };
    }
    return { jsonrpc: '2.0', id, result: method === 'echo' ? (params ?? {}) : {} };
  }
}
