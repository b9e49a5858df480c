import { answeredBy, glimpseText } from '../jsonrpc/glimpse.ts';
import { JsonError } from '../json/parse.ts';
import { lineReader, type LineReader } from '../jsonrpc/ndjson.ts';
import { parseMessage } from '../jsonrpc/encode.ts';
import { ConnectionError, type MessageOrigin, type Receiver } from '../jsonrpc/transport.ts';

export interface MessageReaderOptions {
  readonly maxBytes: number | undefined;
  /** Tells whether nothing is to be heard any more. */
  isSilent(): boolean;
}

/** Reads lines of JSON and hands them to a receiver; what is none is a problem, and the next line is read as usual. */
export function messageReader(receiver: Receiver, { maxBytes, isSilent }: MessageReaderOptions): LineReader {
  function problem(error: ConnectionError, about?: MessageOrigin): void {
    if (!isSilent()) receiver.problem(error, about);
  }

  function line(text: string): void {
    if (isSilent()) return;
    receiver.line?.(text);
    let value: unknown;
    try {
      value = parseMessage(text, { exactNumbers: receiver.exactNumbers });
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      // What is over a limit may be an answer that somebody waits for; what is no JSON is none.
      const reason = error.reason === 'too-deep' ? 'too-large' : 'invalid-message';
      const answered = answeredBy(glimpseText(text));
      const words = `${error.message}: ${text.slice(0, 200)}`;
      problem(new ConnectionError(reason, words, { cause: error }), { text, answered });
      return;
    }
    receiver.message(value, { text });
  }

  return lineReader({ maxBytes, line, problem: (error, seen) => problem(error, { answered: answeredBy(seen) }) });
}
