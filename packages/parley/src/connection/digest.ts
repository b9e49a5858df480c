import { jsonText } from '../json/exact-number.ts';
import { isObject } from '../jsonrpc/message.ts';
import { hashOf } from './hash.ts';

/** A short digest of a value. It tells values apart; it protects nothing, the seal does. */
export function digestOf(value: unknown): string {
  return hashOf(canonical(value));
}

/** JSON with sorted keys, so that equal values give equal text. */
export function canonical(value: unknown): string {
  return textOf(value) ?? 'null';
}

/** `undefined` for what JSON leaves out. Much faster on large values than a replacer of `JSON.stringify`. */
function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return jsonText(value);
  if (typeof value['toJSON'] === 'function') return textOf(value['toJSON']());
  const fields: string[] = [];
  for (const key of Object.keys(value).toSorted()) {
    const text = textOf(value[key]);
    if (text !== undefined) fields.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${fields.join(',')}}`;
}
