/** One reason why a value does not fit a schema. */
export interface Problem {
  /** Path in the value, as a JSON Pointer; empty for the value itself. */
  readonly path: string;
  /** Message that says what must be different there. */
  readonly message: string;
  /** True when it is not known if the value fits, since to find out would cost too much. */
  readonly tooMuch?: boolean;
}

/** Writes keys as a JSON Pointer (RFC 6901). */
export function toPointer(keys: readonly (string | number)[]): string {
  return keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
