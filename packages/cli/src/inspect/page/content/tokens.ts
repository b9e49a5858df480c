import { Lexer, Tokenizer, type Token } from 'marked';

/** Time limit for reading a text, in milliseconds: its author may have made it very slow. */
const maxMs = 500;

/**
 * Reads a text as Markdown; `undefined` where that takes too long, or more of the stack than there is. The reader asks for the end of a
 * line and for an escape wherever it goes on, so that it can be stopped there.
 */
export function tokensOf(text: string, now: () => number = () => performance.now()): readonly Token[] | undefined {
  const until = now() + maxMs;
  const tokenizer = new Tokenizer();
  const { space, escape } = tokenizer;
  const goOn = (): void => {
    if (now() > until) throw new RangeError(`not read within ${maxMs} ms`);
  };
  tokenizer.space = (source) => {
    goOn();
    return space.call(tokenizer, source);
  };
  tokenizer.escape = (source) => {
    goOn();
    return escape.call(tokenizer, source);
  };
  try {
    return new Lexer({ gfm: true, tokenizer }).lex(text);
  } catch {
    return undefined;
  }
}
