/** Ids and tokens in parameters as programs see them: of one beyond 2^53 the digits, as text or as an exact number. */

import { digitsOf, exactId } from '../../json/large-id.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { JsonObject } from '../../protocol/features/common.ts';

/** The `_meta` of a message as programs see it. */
export function shownMeta(meta: JsonObject, isExact: boolean = false): JsonObject {
  return withDigits(withDigits(meta, 'progressToken', isExact), 'io.modelcontextprotocol/subscriptionId', isExact);
}

/**
 * The parameters of a message as programs see them, who see no `notifications/cancelled`.
 *
 * @param isExact True for programs that take numbers in their spelling.
 */
export function shownParams(method: string, params: JsonObject, isExact: boolean = false): JsonObject {
  const { _meta: meta } = params;
  const own = method === 'notifications/progress' ? withDigits(params, 'progressToken', isExact) : params;
  const shown = isObject(meta) ? shownMeta(meta, isExact) : meta;
  return shown === meta ? own : { ...own, _meta: shown };
}

/** Returns the same object if nothing changes. */
function withDigits(holder: JsonObject, key: string, isExact: boolean): JsonObject {
  const id = holder[key];
  const shown = typeof id !== 'string' ? id : isExact ? exactId(id) : digitsOf(id);
  return shown === id ? holder : { ...holder, [key]: shown };
}
