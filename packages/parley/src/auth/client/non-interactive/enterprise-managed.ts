/**
 * A user whose enterprise decides at its identity provider which servers the user may access. (ext-auth,
 * Enterprise-Managed Authorization; SEP-990.)
 */

import type { Authorization } from '../../common/authorizer.ts';
import { AuthorizationError } from '../../common/errors.ts';
import { refuseUnknown, type Names } from '../../../options/known-names.ts';
import { endpointsOf, type GrantEndpoints } from '../endpoints.ts';
import { checkMachineClient, machineClientNames, type MachineClient } from './client-credentials.ts';
import { methodFor, type OAuthClient } from '../client-authentication.ts';
import { serverOf, shownUrl } from '../discovery.ts';
import { machine, type MachineRequest } from './machine.ts';
import { authorizationOptionNames, checkAuthorizationOptions, type AuthorizationOptions } from '../options.ts';
import { fieldsOf, textIn } from '../token-response.ts';
import { jwtBearer, tokenOf } from './workload-identity.ts';

/** The identity provider of an enterprise. */
export interface IdentityProvider {
  /** Its issuer, whose metadata names the token endpoint. */
  readonly issuer?: string;
  /** Its token endpoint, in place of the issuer. */
  readonly tokenEndpoint?: string;
  /** This application as the identity provider knows it. Without key and secret it sends only its id. */
  readonly client: Omit<MachineClient, 'issuer'>;
}

/** The token by which the identity provider knows the person. */
export interface SubjectToken {
  /** The token itself. */
  readonly token: string;
  /** The kind of token: `id_token`, `access_token`, `refresh_token`, `saml2`, or the URN of another one; `id_token` by default. */
  readonly type?: string;
}

/** Options of `enterpriseManaged`. */
export interface EnterpriseManagedOptions extends AuthorizationOptions {
  /** The identity provider of the organization. */
  readonly idp: IdentityProvider;
  /** This application as the authorization server of the MCP server knows it. */
  readonly client: MachineClient;
  /** Gives the token of the person who signed in at the identity provider; asked each time that it is needed. */
  readonly subjectToken: () => SubjectToken | Promise<SubjectToken>;
}

const optionNames: Names<EnterpriseManagedOptions> = {
  ...authorizationOptionNames,
  idp: 1,
  client: 1,
  subjectToken: 1,
};

const tokenType = 'urn:ietf:params:oauth:token-type:';
const profile = 'urn:ietf:params:oauth:grant-profile:id-jag';

/**
 * Makes the authorization of a person by the identity provider of their enterprise, for the option `auth` of `connect`: no page is
 * opened.
 *
 * @throws TypeError for options that make no sense.
 */
export function enterpriseManaged(options: EnterpriseManagedOptions): Authorization {
  checkAuthorizationOptions('enterpriseManaged', options, optionNames);
  const { idp, client, subjectToken } = options;
  refuseUnknown('idp', idp, { issuer: 1, tokenEndpoint: 1, client: 1 } satisfies Names<IdentityProvider>);
  if ((idp?.issuer === undefined) === (idp?.tokenEndpoint === undefined) || typeof idp.client?.id !== 'string')
    throw new TypeError('idp must have its issuer or its tokenEndpoint, and the client that it knows');
  refuseUnknown('idp.client', idp.client, machineClientNames);
  refuseUnknown('client', client, machineClientNames);
  checkMachineClient('client', client);
  if (typeof subjectToken !== 'function')
    throw new TypeError('enterpriseManaged needs subjectToken, a function that gives the token of the person');
  return { ...managedBy((about) => assertionOf(options, about), { ...options, client }), personal: true };
}

/** The protocol extension for it. */
export const enterpriseExtension: Authorization['extensions'] = {
  'io.modelcontextprotocol/enterprise-managed-authorization': {},
};

/** Makes the authorization with assertions of an identity provider, from any source. */
export function managedBy(
  assertion: (about: MachineRequest) => Promise<string>,
  options: AuthorizationOptions & { readonly client: MachineClient },
): Authorization {
  const { id, key, secret, issuer, method } = options.client;
  return machine(
    {
      issuer,
      stepsUp: true,
      extensions: enterpriseExtension,
      request: async (about) => {
        const { server } = about.discovered;
        const profiles = server.authorizationGrantProfilesSupported;
        if (profiles !== undefined && !profiles.includes(profile))
          throw new AuthorizationError(
            'discovery',
            `${shownUrl(server.issuer)} does not take the decisions of enterprises (${profile} is not among its grant profiles)`,
            {
              issuer: server.issuer,
            },
          );
        return {
          client: {
            id,
            key,
            secret,
            method: method ?? methodFor({ key, secret }, server.tokenEndpointAuthMethodsSupported),
          },
          grantType: jwtBearer,
          parameters: { assertion: await assertion(about) },
        };
      },
    },
    options,
  );
}

/**
 * The assertion with which the identity provider grants the user access. (RFC 8693, section 2.1, as profiled by
 * SEP-990.)
 */
async function assertionOf({ idp, subjectToken }: EnterpriseManagedOptions, about: MachineRequest): Promise<string> {
  const { site, discovered, scopes, signal } = about;
  const { endpoints, client } = await providerOf(idp, about);
  const subject: Partial<SubjectToken> | undefined = await subjectToken();
  const token = tokenOf('subjectToken', subject?.token);
  const type = subject?.type ?? 'id_token';
  const { tokenAnswer } = await import('../token-request.ts');
  const answer = await tokenAnswer(site, {
    endpoints,
    client,
    grantType: 'urn:ietf:params:oauth:grant-type:token-exchange',
    parameters: {
      requested_token_type: `${tokenType}id-jag`,
      audience: discovered.server.issuer,
      resource: discovered.resource,
      subject_token: token,
      subject_token_type: type.startsWith('urn:') ? type : `${tokenType}${type}`,
      ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    },
    signal,
  });
  const fields = fieldsOf(answer, endpoints.issuer, 'the exchange of the token of the person');
  const issued = textIn(fields['issued_token_type']);
  const assertion = textIn(fields['access_token']);
  if (assertion !== undefined && issued === `${tokenType}id-jag`) return assertion;
  throw new AuthorizationError(
    'invalid-response',
    `${endpoints.issuer} gave another kind of token than the one for the authorization server`,
    {
      issuer: endpoints.issuer,
    },
  );
}

async function providerOf(
  { issuer, tokenEndpoint, client: { id, key, secret, method } }: IdentityProvider,
  { site, signal }: MachineRequest,
): Promise<{ readonly endpoints: GrantEndpoints; readonly client: OAuthClient }> {
  const endpoints =
    issuer === undefined
      ? { issuer: tokenEndpoint ?? '', token: tokenEndpoint ?? '' }
      : endpointsOf(await serverOf(site, issuer, signal));
  const methods = 'methods' in endpoints ? endpoints.methods : undefined;
  return { endpoints, client: { id, key, secret, method: method ?? methodFor({ key, secret }, methods) } };
}
