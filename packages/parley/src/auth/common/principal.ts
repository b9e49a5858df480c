/**
 * Names a person by whom an issuer calls so, as `protect` does by default: the issuer and the subject, which together are nobody else's.
 * (OpenID Connect Core, section 5.7.)
 *
 * @param issuer The `iss` of the person's tokens.
 * @param subject The `sub`.
 */
export function principalOf(issuer: string | undefined, subject: string): string {
  return JSON.stringify([issuer, subject]);
}
