/** The credentials of a request, as its `Authorization` header has them. (RFC 9110, section 11.6.2; RFC 6750, section 2.1.) */

/** A token, and how it came. */
export interface Credentials {
  readonly scheme: 'Bearer' | 'DPoP';
  readonly token: string;
  /** The whole header, in a canonical spelling. */
  readonly header: string;
}

/** The longest header that is read. */
const mostCharacters = 16_384;

/**
 * Besides the characters of RFC 6750, section 2.1, this accepts the colon, which the widely used tokens of
 * `@cloudflare/workers-oauth-provider` contain: RFC 6749, appendix A.12, lets an authorization server use it.
 */
const form = /^(bearer|dpop) +([A-Za-z0-9\-._~+/:]+=*)$/i;
const ours = /^(?:bearer|dpop)(?: |$)/i;

/**
 * Reads credentials. Those of another scheme are ignored.
 *
 * @param header The value; repeated lines joined by commas, which no token has.
 * @returns `undefined` if there are none, a sentence if they are malformed.
 */
export function credentialsOf(header: string | undefined): Credentials | string | undefined {
  if (header === undefined || header === '') return undefined;
  if (header.length > mostCharacters) return 'the Authorization header is too long';
  const [, scheme = '', token = ''] = form.exec(header) ?? [];
  if (token !== '') {
    const named = scheme.length === 4 ? 'DPoP' : 'Bearer';
    return { scheme: named, token, header: `${named} ${token}` };
  }
  return ours.test(header) || header.includes(',') ? 'the Authorization header must have one token' : undefined;
}
