/** A machine that is a client of its own. (RFC 6749, section 4.4; ext-auth, OAuth Client Credentials.) */

import type { Authorization } from '../../common/authorizer.ts';
import type { Names } from '../../../options/known-names.ts';
import { refuseOtherWord } from '../../../options/known-values.ts';
import { clientAuthenticationMethods, methodFor, type ClientAuthenticationMethod } from '../client-authentication.ts';
import { machine } from './machine.ts';
import { authorizationOptionNames, checkAuthorizationOptions, type AuthorizationOptions } from '../options.ts';
import type { KeySource } from '../../common/signing-key.ts';

/** A machine, as an authorization server knows it. */
export interface MachineClient {
  /** The client id. */
  readonly id: string;
  /** The private key for client authentication (`private_key_jwt`); it never leaves this process. */
  readonly key?: KeySource;
  /** The secret, if there is no key. */
  readonly secret?: string;
  /**
   * The issuer that knows the client. Without it, the first issuer that the server names is used from then on. A
   * malicious server could name a wrong one, which would get the secret.
   */
  readonly issuer?: string;
  /**
   * Method of client authentication. By default it depends on the credentials and on the authorization server's list.
   */
  readonly method?: ClientAuthenticationMethod;
}

/** Options of `clientCredentials`; the client and its key or secret must be given. */
export interface ClientCredentialsOptions extends AuthorizationOptions, MachineClient {}

/** The option names of a non-interactive client. */
export const machineClientNames: Names<MachineClient> = { id: 1, key: 1, secret: 1, issuer: 1, method: 1 };

const optionNames: Names<ClientCredentialsOptions> = { ...authorizationOptionNames, ...machineClientNames };

/**
 * Makes the authorization of a machine by its own credentials, for the option `auth` of `connect`.
 *
 * @throws TypeError for options that make no sense.
 */
export function clientCredentials(options: ClientCredentialsOptions): Authorization {
  checkAuthorizationOptions('clientCredentials', options, optionNames);
  checkMachineClient('clientCredentials', options);
  const { id, key, secret, issuer, method } = options;
  return machine(
    {
      issuer,
      stepsUp: true,
      extensions: { 'io.modelcontextprotocol/oauth-client-credentials': {} },
      request: async ({ discovered: { server } }) => ({
        client: {
          id,
          key,
          secret,
          method: method ?? methodFor({ key, secret }, server.tokenEndpointAuthMethodsSupported),
        },
        grantType: 'client_credentials',
        parameters: {},
      }),
    },
    options,
  );
}

/** @throws TypeError for a client without id, or with neither key nor secret. */
export function checkMachineClient(what: string, { id, key, secret, issuer, method }: MachineClient): void {
  if (typeof id !== 'string' || id === '') throw new TypeError(`${what} needs the id of its client`);
  if ((key === undefined) === (secret === undefined))
    throw new TypeError(`${what} needs either a key or a secret of its client`);
  if (issuer !== undefined && !URL.canParse(issuer))
    throw new TypeError('issuer must be the URL of an authorization server');
  refuseOtherWord('method', clientAuthenticationMethods, method);
}
