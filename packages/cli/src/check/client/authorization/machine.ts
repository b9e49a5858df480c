/** Grants of clients that act for themselves, and the assertions by which they say who they are. */

import { jsonIn } from '../../../../../parley/src/json/parse.ts';
import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import type { AuthorizationLog, AuthorizationLogStep } from './authorization-log.ts';

/** Grant type for a client's own credentials, and for an assertion of an identity provider. */
export const machineGrants = {
  own: 'client_credentials',
  asserted: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
} as const;

/** Tells whether a grant is one of those. */
export function isMachineGrant(grant: unknown): boolean {
  return Object.values(machineGrants).some((one) => one === grant);
}

/** Type of a client assertion. (RFC 7523, section 2.2.) */
export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Type of an identity assertion that is good for one authorization server. */
export const idJagType = 'oauth-id-jag+jwt';

/** Requests for tokens by a grant that needs no person. */
export function machineRequests(
  authorizationLog: AuthorizationLog,
  grant?: keyof typeof machineGrants,
): readonly AuthorizationLogStep[] {
  const wanted: readonly string[] = grant === undefined ? Object.values(machineGrants) : [machineGrants[grant]];
  return authorizationLog
    .at('token')
    .filter(({ fields: { grant_type: asked } }) => typeof asked === 'string' && wanted.includes(asked));
}

/** Tells whether a client acts for itself: it got tokens that way, and sent no user to a page. */
export function isMachine(authorizationLogs: readonly AuthorizationLog[]): boolean {
  const isAny = authorizationLogs.some((authorizationLog) => machineRequests(authorizationLog).length > 0);
  return isAny && authorizationLogs.every((authorizationLog) => authorizationLog.at('authorize').length === 0);
}

/** A decoded JWT. Its signature is not verified here. */
export interface ReadAssertion {
  readonly header: JsonObject;
  readonly claims: JsonObject;
}

/** Reads a JWT; `undefined` if it is not one. */
export function assertionIn(text: unknown): ReadAssertion | undefined {
  if (typeof text !== 'string' || text.length > 20_000) return undefined;
  const parts = /^([\w-]+)\.([\w-]+)\.[\w-]*$/.exec(text);
  if (parts === null) return undefined;
  const [header, claims] = parts.slice(1).map((part) => jsonIn(Buffer.from(part, 'base64url').toString('utf8')));
  return isObject(header) && isObject(claims) ? { header, claims } : undefined;
}
