/** Names of authorization servers, which must be identical where something is decided by them. (RFC 8414, section 3.3.) */

/** True when two names differ by a slash at their end alone, which people write both ways. */
export function isSlashApart(one: string, other: string): boolean {
  return one === `${other}/` || other === `${one}/`;
}

/** True if a user's setting names an issuer: host and path are equal, apart from a final slash. */
export function meansIssuer(given: string, issuer: string): boolean {
  return given === issuer || isSlashApart(given, issuer);
}
