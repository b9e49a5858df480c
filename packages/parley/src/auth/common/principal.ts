/**
 * Names a user of an issuer, as `protect` does by default: with the issuer and the subject, which together are unique.
 * (OpenID Connect Core, section 5.7.)
 *
 * @param issuer The `iss` of the user's tokens.
 * @param subject The `sub`.
 */
export function principalOf(issuer: string | undefined, subject: string): string {
  return JSON.stringify([issuer, subject]);
}
