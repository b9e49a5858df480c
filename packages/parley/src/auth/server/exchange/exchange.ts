/** Tokens for other APIs, in exchange for the caller's own. (RFC 8693.) */

import type { KeySource } from '../../common/signing-key.ts';
import { refuseUnknown, type Names } from '../../../options/known-names.ts';
import type { TokenExchange } from '../auth-info.ts';
import type { ClientSecret } from '../introspection.ts';
import type { Issuer } from '../issuer.ts';
import type { ProtectSettings } from '../options.ts';
import type { KeptExchanges } from './exchange-token.ts';

/** Options of exchanging tokens: this server is a client of the authorization server then, which has a secret or a key. */
export interface ExchangeOptions extends Partial<ClientSecret> {
  /** The id of this server at the authorization server. */
  readonly clientId: string;
  /** The private key for client authentication (`private_key_jwt`); it never leaves this process. */
  readonly key?: KeySource;
  /** The issuer, if there are several; the first one by default. */
  readonly issuer?: string;
  /** URL at which tokens are exchanged; the token endpoint of the metadata by default. */
  readonly tokenEndpoint?: string;
}

const optionNames: Names<ExchangeOptions> = {
  clientId: 1,
  clientSecret: 1,
  method: 1,
  key: 1,
  issuer: 1,
  tokenEndpoint: 1,
};

/**
 * Makes what exchanges the token of a caller.
 *
 * @throws TypeError for options that do not exist, and for a client without its id, or with neither or both of secret and key.
 */
export function exchanger(
  options: ExchangeOptions,
  settings: ProtectSettings,
  issuers: readonly Issuer[],
): (token: string) => TokenExchange {
  refuseUnknown('exchange', options, optionNames);
  const { clientId, clientSecret, key } = options;
  if (typeof clientId !== 'string' || (typeof clientSecret === 'string') === (key !== undefined))
    throw new TypeError('exchange needs clientId, and either clientSecret or key');
  const issuer = issuers.find((one) => options.issuer === undefined || one.settings.names.has(options.issuer));
  return (token) => {
    const kept: KeptExchanges = new Map();
    return async (request) => {
      const { exchangedFor } = await import('./exchange-token.ts');
      return await exchangedFor(token, request, { kept, options, settings, issuer });
    };
  };
}
