/** One event of a stream. */
export interface StreamEvent {
  /** The type; `undefined` means `message`. */
  readonly event?: string | undefined;
  /**
   * Id from which a broken stream can be resumed from here on; empty where the stream takes back what it said of that.
   */
  readonly id?: string | undefined;
  /** Empty for an item that only has an id, which is no event, and for one that only tells `retry`. */
  readonly data: string;
  /** Milliseconds to wait before reconnecting; such an item stands for the field alone. */
  readonly retry?: number | undefined;
}

/** Listener to what an event stream says. */
export interface EventTextListener {
  found(event: StreamEvent): void;
  /** The data of an event is longer than allowed; nothing follows. */
  tooLong?(): void;
  /** A line that the stream says to nobody, such as one that keeps it open. */
  comment?(text: string): void;
}

const blockLines = 1024;

/**
 * Takes the text of an event stream apart, wherever it was cut. (WHATWG HTML, Server-sent events, 9.2.6: an id counts once
 * its event is over, whether or not that has data; without data nothing else of it does.)
 */
export class EventText {
  readonly #listener: EventTextListener;
  readonly #most: number;
  /** Pieces that came after the last line break. */
  #held: string[] = [];
  #begun = false;
  #endedInReturn = false;
  #type: string | undefined;
  #id: string | undefined;
  #data: string | undefined;
  /** The lines of data after the first, and whole blocks of them: many short lines take no more room than their text. */
  #lines: string[] = [];
  #blocks: string[] = [];
  #length = 0;

  /** @param most How many characters the data of an event may have; any number by default. */
  constructor(listener: EventTextListener, most: number = Number.POSITIVE_INFINITY) {
    this.#listener = listener;
    this.#most = most;
  }

  /** True while an event is not over, so that a stream which ends here was cut within it. */
  get within(): boolean {
    const parts = [this.#data, this.#type, this.#id];
    return this.#held.length > 0 || parts.some((part) => part !== undefined);
  }

  feed(piece: string): void {
    const lines = this.#linesIn(piece);
    let start = 0;
    for (let end = lines.indexOf('\n'); end !== -1; end = lines.indexOf('\n', start)) {
      this.#line(lines.slice(start, end));
      start = end + 1;
    }
    if (start < lines.length) this.#held.push(lines.slice(start));
  }

  /** Text that was held and the piece, where that ends a line; all three line endings are one from here on. */
  #linesIn(piece: string): string {
    let text = piece;
    if (!this.#begun && text !== '') {
      this.#begun = true;
      if (text.startsWith('\uFEFF')) text = text.slice(1);
    }
    if (this.#endedInReturn && text.startsWith('\n')) text = text.slice(1);
    if (piece !== '') this.#endedInReturn = piece.endsWith('\r');
    if (text.includes('\r')) text = text.replaceAll(/\r\n?/g, '\n');
    if (this.#held.length === 0) return text;
    if (!text.includes('\n')) {
      if (text !== '') this.#held.push(text);
      return '';
    }
    text = this.#held.join('') + text;
    this.#held = [];
    return text;
  }

  #line(line: string): void {
    if (line === '') return this.#over();
    const colon = line.indexOf(':');
    if (colon === -1) this.#field(line, '');
    // A line that begins with the colon is a comment.
    else if (colon === 0) this.#listener.comment?.(line.slice(1).trimStart());
    else this.#field(line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1));
  }

  #field(name: string, value: string): void {
    if (name === 'data') {
      if (this.#data === undefined) this.#data = value;
      else this.#another(value);
      this.#length += value.length + 1;
      if (this.#length - 1 > this.#most) this.#listener.tooLong?.();
    } else if (name === 'event') this.#type = value === '' ? undefined : value;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.#listener.found({ data: '', retry: Number(value) });
    // Any other field is to be ignored.
  }

  #another(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length < blockLines) return;
    this.#blocks.push(this.#lines.join('\n'));
    this.#lines = [];
  }

  #over(): void {
    const [event, id] = [this.#type, this.#id];
    const more = this.#blocks.length + this.#lines.length > 0;
    const data = more ? [this.#data, ...this.#blocks, ...this.#lines].join('\n') : this.#data;
    if (more) {
      this.#lines = [];
      this.#blocks = [];
    }
    this.#length = 0;
    this.#type = undefined;
    this.#id = undefined;
    this.#data = undefined;
    if (data !== undefined) this.#listener.found({ event, id, data });
    else if (id !== undefined) this.#listener.found({ id, data: '' });
  }
}
