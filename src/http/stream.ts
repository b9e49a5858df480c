import { after } from '../jsonrpc/timeout.ts';
import type { HttpSettings } from './options.ts';
import type { EventWriter, HeaderFields, HttpReply } from './shape.ts';

/** What every event stream says of itself; proxies must neither buffer nor change it. */
export const eventStreamHeaders: HeaderFields = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

/** One open event stream: one message per event, on a single line, without event ids. */
export class EventStream {
  readonly #streams: EventStreams;
  readonly #writer: EventWriter;
  #ended = false;
  /** Whether something was written since the last keep-alive. */
  #lively = true;

  constructor(streams: EventStreams, writer: EventWriter) {
    this.#streams = streams;
    this.#writer = writer;
  }

  /** Whether nothing can be sent any more. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Sends the JSON text of one message. A reader that is too slow is cut off. */
  send(json: string): void {
    this.#write(`data: ${json}\n\n`);
  }

  /** Ends the stream, after one last message if there is one. */
  end(json?: string): void {
    if (this.#ended) return;
    this.closed();
    this.#writer.end(json === undefined ? undefined : `data: ${json}\n\n`);
  }

  /** The connection is gone. */
  closed(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#streams.forget(this);
  }

  /** Writes a comment if nothing was written since the last time. (Spec 2026-07-28, Streamable HTTP, Receiving messages.) */
  keepAlive(): void {
    if (!this.#lively) this.#write(':\n\n');
    this.#lively = false;
  }

  #write(text: string): void {
    if (this.#ended) return;
    this.#lively = true;
    this.#writer.write(text);
    if (this.#writer.buffered <= this.#streams.settings.maxStreamBuffer) return;
    this.closed();
    this.#writer.destroy();
    this.#streams.settings.onError(new Error('the reader of an event stream was too slow and was cut off'));
  }
}

/** All event streams of one server: bounded in number, and kept alive by one timer. */
export class EventStreams {
  readonly settings: HttpSettings;
  readonly #open = new Set<EventStream>();
  #cancelTimer: (() => void) | undefined;

  constructor(settings: HttpSettings) {
    this.settings = settings;
  }

  /** Whether no further stream may be opened. */
  get full(): boolean {
    return this.#open.size >= this.settings.maxStreams;
  }

  /** Begins the event stream of a reply. */
  open(reply: HttpReply, headers?: HeaderFields): EventStream {
    const stream = new EventStream(this, reply.stream(headers));
    this.#open.add(stream);
    this.#cancelTimer ??= after(this.settings.keepAliveMs, () => this.#keepAlive());
    return stream;
  }

  forget(stream: EventStream): void {
    this.#open.delete(stream);
    if (this.#open.size > 0) return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** Ends every stream. */
  close(): void {
    for (const stream of this.#open) stream.end();
  }

  #keepAlive(): void {
    this.#cancelTimer = after(this.settings.keepAliveMs, () => this.#keepAlive());
    for (const stream of this.#open) stream.keepAlive();
  }
}
