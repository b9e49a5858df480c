import type { Readable, Writable } from 'node:stream';
import type { Message } from '../../jsonrpc/message.ts';
import { ConnectionError, type Channel, type Receiver, type Transport } from '../../jsonrpc/transport.ts';
import { readInTurns } from './flood.ts';
import { lineWriter, sendLine, type LineWriter } from './line-writer.ts';
import { messageReader } from './message-reader.ts';
import { refuseNoNumber } from '../../options/known-values.ts';

/** The two directions of a connection; for a socket both are the socket. */
export interface ByteStreams {
  /** Stream that the server writes. */
  readonly input: Readable;
  /** The stream that the server reads. */
  readonly output: Writable;
}

/** Options of reaching a peer over a pair of byte streams. */
export interface StreamTransportOptions {
  /** Name that a person would give the server; `streams` by default. */
  readonly description?: string;
  /** Limit of the bytes of a message of the server; 10 MiB by default. */
  readonly maxLineBytes?: number;
  /** Limit of the bytes that may wait for a server that does not read; 64 MiB by default. Beyond it, sending fails. */
  readonly maxPendingBytes?: number;
}

/**
 * Reaches a server over byte streams that are open already, such as a TCP or Unix socket, with the framing of stdio:
 * each message is one line. They hold one conversation, so the transport can be opened once. Closing ends both streams.
 *
 * @throws TypeError for limits that are not numbers.
 *
 * @example const socket = createConnection('/run/weather.sock'); const client = await connect(streamTransport({ input:
 * socket, output: socket }));
 */
export function streamTransport(streams: ByteStreams, options: StreamTransportOptions = {}): Transport {
  const description = options.description ?? 'streams';
  const { maxLineBytes, maxPendingBytes } = options;
  for (const [name, value] of Object.entries({ maxLineBytes, maxPendingBytes })) refuseNoNumber(name, value);
  let opened = false;
  return {
    description,
    opensOnce: true,
    async open(receiver) {
      if (opened) throw new ConnectionError('refused', `${description} can be opened once`);
      opened = true;
      return new StreamChannel(streams, receiver, options);
    },
  };
}

class StreamChannel implements Channel {
  readonly #streams: ByteStreams;
  readonly #receiver: Receiver;
  readonly #maxPending: number;
  readonly #writer: LineWriter;
  #ended: ConnectionError | undefined;

  constructor(streams: ByteStreams, receiver: Receiver, options: StreamTransportOptions) {
    const { input, output } = streams;
    this.#streams = streams;
    this.#receiver = receiver;
    this.#maxPending = options.maxPendingBytes ?? 64 * 1024 * 1024;
    this.#writer = lineWriter(output);
    const reader = messageReader(receiver, {
      maxBytes: options.maxLineBytes,
      isSilent: () => this.#ended !== undefined,
      flooded: (error) => {
        this.#over(error);
        void this.close();
      },
    });
    readInTurns(input, (chunk) => reader.push(chunk));
    input.once('end', () => {
      reader.end();
      this.#over(new ConnectionError('closed', 'the server closed its output'));
    });
    for (const stream of new Set([input, output])) {
      stream.on('error', (cause: Error) => this.#over(new ConnectionError('closed', 'the stream broke', { cause })));
      stream.once('close', () => this.#over(new ConnectionError('closed', 'the stream was closed')));
    }
  }

  async send(message: Message | readonly Message[]): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended;
    await sendLine(this.#writer, message, { maxPending: this.#maxPending, ended: () => this.#ended });
  }

  async close(): Promise<void> {
    this.#ended ??= new ConnectionError('closed', 'the conversation is closed');
    void this.#writer.flushed();
    this.#streams.output.end();
    this.#streams.input.destroy();
  }

  #over(error: ConnectionError): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    this.#receiver.closed(error);
  }
}
