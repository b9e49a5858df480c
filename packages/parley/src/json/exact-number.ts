/** Numbers that JavaScript would spell in another way than their JSON text does. */

/**
 * A number of JSON with its spelling, such as `1.0` or `12345678901234567890`, which is written as it was read.
 *
 * Only who passes values on asks for such numbers; everybody else has plain ones. It counts as its number in comparisons
 * and sums; `typeof` and `===` tell the two apart.
 */
export class ExactNumber {
  /** The number as JSON spells it. */
  readonly text: string;

  /** @param text What the grammar of JSON allows as a number; it is not checked. */
  constructor(text: string) {
    this.text = text;
    Object.freeze(this);
  }

  valueOf(): number {
    return Number(this.text);
  }

  toString(): string {
    return this.text;
  }

  /** Value that `JSON.stringify` writes: the digits, or a plain number where the runtime has no way to say them. */
  toJSON(): unknown {
    return rawJson()?.(this.text) ?? writing?.standIn(this.text) ?? this.valueOf();
  }
}

/** The number itself where a value is an exact one, else the value. */
export function plainNumber(value: unknown): unknown {
  return value instanceof ExactNumber ? value.valueOf() : value;
}

/** A value with plain numbers in the place of exact ones: what its JSON text means to everybody who has no such numbers. */
export function withPlainNumbers(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(jsonText(value));
}

/** `JSON.stringify`, with exact numbers in their digits on every runtime; indented by so many blanks, on one line by default. */
export function jsonText(value: unknown, indent?: number): string {
  if (rawJson() !== undefined) return JSON.stringify(value, undefined, indent);
  const outer = writing;
  const standIns = new StandIns();
  writing = standIns;
  try {
    return standIns.replaced(JSON.stringify(value, undefined, indent));
  } finally {
    writing = outer;
  }
}

/** The text that is being written, on a runtime that cannot put digits into it. */
let writing: StandIns | undefined;

/** Strings that stand for digits until the text is complete. */
class StandIns {
  /** Nobody can guess it, so that no string of a peer is taken for a number. */
  #mark: string | undefined;

  standIn(digits: string): string {
    this.#mark ??= crypto.randomUUID();
    return this.#mark + digits;
  }

  replaced(text: string): string {
    return this.#mark === undefined ? text : text.replaceAll(new RegExp(`"${this.#mark}([^"]+)"`, 'g'), '$1');
  }
}

/** Node 20 lacks it. Asked each time, which costs nothing where there is no exact number. */
function rawJson(): ((text: string) => unknown) | undefined {
  // ES2023 does not know it; where it exists, it has this type.
  return (JSON as { readonly rawJSON?: (text: string) => unknown }).rawJSON;
}
