/** A workload with an identity token of its platform. (RFC 7523, section 2.1; SEP-1933.) */

import type { Authorization } from '../../common/authorizer.ts';
import type { Names } from '../../../options/known-names.ts';
import { machine } from './machine.ts';
import { authorizationOptionNames, checkAuthorizationOptions, type AuthorizationOptions } from '../options.ts';

/** Options of `workloadIdentity`. */
export interface WorkloadIdentityOptions extends AuthorizationOptions {
  /** The client id under which the authorization server knows the workload. */
  readonly clientId: string;
  /**
   * Returns the platform's token for the workload.
   *
   * @param about `audience` is the issuer of the authorization server, which must be the token's audience.
   */
  readonly assertion: (about: { readonly audience: string }) => string | Promise<string>;
  /** The issuer that trusts the platform. Without it, the first one that the server names is used from then on. */
  readonly issuer?: string;
}

const optionNames: Names<WorkloadIdentityOptions> = {
  ...authorizationOptionNames,
  clientId: 1,
  assertion: 1,
  issuer: 1,
};

/** The grant type of an assertion. */
export const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/**
 * Makes the authorization of a workload with a token of its platform, for the option `auth` of `connect`. A refusal of
 * the authorization server is final.
 *
 * @throws TypeError for invalid options.
 */
export function workloadIdentity(options: WorkloadIdentityOptions): Authorization {
  checkAuthorizationOptions('workloadIdentity', options, optionNames);
  const { clientId, assertion, issuer } = options;
  if (typeof clientId !== 'string' || clientId === '')
    throw new TypeError('workloadIdentity needs the clientId of the workload');
  if (typeof assertion !== 'function')
    throw new TypeError('workloadIdentity needs assertion, a function that gives the token of the platform');
  return machine(
    {
      issuer,
      stepsUp: false,
      extensions: undefined,
      request: async ({ discovered: { server } }) => ({
        client: { id: clientId, method: 'none' },
        grantType: jwtBearer,
        parameters: { assertion: tokenOf('assertion', await assertion({ audience: server.issuer })) },
      }),
    },
    options,
  );
}

/**
 * The token from a program's function.
 *
 * @throws TypeError if it is not a token. It may be a secret, and is not shown.
 */
export function tokenOf(name: string, token: unknown): string {
  if (typeof token === 'string' && token !== '') return token;
  throw new TypeError(`${name} gave no token`);
}
