/** JSON values as JSON Schema sees them. */

import { spend, type Run } from './run.ts';

/** The properties of an object that JSON has: its own ones that are not undefined. */
export function propertiesOf(value: object): readonly string[] {
  // `value` is an object; what it holds is looked at only to tell undefined.
  const object = value as Readonly<Record<string, unknown>>;
  const keys = Object.keys(object);
  return keys.some((key) => object[key] === undefined) ? keys.filter((key) => object[key] !== undefined) : keys;
}

/** A property of an object, never one of its prototype. */
export function propertyOf(value: object, key: string): unknown {
  // Own properties of any object can be read by their key.
  return Object.hasOwn(value, key) ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

/** Whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text that two values share exactly when JSON Schema calls them equal. */
export function canonical(value: unknown, run: Run): string {
  spend(run, 1);
  if (typeof value === 'number') return String(value === 0 ? 0 : value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, run)).join()}]`;
  const pairs = propertiesOf(value).toSorted();
  return `{${pairs.map((key) => `${JSON.stringify(key)}:${canonical(propertyOf(value, key), run)}`).join()}}`;
}

/** How many characters a text has; a surrogate pair is one. */
export function characters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0xd800 && code < 0xdc00 && at + 1 < text.length) {
      const next = text.charCodeAt(at + 1);
      if (next >= 0xdc00 && next < 0xe000) at++;
    }
    count++;
  }
  return count;
}

/** Whether a number is a multiple of another, in decimal arithmetic: 0.3 is a multiple of 0.1. */
export function isMultiple(value: number, of: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(of)) return value % of === 0;
  const [a, b] = [decimal(value), decimal(of)];
  const exponent = Math.min(a.exponent, b.exponent);
  const scale = ({ digits, exponent: own }: typeof a) => digits * 10n ** BigInt(own - exponent);
  return scale(a) % scale(b) === 0n;
}

function decimal(value: number): { readonly digits: bigint; readonly exponent: number } {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e');
  const fraction = mantissa.split('.')[1] ?? '';
  return { digits: BigInt(mantissa.replace('.', '')), exponent: Number(exponent) - fraction.length };
}
