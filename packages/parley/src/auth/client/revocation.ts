/** Revokes grants. (RFC 7009.) */

import { AuthorizationError } from '../common/errors.ts';
import { after } from '../../jsonrpc/timeout.ts';
import type { OAuthClient } from './client-authentication.ts';
import type { Grant } from './grant.ts';
import type { Site } from './site.ts';

/** The longest that revoking one token takes, in milliseconds. */
const revocationMs = 10_000;

/**
 * Revokes the tokens of a grant, if the authorization server supports that. It does not reject. A failure is reported
 * as a warning.
 *
 * @returns True if they were revoked.
 */
export async function revokeGrant(site: Site, grant: Grant, client: OAuthClient): Promise<boolean> {
  const { revocation } = grant.endpoints;
  if (revocation === undefined) return false;
  const { revocationAnswer } = await import('./token-request.ts');
  const controller = new AbortController();
  const stop = after(2 * revocationMs, () => controller.abort(), true);
  const revoke = async (token: string, hint: 'access_token' | 'refresh_token'): Promise<boolean> => {
    const endpoints = { ...grant.endpoints, revocation };
    const { status } = await revocationAnswer(site, { endpoints, client, token, hint, signal: controller.signal });
    return status >= 200 && status < 300;
  };
  try {
    // RFC 7009, section 2.1: with the refresh token all that came of it should go; not everywhere it does.
    const { refreshToken } = grant;
    const refresh = refreshToken === undefined || (await revoke(refreshToken, 'refresh_token'));
    const access = await revoke(grant.accessToken, 'access_token');
    return refreshToken === undefined ? access : refresh;
  } catch (error) {
    const message = error instanceof AuthorizationError ? error.message : 'the tokens could not be revoked';
    site.tell({ kind: 'warning', message, issuer: grant.endpoints.issuer });
    return false;
  } finally {
    stop();
  }
}
