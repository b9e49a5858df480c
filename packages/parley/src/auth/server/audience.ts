/** Audiences of tokens. (RFC 8707, section 2; RFC 9068, section 4.) */

import { shown } from '../../options/shown.ts';
import type { Claims } from './options.ts';

/** Checks the audience of a token. */
export type Audience = (claims: Claims) => boolean;

/** Options of what counts as an audience. */
export interface AudienceOptions {
  readonly audience?: string | readonly string[];
  readonly audienceClaim?: string;
}

/**
 * Makes the check of audiences: one of them must match.
 *
 * @param resource The audience if the options name none.
 * @throws TypeError if no audience could be checked.
 */
export function audienceOf(resource: string, { audience, audienceClaim = 'aud' }: AudienceOptions): Audience {
  const listed: unknown = audience ?? [resource];
  const names: readonly unknown[] = Array.isArray(listed) ? listed : [listed];
  if (names.length === 0 || !names.every((name) => typeof name === 'string' && name !== ''))
    throw new TypeError(
      `audience must name the audience of tokens, not ${shown(audience)}: a server that accepts tokens for others accepts any token`,
    );
  if (typeof audienceClaim !== 'string' || audienceClaim === '')
    throw new TypeError(`audienceClaim must be the name of a claim, not ${shown(audienceClaim)}`);
  // Only the resource is a URL for sure; other names are compared as they are.
  const accepted = new Set(audience === undefined ? names.map(spelled) : names);
  return (claims) => {
    const value = Object.hasOwn(claims, audienceClaim) ? claims[audienceClaim] : undefined;
    const given: readonly unknown[] = Array.isArray(value) ? value : [value];
    return given.some((one) => typeof one === 'string' && accepted.has(audience === undefined ? spelled(one) : one));
  };
}

/**
 * One spelling of the URLs that differ in the case of scheme and host and in a slash at the end. (Spec 2025-11-25, Authorization,
 * Canonical Server URI.)
 */
function spelled(text: unknown): string {
  const url = String(text);
  const [origin = ''] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(url) ?? [];
  const path = url.slice(origin.length);
  return origin.toLowerCase() + (path.endsWith('/') ? path.slice(0, -1) : path);
}
