/**
 * Parts that only some servers need: the conversations that last longer than one request, of either transport that has them, and the
 * check of own authentication; `handler.ts` loads it.
 */

import type { AuthInfo } from '../../../server/runtime/request-handler.ts';
import type { HttpRefusal } from '../../../server/runtime/protection.ts';

export { Sessionless } from './session/sessionless.ts';
export { Sessions } from './session/sessions.ts';
export { SsePairs } from './sse-pair.ts';

/**
 * Checks the result of `authenticate`.
 *
 * @throws TypeError if it is neither a principal nor a refusal: a mistake must not let a request pass.
 */
export function checkAuth(answer: AuthInfo | HttpRefusal): AuthInfo | HttpRefusal {
  const { principal, status } = (answer ?? {}) as { readonly principal?: unknown; readonly status?: unknown };
  if (typeof status === 'number' || (typeof principal === 'string' && status === undefined)) return answer;
  throw new TypeError(
    'authenticate must return { principal: … } to accept a request, or { status: 401, … } to reject it',
  );
}
