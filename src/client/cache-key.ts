import { jsonText } from '../json/exact-number.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { JsonObject } from '../peer/waiting.ts';

/** The methods whose results say how long they may be kept. (Spec 2026-07-28, Caching.) */
export const cacheableMethods: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

/** What each notification makes stale. */
const staleBy: ReadonlyMap<string, readonly string[]> = new Map([
  ['notifications/tools/list_changed', ['tools/list']],
  ['notifications/prompts/list_changed', ['prompts/list']],
  ['notifications/resources/list_changed', ['resources/list', 'resources/templates/list']],
  ['notifications/resources/updated', ['resources/read']],
]);

/**
 * Whether the result of a request may be kept at all: what depends on input that the key does not have may not.
 * (Spec 2026-07-28, Caching, Cache Key.)
 */
export function isCacheable(method: string, params: JsonObject | undefined): boolean {
  const answersInput = params !== undefined && ('inputResponses' in params || 'requestState' in params);
  return cacheableMethods.has(method) && !answersInput;
}

/** What a notification makes stale: methods, and of one of them only the result for some parameters. */
export function madeStale(
  method: string,
  params: JsonObject,
): { readonly methods: readonly string[]; readonly only?: JsonObject } {
  const methods = staleBy.get(method) ?? [];
  const { uri } = params;
  return method === 'notifications/resources/updated' && typeof uri === 'string'
    ? { methods, only: { uri } }
    : { methods };
}

/** Joins parts so that no part can be taken for another: JSON text has no line breaks. */
export function keyOf(...parts: readonly string[]): string {
  return parts.map((part) => `${JSON.stringify(part)}\n`).join('');
}

/** The JSON text of a value, the same for objects that differ in the order of their keys alone. */
export function canonical(value: unknown): string {
  return jsonText(sorted(value)) ?? '';
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).toSorted();
  // `fromEntries` defines own keys, whatever their names.
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}
