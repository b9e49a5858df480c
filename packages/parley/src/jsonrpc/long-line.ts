import { peekMessage, glimpsed, type MessagePeek } from './message-peek.ts';

/** Glimpse of the message in a line, seen from its ends. */
export function peekLine(line: Uint8Array): MessagePeek | undefined {
  return peekMessage(loose(line.subarray(0, glimpsed)), loose(line.subarray(-glimpsed)));
}

/** A line that is too long to be kept: its ends alone are, as it goes by. */
export class LongLine {
  readonly #beginning: string;
  readonly #tell: (seen: MessagePeek | undefined) => void;
  /** Its end so far, until it is told of. */
  #end: Uint8Array | undefined;

  /**
   * @param held What was kept of it so far.
   * @param bytes What comes next, and is still to be passed.
   * @param tell Told once what the ends show: when the line ends, or at once where its end can show no more.
   */
  constructor(held: Uint8Array, bytes: Uint8Array, tell: (seen: MessagePeek | undefined) => void) {
    this.#beginning = loose(joined(held.subarray(0, glimpsed), bytes.subarray(0, glimpsed)).subarray(0, glimpsed));
    this.#end = held.slice(-glimpsed);
    this.#tell = tell;
    const seen = peekMessage(this.#beginning, '');
    if (seen === undefined || seen.id !== undefined) this.#told(seen);
  }

  /** Passes over one more part of it. */
  pass(bytes: Uint8Array, last: boolean): void {
    if (this.#end === undefined) return;
    this.#end = joined(this.#end, bytes.subarray(-glimpsed)).slice(-glimpsed);
    if (last) this.#told(peekMessage(this.#beginning, loose(this.#end)));
  }

  #told(seen: MessagePeek | undefined): void {
    this.#end = undefined;
    this.#tell(seen);
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

/** Bytes as text, for a look that a few wrong characters do no harm to. */
function loose(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
