/** Messages that come together, and need scopes. */

import type { RequestHandler } from '../../../../server/runtime/request-handler.ts';
import type { ParsedMessage } from '../../../../server/runtime/parsed-message.ts';
import type { HttpCall } from '../exchanges/call.ts';
import { isRequest } from './rules.ts';

/**
 * Rejects messages that together need more scopes than their sender has. None of them runs then.
 *
 * @returns True if they were rejected.
 */
export async function lacksScopes(
  endpoint: RequestHandler,
  messages: readonly ParsedMessage[],
  call: HttpCall,
): Promise<boolean> {
  const { protection } = endpoint;
  const guard = protection === undefined ? undefined : await endpoint.guard?.();
  if (protection === undefined || guard === undefined) return false;
  const missing = await Promise.all(
    messages.filter(isRequest).map(({ message }) => guard.missingScopes(message, call.auth)),
  );
  const scopes = new Set(missing.flat());
  if (scopes.size > 0) protection.insufficient(call, [...scopes]);
  return scopes.size > 0;
}
