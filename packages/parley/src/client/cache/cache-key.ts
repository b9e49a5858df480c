import { jsonText } from '../../json/exact-number.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { methodsWith } from '../../protocol/catalogue.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { isShape } from '../../protocol/shape.ts';

/** The methods whose results have a cache lifetime. (Spec 2026-07-28, Caching.) */
export const cacheableMethods: ReadonlySet<string> = new Set(
  methodsWith(({ result }) => result !== undefined && isShape(result) && 'cacheScope' in result.rows),
);

/**
 * Tells whether the result of a request may be cached. A result that depends on input outside the key may not. (Spec
 * 2026-07-28, Caching, Cache Key.)
 */
export function isCacheable(method: string, params: JsonObject | undefined): boolean {
  const answersInput = params !== undefined && ('inputResponses' in params || 'requestState' in params);
  return cacheableMethods.has(method) && !answersInput;
}

/**
 * The methods whose responses a notification makes stale. For reads, only those of some URIs.
 *
 * @returns `uri` is the changed resource; URIs that begin with it are stale too. `wholes` are the resources that may
 * contain it.
 */
export function madeStale(
  method: string,
  params: JsonObject,
): {
  readonly methods: readonly string[];
  readonly only?: { readonly uri: string; readonly wholes: readonly string[] };
} {
  const methods = methodsWith(({ staleAfter }) => staleAfter === method);
  const { uri } = params;
  if (method !== 'notifications/resources/updated' || typeof uri !== 'string') return { methods };
  const wholes = wholesOf(uri);
  return wholes === undefined ? { methods } : { methods, only: { uri, wholes } };
}

/** A URI of more levels changes all that was read. */
const maxLevels = 32;

/**
 * The URIs that one may name a part of; nothing when there are too many to tell. (Spec 2025-06-18, ResourceUpdatedNotification: the
 * URI may be that of a sub-resource.)
 */
function wholesOf(uri: string): readonly string[] | undefined {
  const ends = [...uri.matchAll(/[/#?]/g)].map(({ index }) => index);
  return ends.length > maxLevels ? undefined : ends.flatMap((end) => [uri.slice(0, end), uri.slice(0, end + 1)]);
}

/** The beginning of the key of every read of a URI that begins like this one. */
export function openKeyOf(uri: string): string {
  const closed = JSON.stringify(canonicalText({ uri }));
  // What follows the URI: its quote, the brace and the quote of the part.
  return closed.slice(0, -String.raw`\"}"`.length);
}

/** Joins parts so that no part can be taken for another: JSON text has no line breaks. */
export function cacheKeyOf(...parts: readonly string[]): string {
  return parts.map((part) => `${JSON.stringify(part)}\n`).join('');
}

/** The JSON text of a value. Objects that differ only in the order of their keys have the same text. */
export function canonicalText(value: unknown): string {
  return jsonText(sorted(value)) ?? '';
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).toSorted();
  // `fromEntries` defines own keys, whatever their names.
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}
