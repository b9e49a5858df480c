/** Parts that a refusal and the metadata of a resource must have, for who probes a server and for who watches one. */

import type { Challenge } from '../../../../../parley/src/auth/common/challenge.ts';
import { wholeText } from '../../whole-text.ts';

type Document = Readonly<Record<string, unknown>>;

/** Tells why a challenge does not say where the metadata of the resource are. */
export function lacksPlace(challenge: Challenge | undefined): string | undefined {
  if (challenge === undefined) return 'there is no challenge of the scheme Bearer';
  return challenge.parameters['resource_metadata'] === undefined ? 'it has no resource_metadata' : undefined;
}

/** Tells why metadata do not name the resource, or no authorization server. */
export function lacksParts({ resource, authorization_servers: servers }: Document): string | undefined {
  if (typeof resource !== 'string' || !URL.canParse(resource))
    return `resource is ${JSON.stringify(resource) ?? 'missing'}`;
  const isList = Array.isArray(servers) && servers.length > 0 && servers.every((one) => URL.canParse(wholeText(one)));
  return isList ? undefined : `authorization_servers is ${JSON.stringify(servers) ?? 'missing'}`;
}

/** The scope by which a client asks its authorization server for a lasting grant; it is none of a resource. */
const lasting = 'offline_access';

/** Tells why a challenge names a scope that does not belong to the resource. */
export function challengesLasting(challenge: Challenge | undefined): string | undefined {
  const has = challenge?.parameters['scope']?.split(' ').includes(lasting) === true;
  return has ? 'the challenge has it' : undefined;
}

/** Tells why metadata names a scope that does not belong to the resource. */
export function knowsLasting({ scopes_supported: scopes }: Document): string | undefined {
  return Array.isArray(scopes) && scopes.includes(lasting) ? 'scopes_supported has it' : undefined;
}
