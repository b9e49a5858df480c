/** Results that are sent again and again, such as lists, and are written as JSON only once. */
import { jsonText } from '../json/exact-number.ts';

/** Texts that a cached result was written as so far; each form is made when it is first wanted. */
interface CachedForms {
  text?: string;
  bytes?: Uint8Array;
}

const cached = new WeakMap<object, CachedForms>();

/** Promises that a result never changes from now on; its JSON is held as long as the result is. */
export function cachedJson<T extends object>(result: T): T {
  if (!cached.has(result)) cached.set(result, {});
  return result;
}

/** Tells whether a value is a result that never changes. */
export function isCached(value: unknown): value is object {
  return typeof value === 'object' && value !== null && cached.has(value);
}

/**
 * The JSON text of a cached result, without a line break; `undefined` for any other value.
 *
 * @throws TypeError what `JSON.stringify` throws for what is no JSON.
 */
export function cachedText(result: object): string | undefined {
  const written = cached.get(result);
  return written && (written.text ??= jsonText(result));
}

/** From this length on, writing bytes spares more than handing over two pieces costs. */
const longText = 4096;

/** The same text in UTF-8, with the brace that ends the response around it; `undefined` also where the text is short. */
export function cachedEnding(result: object): Uint8Array | undefined {
  const written = cached.get(result);
  if (written === undefined || written.bytes !== undefined) return written?.bytes;
  const text = written.text ?? jsonText(result);
  if (text.length < longText) written.text = text;
  else written.bytes = new TextEncoder().encode(`${text}}`);
  return written.bytes;
}
