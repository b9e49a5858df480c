/** Lines that are the parts of one message, as some write it who must not. */

import { jsonIn } from '../../json/parse.ts';
import { isObject } from '../../jsonrpc/message.ts';

/** Limit of the lines that are held, and of their characters. */
const most = { lines: 2_000, characters: 64 * 1024 } as const;

/** Text that was a message, or was none, and the number of its lines. */
export interface WholeText {
  readonly text: string;
  readonly lines: number;
}

/** Lines that begin a message, and do not end it. */
export class HeldLines {
  #lines: string[] = [];
  #size = 0;

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  /** Takes a line. @returns What is whole now: itself, what it ends, or what was held and is none. */
  take(line: string): readonly WholeText[] {
    const isWhole = jsonIn(line) !== undefined;
    if (this.isEmpty) return isWhole || !/^\s*[[{]/.test(line) ? [{ text: line, lines: 1 }] : this.#hold(line);
    const all = [...this.#lines, line];
    const joined = /[\]}]\s*$/.test(line) ? wholeOf(all) : undefined;
    if (joined !== undefined) {
      this.flush();
      return [{ text: joined, lines: all.length }];
    }
    const own = isWhole ? jsonIn(line) : undefined;
    const isNext = isObject(own) && own['jsonrpc'] !== undefined;
    if (isNext) return [...this.flush(), { text: line, lines: 1 }];
    return this.#hold(line);
  }

  /** Gives up what is held. @returns It, as one text. */
  flush(): readonly WholeText[] {
    const lines = this.#lines.length;
    const text = this.#lines.join('\n');
    [this.#lines, this.#size] = [[], 0];
    return lines === 0 ? [] : [{ text, lines }];
  }

  #hold(line: string): readonly WholeText[] {
    this.#lines.push(line);
    this.#size += line.length;
    const isFull = this.#lines.length > most.lines || this.#size > most.characters;
    return isFull ? this.flush() : [];
  }
}

/** The JSON that lines are together, be it that their ends stand between its parts or within a text. */
function wholeOf(lines: readonly string[]): string | undefined {
  return ['\n', '\\n'].map((end) => lines.join(end)).find((text) => typeof jsonIn(text) === 'object');
}
