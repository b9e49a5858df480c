import { ByteBuffer } from './bytes.ts';
import { ConnectionError } from './transport.ts';

/** How long a line may be by default: 10 MiB. */
export const defaultLineBytes: number = 10 * 1024 * 1024;

export interface LineReaderOptions {
  /** Hears every line that is not empty, without its line ending. */
  line(text: string): void;
  /** Hears of a line that is too long (reason `too-large`) or no UTF-8 (`invalid-message`); the next line is read as usual. */
  problem(error: ConnectionError): void;
  /** How many bytes a line may have, line ending left out; 10 MiB by default. */
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

/** Reads newline-delimited text: strict UTF-8, bounded lines, `\r\n` tolerated, empty lines ignored. */
export function lineReader(options: LineReaderOptions): LineReader {
  const maxBytes = options.maxBytes ?? defaultLineBytes;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const encode = chunkEncoder();
  const held = new ByteBuffer();
  let skipping = false;

  function tooLong(): void {
    options.problem(new ConnectionError('too-large', `line is longer than ${maxBytes} bytes`));
  }

  function complete(line: Uint8Array): void {
    const length = line.at(-1) === carriageReturn ? line.length - 1 : line.length;
    if (length === 0) return;
    if (length > maxBytes) return tooLong();
    let text: string;
    try {
      text = decoder.decode(line.subarray(0, length));
    } catch (cause) {
      options.problem(new ConnectionError('invalid-message', 'line is not valid UTF-8', { cause }));
      return;
    }
    if (text !== '') options.line(text);
  }

  /** Takes one more part of the current line; the one byte above the limit may be a carriage return. */
  function part(bytes: Uint8Array, last: boolean): void {
    if (!skipping && held.length + bytes.length > maxBytes + 1) {
      held.take();
      skipping = true;
      tooLong();
    }
    if (!skipping && last && held.length === 0) complete(bytes);
    else if (!skipping) {
      held.append(bytes);
      if (last) complete(held.take());
    }
    if (last) skipping = false;
  }

  return {
    push(chunk: Uint8Array | string): void {
      const bytes = typeof chunk === 'string' ? encode(chunk) : chunk;
      let start = 0;
      for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
        part(bytes.subarray(start, end), true);
        start = end + 1;
      }
      if (start < bytes.length) part(bytes.subarray(start), false);
    },
    end(): void {
      part(new Uint8Array(0), true);
    },
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
