import { after } from '../../../parley/src/jsonrpc/timeout.ts';

/** Longest wait for the end of a line, in milliseconds: it may be a prompt that waits for an answer. */
const limitMs = 50;

/** Most characters of a line that is not over. */
const longest = 65_536;

/** Gives text on in whole lines, so that nothing which stands in one of them is cut in two. */
export interface WholeLines {
  feed(text: string): void;
  /** Gives on what is there of a line. */
  flush(): void;
}

/**
 * Makes it.
 *
 * @param hear Hears one line or more; the last may be one that is not over.
 * @param secretAtEnd How many characters at the end of an unfinished line must wait for what follows, since they may begin
 *   a secret.
 */
export function wholeLines(hear: (text: string) => void, secretAtEnd: (text: string) => number = () => 0): WholeLines {
  let held = '';
  let cancel = (): void => {};
  const give = (text: string): void => {
    if (text !== '') hear(text);
  };
  const flush = (): void => {
    cancel();
    const text = held;
    held = '';
    give(text);
  };
  const flushPart = (): void => {
    const end = held.length - secretAtEnd(held);
    const text = held.slice(0, end);
    held = held.slice(end);
    give(text);
  };
  return {
    feed(text) {
      cancel();
      const all = held + text;
      const end = all.lastIndexOf('\n') + 1;
      held = all.slice(end);
      give(all.slice(0, end));
      if (held.length > longest) flushPart();
      if (held !== '') cancel = after(limitMs, flushPart, true);
    },
    flush,
  };
}
