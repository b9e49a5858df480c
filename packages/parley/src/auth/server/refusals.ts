/** The answers to rejected requests. (RFC 6750, section 3; RFC 9449, section 7.1; RFC 9728, section 5.1.) */

import { formatChallenge } from '../common/challenge.ts';
import { unionOf } from '../common/scopes.ts';
import { resourceMetadataPath } from '../common/well-known.ts';
import type { HttpRefusal } from '../../server/runtime/protection.ts';
import type { ProtectSettings } from './options.ts';

/** Error that an answer names beside its status. */
interface Said {
  readonly error: string;
  readonly description: string;
}

/** Makes the refusals of one server. */
export class Refusals {
  readonly #settings: ProtectSettings;
  readonly #metadataUrl: string;

  constructor(settings: ProtectSettings) {
    this.#settings = settings;
    this.#metadataUrl = `${settings.resource.origin}${resourceMetadataPath(settings.resource.pathname)}`;
  }

  /**
   * No credentials: where to get some.
   *
   * @param scopes Beyond those that every request needs.
   */
  unauthorized(scopes: readonly string[] = []): HttpRefusal {
    // RFC 6750, section 3.1: who sent no credentials made no error.
    return refusal(401, { error: 'unauthorized', description: 'an access token is needed' }, this.#challenges(scopes));
  }

  /** A token that is not good. */
  invalidToken(scheme: 'Bearer' | 'DPoP', description: string): HttpRefusal {
    return this.#failed(scheme, { error: 'invalid_token', description });
  }

  /** A proof that is not good, or lacks a nonce. */
  invalidProof(said: Said, headers: Readonly<Record<string, string>>): HttpRefusal {
    const made = this.#failed('DPoP', said);
    return { ...made, headers: { ...made.headers, ...headers } };
  }

  /** Scopes that are missing: all that are needed, and those that are not to be lost by asking for them. */
  insufficientScope(scheme: 'Bearer' | 'DPoP', scopes: readonly string[]): HttpRefusal {
    const said = { error: 'insufficient_scope', description: `this needs ${scopes.join(' ')}` };
    return refusal(403, said, this.#challenge(scheme, scopes, said));
  }

  /** Refuses what no token will help with. */
  forbidden(): HttpRefusal {
    return refusal(403, { error: 'access_denied', description: 'this caller may not use this server' });
  }

  malformed(description: string): HttpRefusal {
    const said = { error: 'invalid_request', description };
    return refusal(400, said, this.#challenge(this.#settings.dpop?.required === true ? 'DPoP' : 'Bearer', [], said));
  }

  /** RFC 9110, section 15.6.4: it does not blame the token, because a client would discard it. */
  outOfReach(): HttpRefusal {
    const said = { error: 'temporarily_unavailable', description: 'access tokens cannot be verified now' };
    return refusal(503, said, undefined, { 'Retry-After': '5' });
  }

  tooManyFailures(): HttpRefusal {
    const said = { error: 'slow_down', description: 'too many access tokens of this address were refused' };
    return refusal(429, said, undefined, { 'Retry-After': '1' });
  }

  #failed(scheme: 'Bearer' | 'DPoP', said: Said): HttpRefusal {
    return refusal(401, said, this.#challenges([], { scheme, said }));
  }

  /** A challenge for each scheme that is taken; the error belongs to the one that was used. */
  #challenges(scopes: readonly string[], failed?: { readonly scheme: string; readonly said: Said }): string {
    const { dpop } = this.#settings;
    const schemes = dpop === undefined ? ['Bearer'] : dpop.required ? ['DPoP'] : ['Bearer', 'DPoP'];
    const all = unionOf(this.#settings.scopes, scopes);
    const own = failed === undefined || schemes.includes(failed.scheme) ? failed?.scheme : schemes[0];
    return schemes.map((scheme) => this.#challenge(scheme, all, scheme === own ? failed?.said : undefined)).join(', ');
  }

  #challenge(scheme: string, scopes: readonly string[], said?: Said): string {
    // Spec 2026-07-28, Authorization, Refresh tokens: offline_access is the client's to ask for.
    const wanted = scopes.filter((scope) => scope !== 'offline_access');
    return formatChallenge(scheme, {
      error: said?.error,
      error_description: said?.description,
      resource_metadata: this.#metadataUrl,
      scope: wanted.length === 0 ? undefined : wanted.join(' '),
      algs: scheme === 'DPoP' ? this.#settings.dpop?.algorithms.join(' ') : undefined,
    });
  }
}

function refusal(
  status: number,
  { error, description }: Said,
  challenge?: string,
  headers: Readonly<Record<string, string>> = {},
): HttpRefusal {
  return {
    status,
    headers: {
      'Cache-Control': 'no-store',
      ...(challenge === undefined ? {} : { 'WWW-Authenticate': challenge }),
      ...headers,
    },
    body: JSON.stringify({ error, error_description: description }),
  };
}
