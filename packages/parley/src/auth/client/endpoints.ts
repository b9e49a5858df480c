import { AuthorizationError } from '../common/errors.ts';
import type { ServerMetadata } from '../common/metadata.ts';
import { shownUrl } from './discovery.ts';

/** The endpoints of an authorization server that are stored with its grants. */
export interface GrantEndpoints {
  readonly issuer: string;
  readonly token: string;
  readonly revocation?: string | undefined;
  /** The methods of client authentication that it lists. */
  readonly methods?: readonly string[] | undefined;
}

/** The endpoints of metadata that are used once a person has agreed. */
export function endpointsOf(server: ServerMetadata): GrantEndpoints {
  const { issuer, tokenEndpoint, revocationEndpoint, tokenEndpointAuthMethodsSupported } = server;
  if (tokenEndpoint === undefined)
    throw new AuthorizationError('discovery', `the metadata of ${shownUrl(issuer)} name no token endpoint`, { issuer });
  return { issuer, token: tokenEndpoint, revocation: revocationEndpoint, methods: tokenEndpointAuthMethodsSupported };
}
