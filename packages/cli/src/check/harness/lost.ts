import { errorCodeOf, responseIn, type RawExchange } from './exchange.ts';

/** Headers that say of what a request is a part. */
const ownHeaders: ReadonlySet<string> = new Set(['mcp-session-id', 'mcp-protocol-version']);

/** Codes of errors that say what was not found, where it is no session. */
const notFound: ReadonlySet<unknown> = new Set([-32_601, -32_602, -32_002]);

/**
 * Tells whether an answer says that the session of a request is no more. (Spec 2025-11-25, Session Management, point 3.)
 *
 * @param headers Those that were altered: who names another session, or another revision, asks for it.
 */
export function saysLost(
  exchange: RawExchange,
  headers: Readonly<Record<string, string | undefined>> = {},
  id?: unknown,
): boolean {
  if (exchange.status !== 404 || Object.keys(headers).some((name) => ownHeaders.has(name.toLowerCase()))) return false;
  return !notFound.has(errorCodeOf(responseIn(exchange, id)));
}
