import { eachInSlices, Slices } from '../../../../jsonrpc/slices.ts';
import { after } from '../../../../jsonrpc/timeout.ts';
import type { OnEvent } from '../../../../server/runtime/events/service-event.ts';
import type { ServiceListeners } from '../../../../server/runtime/request-handler.ts';
import type { HttpSettings } from './options.ts';
import type { EventWriter, HeaderFields, HttpReply } from './universal.ts';
import { Quota, type QuotaClient, type FullQuota } from './quota.ts';
import { weightOf, type MessageWeight } from './message-weight.ts';

/** Headers of every event stream; proxies must neither buffer nor change it. */
export const eventStreamHeaders: HeaderFields = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

/** One event in written form: the JSON text of a message on a single line, and an id if it can be resumed from. */
export interface WrittenEvent {
  readonly data: string;
  readonly id?: string | undefined;
}

/** Options of opening an event stream. */
export interface StreamOptions {
  readonly headers?: HeaderFields;
  /** The client that it counts for. */
  readonly client?: QuotaClient;
  /**
   * True if the head is sent with the first event. A client that has a head but no event cannot resume the stream, and
   * some then wait forever. If an event must be stored before it is sent, the process may die in that time.
   */
  readonly withFirst?: boolean;
}

/** Responses and requests may wait for a slow reader up to this multiple of the buffer limit. */
const essentialFactor = 8;

/** The head of an answer that is an event stream. */
interface StreamHead {
  begin(): EventWriter;
  destroy(): void;
}

/** One connection of an event stream: one message per event. */
export class EventStream {
  readonly client: QuotaClient;
  /** Receives its events, if there was a listener when it was opened. */
  tell: OnEvent | undefined;
  readonly #streams: EventStreams;
  readonly #head: StreamHead;
  #writer: EventWriter | undefined;
  #ended = false;
  /** True when something was written since the last keep-alive. */
  #lively = true;
  /** Bytes of a replay, added to the limit for a slow reader. */
  #allowance = 0;
  /** True once a report was dropped. */
  #drops = false;

  constructor(streams: EventStreams, head: StreamHead, client: QuotaClient) {
    this.client = client;
    this.#streams = streams;
    this.#head = head;
  }

  /** Sends the head, unless it is sent. */
  begin(): EventWriter {
    return (this.#writer ??= this.#head.begin());
  }

  /** Tells whether nothing can be sent any more. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Sends the JSON text of one message. If the reader is too slow, reports are dropped and notifications end the connection. */
  send(data: string, id?: string): void {
    this.#sendAs(weightOf(data), format({ data, id }));
  }

  /** Sends the JSON text of one message as a named event. */
  sendNamed(event: string, data: string): void {
    this.#sendAs(weightOf(data), `event: ${event}\n${format({ data })}`);
  }

  /** Sends the missed events, whatever their size: it was limited when they were stored. */
  replay(events: readonly WrittenEvent[]): void {
    if (events.length === 0) return;
    this.#streams.listeners?.watchers.forEach((watcher) => watcher.replayed(events.length));
    const text = events.map(format).join('');
    // The buffer is counted in bytes. Replays are rare, so counting is acceptable.
    this.#allowance += new TextEncoder().encode(text).byteLength;
    this.write(text);
  }

  /** Writes the text of whole events that must not be lost. */
  write(text: string): void {
    this.#sendAs('essential', text);
  }

  /** One message may be larger than the buffer limit. Only the next message finds the buffer full. */
  #sendAs(weight: MessageWeight, text: string): void {
    if (this.#ended) return;
    this.#lively = true;
    const excess = (this.#writer?.buffered ?? 0) - this.#allowance;
    const { maxStreamBufferBytes, onError } = this.#streams.settings;
    if (excess <= maxStreamBufferBytes * (weight === 'essential' ? essentialFactor : 1))
      return this.#attempt(() => this.begin().write(text));
    if (weight !== 'report')
      return this.#cut('slow', new Error('the reader of an event stream was too slow and was cut off'));
    if (!this.#drops)
      onError(new Error('the reader of an event stream is slow: log messages and progress to it are dropped'));
    this.#drops = true;
  }

  /** Tries to write: a layer in front of a platform's reply may throw, and the sender must not see that. */
  #attempt(write: () => void): void {
    try {
      write();
    } catch (cause) {
      this.#cut('broken', new Error('an event stream could not be written to', { cause }));
    }
  }

  #cut(reason: 'slow' | 'broken', error: Error): void {
    if (!this.#ended) this.tell?.({ type: 'stream-cut', reason });
    this.closed();
    (this.#writer ?? this.#head).destroy();
    this.#streams.settings.onError(error);
  }

  /** Ends the stream, after a final message if there is one. */
  end(data?: string, id?: string): void {
    if (this.#ended) return;
    this.closed();
    this.#attempt(() => this.begin().end(data === undefined ? undefined : format({ data, id })));
  }

  /** Tells the client when to come back, and ends the connection. */
  pause(retryMs: number): void {
    if (this.#ended) return;
    this.closed();
    this.#attempt(() => this.begin().end(`${retryField(retryMs)}\n`));
  }

  /** The connection has closed. */
  closed(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#streams.forget(this);
  }

  /** Writes a comment, which has no content. A reader with a backlog needs none. */
  comment(): void {
    this.#sendAs('report', ':\n\n');
  }

  /** Writes a comment if nothing was written since the last time. (Spec 2026-07-28, Streamable HTTP, Receiving messages.) */
  keepAlive(): void {
    if (this.#lively) this.#lively = false;
    else this.comment();
  }
}

/** The longest `retry` time for a client: a day. */
const maxRetryMs = 86_400_000;

/** The line that tells a client when to come back; it has digits alone. (WHATWG, Server-sent events, 9.2.6.) */
export function retryField(ms: number): string {
  return `retry: ${Math.ceil(Math.min(ms, maxRetryMs))}\n`;
}

function format({ data, id }: WrittenEvent): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`;
}

/** All event streams of one server: limited in number, and kept alive by one timer. */
export class EventStreams {
  readonly settings: HttpSettings;
  readonly listeners: ServiceListeners | undefined;
  readonly #open = new Set<EventStream>();
  readonly #quota: Quota;
  readonly #slices = new Slices();
  #cancelTimer: (() => void) | undefined;
  #closed = false;

  /** @param listeners Receive the events of streams. */
  constructor(settings: HttpSettings, listeners?: ServiceListeners) {
    this.settings = settings;
    this.listeners = listeners;
    this.#quota = new Quota(settings.maxStreams, settings.maxStreamsPerPrincipal);
  }

  /** Places that are all taken, if any are: everybody's, or all those of one owner. */
  full(client: QuotaClient): FullQuota | undefined {
    return this.#quota.full(client);
  }

  /** Begins the event stream of a reply; it has ended where all have, as for one that was waited for meanwhile. */
  open(reply: HttpReply, { headers, client = {}, withFirst = false }: StreamOptions = {}): EventStream {
    const stream = new EventStream(
      this,
      { begin: () => reply.stream(headers), destroy: () => reply.destroy() },
      { auth: client.auth, owner: client.owner },
    );
    if (!withFirst) stream.begin();
    if (this.#closed) {
      stream.end();
      return stream;
    }
    this.#open.add(stream);
    this.#quota.take(stream.client);
    stream.tell = this.listeners?.tell;
    stream.tell?.({ type: 'stream-opened' });
    this.#cancelTimer ??= this.#keepAliveLater();
    return stream;
  }

  /** Gives back the place of a stream that ended. */
  forget(stream: EventStream): void {
    if (this.#open.delete(stream)) {
      this.#quota.give(stream.client);
      stream.tell?.({ type: 'stream-ended' });
    }
    if (this.#open.size > 0) return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** Ends every stream, in slices. */
  close(): Promise<void> {
    this.#closed = true;
    return eachInSlices(this.#open, (stream) => stream.end());
  }

  /**
   * Checks at each half of the time: a stream that was silent since the previous check gets a comment before the whole
   * time is over.
   */
  #keepAliveLater(): () => void {
    return after(this.settings.keepAliveIntervalMs / 2, () => {
      this.#cancelTimer = this.#keepAliveLater();
      this.#slices.add('keep alive', () => this.#keepAlive());
    });
  }

  *#keepAlive(): Generator<void> {
    for (const stream of this.#open) {
      stream.keepAlive();
      yield;
    }
  }
}
