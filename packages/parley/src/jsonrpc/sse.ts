import { ByteBuffer } from './bytes.ts';
import { EventText, type StreamEvent } from './event-text.ts';
import { soon } from './timeout.ts';
import { ConnectionError } from './transport.ts';

export type { StreamEvent } from './event-text.ts';

/** Size that an event may have by default: 16 MiB. */
export const defaultEventBytes: number = 16 * 1024 * 1024;

export interface EventReaderOptions {
  /** Limit of the bytes of a line, and of the characters of an event's data; 16 MiB by default. */
  readonly maxBytes?: number | undefined;
  /** Name of the option that sets the limit, for who reads that it was passed. */
  readonly limitOption?: string;
}

/** Bytes after which a stream waits for the next turn of the event loop. */
const turnBytes = 16 * 1024;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Reads server-sent events. Comments are skipped; an event that the stream breaks off in is no event.
 *
 * @throws ConnectionError `too-large` for a line or an event over the limit, `invalid-message` for what is no UTF-8;
 *   the rest of the stream is then not read.
 */
export async function* readEvents(
  bytes: AsyncIterable<Uint8Array>,
  options: EventReaderOptions = {},
): AsyncGenerator<StreamEvent, void, undefined> {
  const maxBytes = options.maxBytes ?? defaultEventBytes;
  const found: StreamEvent[] = [];
  const tooLong = (): ConnectionError => tooLarge(maxBytes, options.limitOption);
  const feed = eventFeed({ maxBytes, tooLong }, (event) => found.push(event));
  const held = new ByteBuffer();
  for await (const chunk of bytes) {
    let failure: Error | undefined;
    try {
      const end = Math.max(chunk.lastIndexOf(lineFeed), chunk.lastIndexOf(carriageReturn)) + 1;
      if (end > 0) {
        const lines = chunk.subarray(0, end);
        if (held.length === 0) feed(lines);
        else {
          held.append(lines);
          feed(held.take());
        }
      }
      held.append(chunk.subarray(end));
      if (held.length > maxBytes) throw tooLong();
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    }
    // What was whole before the failure counts, however the bytes were cut.
    yield* found.splice(0);
    if (failure !== undefined) throw failure;
    // A server that sends without end must not delay timers and other connections.
    if (chunk.length >= turnBytes) await new Promise<void>(soon);
  }
}

interface EventLimit {
  readonly maxBytes: number;
  tooLong(): ConnectionError;
}

/** Takes whole lines, so that the text never has to be put together. */
function eventFeed(
  { maxBytes, tooLong }: EventLimit,
  found: (event: StreamEvent) => void,
): (lines: Uint8Array) => void {
  // What marks the beginning of a text is the parser's to drop, as it is told apart there.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const fail = (): never => {
    throw tooLong();
  };
  const parser = new EventText({ found, tooLong: fail }, maxBytes);
  const decode = (line: Uint8Array): string => {
    try {
      return decoder.decode(line);
    } catch (cause) {
      throw new ConnectionError('invalid-message', 'the event stream is not valid UTF-8', { cause });
    }
  };
  return (lines) => {
    let text: string;
    try {
      text = decode(lines);
    } catch {
      // The lines before the wrong one count, which throws again.
      for (const line of linesOf(lines)) parser.feed(decode(line));
      return;
    }
    parser.feed(text);
  };
}

function* linesOf(lines: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < lines.length;) {
    const rest = lines.subarray(start);
    const line = rest.subarray(0, rest.findIndex((byte) => byte === lineFeed || byte === carriageReturn) + 1);
    yield line;
    start += line.length;
  }
}

function tooLarge(maxBytes: number, option: string | undefined): ConnectionError {
  const setBy = option === undefined ? '' : `, the limit that ${option} sets`;
  return new ConnectionError('too-large', `an event is larger than ${maxBytes} bytes${setBy}`);
}

/**
 * The text of one event.
 *
 * @param id Where a broken stream can be resumed.
 * @param event The type, where it is not `message`.
 * @throws TypeError when the id or type has a line break.
 */
export function formatEvent(data: string, id?: string, event?: string): string {
  const lines = /[\r\n]/.test(data) ? data.split(/\r\n?|\n/).join('\ndata: ') : data;
  return `${field('event', event)}${field('id', id)}data: ${lines}\n\n`;
}

/** The text that keeps an idle stream open and means nothing. */
export const keepAlive: string = ':\n\n';

function field(name: string, value: string | undefined): string {
  if (value === undefined) return '';
  if (/[\r\n\0]/.test(value)) throw new TypeError(`${name} of an event has a line break: ${JSON.stringify(value)}`);
  return `${name}: ${value}\n`;
}
