/** The words of the official libraries and of servers made after their examples; none of them says that an id is missing. */
const words =
  /no valid session|(?:invalid|unknown|expired) session|session (?:id )?(?:not found|expired)|not initialized/i;

/**
 * Tells whether an answer in a session says that its server does not know that: 404 (spec 2025-11-25, Transports, Session Management), for which much
 * software says 400 and some words after a restart.
 */
export function saysSessionIsUnknown(status: number | undefined, body: string): boolean {
  return status === 404 || (status === 400 && words.test(body));
}
