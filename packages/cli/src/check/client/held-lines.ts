/** Lines that are the parts of one message, as some write it who must not. */

import { jsonIn } from '../../../../parley/src/json/parse.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';

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
  #brackets = new Brackets();

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  /** Takes a line. @returns What is whole now: itself, what it ends, or what was held and is none. */
  take(line: string): readonly WholeText[] {
    const own = jsonIn(line);
    if (this.isEmpty)
      return own !== undefined || !/^\s*[[{]/.test(line) ? [{ text: line, lines: 1 }] : this.#hold(line);
    // Parsing the lines again with each new one would take quadratic time.
    const joined = this.#brackets.take(line) ? wholeOf([...this.#lines, line]) : undefined;
    if (joined !== undefined) {
      const lines = this.#lines.length + 1;
      this.flush();
      return [{ text: joined, lines }];
    }
    const isNext = isObject(own) && own['jsonrpc'] !== undefined;
    if (isNext) return [...this.flush(), { text: line, lines: 1 }];
    return this.#kept(line);
  }

  /** Gives up what is held. @returns It, as one text. */
  flush(): readonly WholeText[] {
    const lines = this.#lines.length;
    const text = this.#lines.join('\n');
    [this.#lines, this.#size, this.#brackets] = [[], 0, new Brackets()];
    return lines === 0 ? [] : [{ text, lines }];
  }

  #hold(line: string): readonly WholeText[] {
    this.#brackets.take(line);
    return this.#kept(line);
  }

  #kept(line: string): readonly WholeText[] {
    this.#lines.push(line);
    this.#size += line.length;
    const isFull = this.#lines.length > most.lines || this.#size > most.characters;
    return isFull ? this.flush() : [];
  }
}

/** Brackets outside of strings, of lines one after the other. */
class Brackets {
  #open = 0;
  #isInString = false;
  #isOver = false;

  /** Takes a line. @returns True where it closes the first bracket, which is once: what follows belongs to nothing. */
  take(line: string): boolean {
    if (this.#isOver) return false;
    for (let at = 0; at < line.length && !this.#isOver; at++) {
      const one = line[at];
      if (this.#isInString && one === '\\') at++;
      else if (one === '"') this.#isInString = !this.#isInString;
      else if (this.#isInString) continue;
      else if (one === '[' || one === '{') this.#open++;
      else if (one === ']' || one === '}') this.#isOver = --this.#open <= 0;
    }
    return this.#isOver;
  }
}

/** The JSON that lines are together, be it that their ends stand between its parts or within a text. */
function wholeOf(lines: readonly string[]): string | undefined {
  return ['\n', '\\n'].map((end) => lines.join(end)).find((text) => typeof jsonIn(text) === 'object');
}
