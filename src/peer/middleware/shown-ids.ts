/** Ids and tokens in parameters as programs see them: of one beyond 2^53 the digits, as text. */

import { digitsOf } from '../../json/large-id.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { JsonObject } from '../../protocol/features/common.ts';

/** The `_meta` of a message as programs see it. */
export function shownMeta(meta: JsonObject): JsonObject {
  return withDigits(withDigits(meta, 'progressToken'), 'io.modelcontextprotocol/subscriptionId');
}

/** The parameters of a message as programs see them, who see no `notifications/cancelled`. */
export function shownParams(method: string, params: JsonObject): JsonObject {
  const { _meta: meta } = params;
  const own = method === 'notifications/progress' ? withDigits(params, 'progressToken') : params;
  const shown = isObject(meta) ? shownMeta(meta) : meta;
  return shown === meta ? own : { ...own, _meta: shown };
}

/** The same object if nothing changes. */
function withDigits(holder: JsonObject, key: string): JsonObject {
  const id = holder[key];
  const shown = typeof id === 'string' ? digitsOf(id) : id;
  return shown === id ? holder : { ...holder, [key]: shown };
}
