/** The words of the official libraries and of servers made after their examples; none of them says that an id is missing. */
const words =
  /no valid session|(?:invalid|unknown|expired) session|session (?:id )?(?:not found|expired)|not initialized/i;

/**
 * Tells whether the body of a 400 says that its server does not know the session, for which 404 is meant: much software
 * says so after a restart.
 */
export function saysSessionIsUnknown(body: string): boolean {
  return words.test(body);
}
