/** Tokens of an issuer that this server does not list, or spells otherwise. */

import { AuthorizationError } from '../common/errors.ts';
import { isSlashApart } from '../common/issuer-name.ts';
import type { Issuer } from './issuer.ts';
import type { ProtectSettings } from './options.ts';
import { TokenProblem } from './problem.ts';

/** Issuers whose mismatch was reported already. */
const told = new WeakSet<Issuer>();

/**
 * The refusal of a token of another issuer. If the name differs only by a slash, the operator gets a warning, once for
 * each issuer.
 */
export function tokenOfOther(iss: string, issuers: readonly Issuer[], { onError }: ProtectSettings): TokenProblem {
  const meant = issuers.find((one) => isSlashApart(iss, one.settings.issuer));
  if (meant !== undefined && !told.has(meant)) {
    told.add(meant);
    const { issuer } = meant.settings;
    const words = `tokens name the issuer ${iss}, which ${slash(iss, issuer)}`;
    onError(new AuthorizationError('issuer-mismatch', words, { issuer }));
  }
  return new TokenProblem('issuer');
}

/** The refusal of metadata. */
export function metadataOfOther(url: string, own: string, issuer: string): AuthorizationError {
  const words = isSlashApart(own, issuer)
    ? `names the issuer ${own}, which ${slash(own, issuer)}`
    : `is not that of ${issuer}`;
  return new AuthorizationError('issuer-mismatch', `the metadata at ${url} ${words}`, { issuer });
}

function slash(own: string, issuer: string): string {
  return `differs from ${issuer} by the slash at its end alone; if both are one server, add ${own} to its issuerAliases`;
}
