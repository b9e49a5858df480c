import { answeredBy, peekText } from '../../jsonrpc/message-peek.ts';
import { JsonError } from '../../json/parse.ts';
import { lineReader, type LineReader } from '../../jsonrpc/ndjson.ts';
import { parseMessage } from '../../jsonrpc/encode.ts';
import { floodError, InvalidLines } from './flood.ts';
import { ConnectionError, type MessageOrigin, type Receiver } from '../../jsonrpc/transport.ts';

export interface MessageReaderOptions {
  readonly maxBytes: number | undefined;
  /** Tells whether messages are no longer accepted. */
  isSilent(): boolean;
  /** Ends the conversation with a server that writes other text than messages without end. */
  flooded(error: ConnectionError): void;
}

/**
 * Reads lines of JSON and passes them to a receiver. An invalid line is a problem, and the next line is read as usual.
 */
export function messageReader(receiver: Receiver, { maxBytes, isSilent, flooded }: MessageReaderOptions): LineReader {
  const invalid = new InvalidLines();

  function problem(error: ConnectionError, about?: MessageOrigin): void {
    if (!isSilent()) receiver.problem(error, about);
  }

  function counted(): void {
    if (invalid.isFlood && !isSilent()) flooded(floodError('server'));
  }

  function line(text: string): void {
    if (isSilent()) return;
    receiver.line?.(text);
    let value: unknown;
    try {
      value = parseMessage(text, { exactNumbers: receiver.exactNumbers });
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      // An oversized line may be the answer to a request. A line that is not JSON is not.
      const reason = error.reason === 'too-deep' ? 'too-large' : 'invalid-message';
      const answered = answeredBy(peekText(text));
      const words = `${error.message}: ${text.slice(0, 200)}`;
      invalid.invalid();
      if (invalid.isReported || answered !== undefined)
        problem(new ConnectionError(reason, words, { cause: error }), { text, answered });
      return counted();
    }
    invalid.parsed(value);
    if (invalid.isReported) receiver.message(value, { text });
    counted();
  }

  return lineReader({
    maxBytes,
    line,
    problem(error, seen) {
      invalid.invalid();
      const answered = answeredBy(seen);
      if (invalid.isReported || answered !== undefined) problem(error, { answered });
      counted();
    },
  });
}
