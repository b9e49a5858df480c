import { ByteBuffer } from './bytes.ts';
import type { MessagePeek } from './message-peek.ts';
import { peekLine, LongLine } from './long-line.ts';
import { ConnectionError } from './transport.ts';

/** Length that a line may have by default: 10 MiB. */
export const defaultLineBytes: number = 10 * 1024 * 1024;

export interface LineReaderOptions {
  /** Hears every line that is not empty, without its line ending. */
  line(text: string): void;
  /**
   * Hears of a line that is too long (reason `too-large`) or no UTF-8 (`invalid-message`); the next line is read as usual.
   *
   * @param seen What the ends of the line tell, where it looks like a message.
   */
  problem(error: ConnectionError, seen?: MessagePeek): void;
  /** Limit of the bytes of a line, line ending left out; 10 MiB by default. */
  readonly maxBytes?: number | undefined;
}

/** Turns chunks of any size into lines. */
export interface LineReader {
  push(chunk: Uint8Array | string): void;
  /** The input is over: a last line without an ending still counts. */
  end(): void;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = 0xfeff;

function longerThan(maxBytes: number): ConnectionError {
  return new ConnectionError('too-large', `line is longer than ${maxBytes} bytes, the limit that maxLineBytes sets`);
}

/** Reads newline-delimited text: strict UTF-8, bounded lines, `\r\n` tolerated, empty lines ignored. */
export function lineReader(options: LineReaderOptions): LineReader {
  const maxBytes = options.maxBytes ?? defaultLineBytes;
  const decode = strictDecoder();
  const encode = chunkEncoder();
  const held = new ByteBuffer();
  let skipped: LongLine | undefined;

  function tooLong(seen: MessagePeek | undefined): void {
    options.problem(longerThan(maxBytes), seen);
  }

  function complete(line: Uint8Array): void {
    const length = line.at(-1) === carriageReturn ? line.length - 1 : line.length;
    if (length > maxBytes) return tooLong(peekLine(line));
    const text = decode(line.subarray(0, length));
    if (typeof text === 'string') hear(text, options);
    else options.problem(new ConnectionError('invalid-message', 'line is not valid UTF-8', text), peekLine(line));
  }

  /** Takes one more part of the current line; the one byte above the limit may be a carriage return. */
  function part(bytes: Uint8Array, last: boolean): void {
    if (held.length + bytes.length > maxBytes + 1) skipped ??= new LongLine(held.take(), bytes, tooLong);
    if (skipped !== undefined) {
      skipped.pass(bytes, last);
      if (last) skipped = undefined;
      return;
    }
    if (last && held.length === 0) return complete(bytes);
    held.append(bytes);
    if (last) complete(held.take());
  }

  /** Takes the lines of a chunk one by one. */
  function each(bytes: Uint8Array): void {
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      part(bytes.subarray(start, end), true);
      start = end + 1;
    }
    if (start < bytes.length) part(bytes.subarray(start), false);
  }

  return {
    push(chunk: Uint8Array | string): void {
      const bytes = typeof chunk === 'string' ? encode(chunk) : chunk;
      const last = bytes.lastIndexOf(lineFeed);
      // Whole lines that are short enough are decoded at once, which costs far less than one by one.
      const whole = last >= 0 && last <= maxBytes && held.length === 0 && skipped === undefined;
      const text = whole ? decode(bytes.subarray(0, last)) : undefined;
      if (typeof text !== 'string') return each(bytes);
      for (const line of text.split('\n')) hear(line.endsWith('\r') ? line.slice(0, -1) : line, options);
      if (last + 1 < bytes.length) each(bytes.subarray(last + 1));
    },
    end(): void {
      part(new Uint8Array(0), true);
    },
  };
}

/** Hands on a line that is not empty; a byte order mark before it is no part of it. */
function hear(line: string, options: LineReaderOptions): void {
  const text = line.charCodeAt(0) === byteOrderMark ? line.slice(1) : line;
  if (text !== '') options.line(text);
}

/** Decodes UTF-8, or says why it is none. */
function strictDecoder(): (bytes: Uint8Array) => string | { readonly cause: unknown } {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return (bytes) => {
    try {
      return decoder.decode(bytes);
    } catch (cause) {
      return { cause };
    }
  };
}

/** Encodes chunks of text; a surrogate pair that was cut in two is put together first. */
function chunkEncoder(): (chunk: string) => Uint8Array {
  const encoder = new TextEncoder();
  let half = '';
  return (chunk) => {
    const text = half + chunk;
    const last = text.charCodeAt(text.length - 1);
    half = last >= 0xd800 && last <= 0xdbff ? text.slice(-1) : '';
    return encoder.encode(half === '' ? text : text.slice(0, -1));
  };
}
