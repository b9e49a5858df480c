/** How the client is authorized in the scenarios of the suite. */

import {
  clientCredentials,
  enterpriseManaged,
  oauth,
  workloadIdentity,
  type Authorization,
  type OAuthOptions,
  type RedirectHook,
} from '../../packages/parley/src/oauth.ts';

/** What the suite says beside the name of a scenario; each has some of it. */
interface Context {
  readonly client_id: string;
  readonly client_secret: string;
  readonly issuer: string;
  readonly private_key_pem: string;
  readonly signing_algorithm: string;
  readonly idp_client_id: string;
  readonly idp_id_token: string;
  readonly idp_token_endpoint: string;
  readonly valid_jwt: string;
}

const redirectUri = 'http://127.0.0.1:6274/callback';

/** The suite signs in whoever opens the page. */
const open: RedirectHook = async ({ url }, signal) => {
  const page = await fetch(url, { redirect: 'manual', signal });
  return page.headers.get('location') ?? '';
};

function person(options: Partial<OAuthOptions> = {}): Authorization {
  return oauth({ redirect: open, redirectUri, dpop: 'auto', ...options });
}

/** The option of `connect` for a scenario. */
export function authorizationOf(name: string, given: unknown): { readonly auth?: Authorization } {
  // The suite gives what the scenario needs, by these names.
  const context = given as Context;
  switch (name) {
    case 'auth/basic-cimd':
      return { auth: person({ clientMetadataUrl: 'https://conformance-test.local/client-metadata.json' }) };
    case 'auth/pre-registration':
      return {
        auth: person({ client: { id: context.client_id, secret: context.client_secret, issuer: context.issuer } }),
      };
    case 'auth/client-credentials-jwt':
      return {
        auth: clientCredentials({
          id: context.client_id,
          key: { key: context.private_key_pem, alg: context.signing_algorithm },
        }),
      };
    case 'auth/client-credentials-basic':
      return { auth: clientCredentials({ id: context.client_id, secret: context.client_secret }) };
    case 'auth/enterprise-managed-authorization':
      return {
        auth: enterpriseManaged({
          idp: { tokenEndpoint: context.idp_token_endpoint, client: { id: context.idp_client_id } },
          client: { id: context.client_id, secret: context.client_secret },
          subjectToken: () => ({ token: context.idp_id_token }),
        }),
      };
    case 'auth/wif-jwt-bearer':
      return { auth: workloadIdentity({ clientId: context.client_id, assertion: () => context.valid_jwt }) };
    default:
      return name.startsWith('auth/') ? { auth: person() } : {};
  }
}
