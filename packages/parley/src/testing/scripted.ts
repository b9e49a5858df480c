import { isObject, type Message, type RequestId } from '../jsonrpc/message.ts';
import {
  ConnectionError,
  type Channel,
  type Receiver,
  type SendOptions,
  type Transport,
} from '../jsonrpc/transport.ts';
import { httpFacts } from '../jsonrpc/transport-facts.ts';

/** One message that a client sent, with what travelled beside it. */
export interface SentMessage {
  /** The message in wire form. */
  readonly message: Readonly<Record<string, unknown>>;
  /** The headers of the message. */
  readonly headers: Readonly<Record<string, string>>;
  /** The signal of the message, if it has one. */
  readonly signal: AbortSignal | undefined;
  /** The number of the conversation that carried it, from 1. */
  readonly conversation: number;
}

/** The server end of a scripted conversation. */
export interface ScriptedPeer {
  /** Sends any JSON value to the client. */
  send(value: unknown, status?: number): void;
  /** Sends any JSON value in the exchange of a request, or on a stream of none if its id is null. */
  within(sent: Pick<SentMessage, 'message'>, value: unknown): void;
  /** Answers a request with a result. */
  reply(sent: SentMessage, result: Readonly<Record<string, unknown>>): void;
  /** Answers a request with an error. */
  refuse(
    sent: SentMessage,
    error: { readonly code: number; readonly message: string; readonly data?: unknown },
    status?: number,
  ): void;
  /** Makes the sending of a request fail, as a transport does that lost it. */
  fail(error: ConnectionError): never;
  /** Reports text that is no message. */
  garble(error: Error): void;
  /** Reports that messages may have been lost. */
  gap(): void;
  /** Ends the conversation. */
  end(error?: ConnectionError): void;
}

/** The reaction of a scripted server to each message; what it throws is what `send` rejects with. */
export type Script = (sent: SentMessage, peer: ScriptedPeer) => void | Promise<void>;

/** A transport whose server is a function, with a record of what the client did. */
export interface ScriptedTransport extends Transport {
  /** Every message that was sent, in order. */
  readonly sent: readonly SentMessage[];
  /** Methods that were sent, in order; responses are `response`. */
  readonly methods: readonly string[];
  /** The conversations that were opened. */
  readonly peers: readonly ScriptedPeer[];
  /** The numbers of the conversations that the client closed, in order. */
  readonly closed: readonly number[];
  /** Headers that `setHeaders` was given last. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Number of times that `listen` was called. */
  readonly listens: number;
}

/** Kind of scripted transport. */
export type ScriptedKind = Parameters<typeof scriptedTransport>[0];

/**
 * Makes a transport of any kind from a function that plays the server.
 *
 * @param kind `http` has headers, and an exchange for each message; `stdio` is a process of its own; `memory` is a plain
 * stream of messages.
 */
export function scriptedTransport(
  kind: 'http' | 'stdio' | 'memory',
  script: Script,
  description: string = `scripted ${kind}`,
): ScriptedTransport {
  const sent: SentMessage[] = [];
  const peers: ScriptedPeer[] = [];
  const closed: number[] = [];
  let headers: Readonly<Record<string, string>> | undefined;
  let listens = 0;
  return {
    ...(kind === 'http' ? { ...httpFacts, address: description } : { ownsProcess: kind === 'stdio' }),
    description,
    sent,
    peers,
    closed,
    get methods() {
      return sent.map(({ message }) => (typeof message['method'] === 'string' ? message['method'] : 'response'));
    },
    get headers() {
      return headers;
    },
    get listens() {
      return listens;
    },
    async open(receiver: Receiver): Promise<Channel> {
      const peer = createPeer(receiver);
      const conversation = peers.push(peer);
      return {
        async send(message: Message | readonly Message[], options: SendOptions = {}) {
          if (!isObject(message)) throw new TypeError('batches are not scripted');
          const record: SentMessage = {
            message: structuredClone(message),
            headers: options.headers ?? {},
            signal: options.signal,
            conversation,
          };
          sent.push(record);
          await script(record, peer);
        },
        setHeaders: (given) => void (headers = given),
        async listen() {
          listens++;
          return true;
        },
        close: async () => void closed.push(conversation),
      };
    },
  };
}

function createPeer(receiver: Receiver): ScriptedPeer {
  const send: ScriptedPeer['send'] = (value, status) =>
    receiver.message(value, status === undefined ? undefined : { status });
  return {
    send,
    within: ({ message }, value) => receiver.message(value, { request: message['id'] as RequestId }),
    reply: ({ message }, result) => send({ jsonrpc: '2.0', id: message['id'], result }),
    refuse: ({ message }, error, status) => send({ jsonrpc: '2.0', id: message['id'], error }, status),
    fail(error) {
      throw error;
    },
    garble: (error) => receiver.problem(error),
    gap: () => receiver.gap?.(),
    end: (error = new ConnectionError('exited', 'the server exited')) => receiver.closed(error),
  };
}
