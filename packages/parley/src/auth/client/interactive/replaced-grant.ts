/** Ends unused grants: their tokens are revoked, and they are deleted. */

import { AuthorizationError } from '../../common/errors.ts';
import { missingOf } from '../../common/scopes.ts';
import { canonicalResource, sameResource } from '../../common/resource-url.ts';
import { credentialKeyText, type CredentialKey, type CredentialStore } from '../../../storage/credentials.ts';
import { shownUrl } from '../discovery.ts';
import { grantText, type Grant } from '../grant.ts';
import { revokeGrant } from '../revocation.ts';
import type { Site } from '../site.ts';
import type { GrantKeeper } from './grant-keeper.ts';
import type { Registration } from './registration.ts';

/** The parts of a person's authorization at one server. */
interface Parts {
  readonly site: Site;
  readonly store: CredentialStore;
  readonly keeper: GrantKeeper;
  readonly registration: Registration;
}

/** Prefix of the client id under which a replaced grant is stored until its tokens are revoked. */
const replacedBy = 'replaced ';

/** Limit of replaced grants of one server that wait for their revocation. Beyond it the oldest are revoked. */
const maxReplaced = 8;

/** Tells whether a key belongs to a replaced grant, whose tokens may still be valid. */
export function isReplaced({ kind, client }: CredentialKey): boolean {
  return kind === 'grant' && client?.startsWith(replacedBy) === true;
}

/**
 * Stores a new grant. The grant that it replaces is revoked and deleted, unless another server uses it too. If it
 * cannot be revoked, it is stored for the next login or logout.
 *
 * @param isStepUp True if the login only adds to the previous grant. By default that is so if it requested more scopes.
 *   The previous grant is then revoked
 * later, by the next login, since many authorization servers would end both.
 * @throws AuthorizationError `grant-lost` if the authorization server ended the new grant with the previous one.
 */
export async function saveGrant(grant: Grant, parts: Parts, isStepUp?: boolean): Promise<void> {
  const { store, keeper } = parts;
  const { kept } = keeper;
  const before = await kept.stored().catch(() => undefined);
  const isOther = before !== undefined && !isSameKey(kept.keyOf(before.grant), kept.keyOf(grant));
  const isUsed = isOther && (await keysOfOthers(parts)).has(credentialKeyText(kept.keyOf(before.grant)));
  // If the server returns the same token again, revoking the old grant would end the new one.
  const isSameToken = before?.grant.refreshToken !== undefined && before.grant.refreshToken === grant.refreshToken;
  // If the process dies from here on, a logout finds the old grant.
  if (before !== undefined && !isUsed && !isSameToken) await setAside(before.grant, parts).catch(() => undefined);
  await keeper.save(grant);
  if (isOther && !isUsed) await store.write(kept.keyOf(before.grant), undefined, { ifGeneration: before.generation });
  const isMore = missingOf(grant.requested, before?.grant.requested ?? []).length > 0;
  const isAddition = before !== undefined && !isApart(before.grant, grant) && (isStepUp ?? isMore);
  if (await revokeReplaced(grant, parts, isAddition ? maxReplaced : 0)) await requireAlive(grant, parts);
}

async function setAside(grant: Grant, parts: Parts): Promise<void> {
  const { store, keeper } = parts;
  const { issuer } = grant.endpoints;
  const key = keeper.kept.key({ issuer, resource: grant.resource, client: replacedBy + grant.id });
  await store.write(key, grantText(grant));
}

/** Tells whether a grant of an authorization server waits for its revocation. */
export async function hasReplaced(issuer: string, parts: Pick<Parts, 'store'>): Promise<boolean> {
  return (await parts.store.keys('grant')).some((key) => key.issuer === issuer && isReplaced(key));
}

/** The replaced grants of the server, the oldest first. */
async function replacedOfServer(parts: Parts): Promise<readonly (readonly [CredentialKey, Grant])[]> {
  const found: [CredentialKey, Grant][] = [];
  for (const key of (await keysOfServer(parts)).filter(isReplaced)) {
    const stored = await parts.keeper.kept.at(key);
    if (stored !== undefined) found.push([key, stored.grant]);
  }
  return found.toSorted(([, one], [, other]) => one.obtainedAt - other.obtainedAt);
}

/**
 * Revokes the grants that were replaced, but so many of the newest.
 *
 * @returns Whether one was revoked with which the new one may have ended.
 */
async function revokeReplaced(grant: Grant, parts: Parts, waiting: number): Promise<boolean> {
  let mayBeJoint = false;
  const all = await replacedOfServer(parts).catch(() => []);
  for (const [at, [key, one]] of all.slice(0, Math.max(0, all.length - waiting)).entries()) {
    const isRevoked = await revokeBy(one, parts);
    const isKept = !isRevoked && at >= all.length - maxReplaced;
    if (!isKept) await parts.store.write(key, undefined).catch(() => undefined);
    if (isRevoked) {
      mayBeJoint ||= !isApart(one, grant);
      continue;
    }
    const { issuer } = one.endpoints;
    const message = `the tokens that ${shownUrl(issuer)} granted before could not be revoked, and are valid until they expire`;
    parts.site.tell({ kind: 'warning', message: isKept ? `${message}; a logout tries again` : message, issuer });
  }
  return mayBeJoint;
}

/** Checks by a renewal whether a new grant outlived the previous one. A temporary failure proves nothing. */
async function requireAlive({ endpoints: { issuer } }: Grant, { keeper }: Parts): Promise<void> {
  if (!keeper.renewable) return;
  const renewal = await keeper.renew(true).catch(() => undefined);
  if (renewal !== 'impossible' || keeper.grant !== undefined) return;
  const message = `${shownUrl(issuer)} ended the new grant with the one before, which was revoked; sign in again: nothing of the old one is left then`;
  throw new AuthorizationError('grant-lost', message, { issuer });
}

/**
 * Revokes all grants of the server, if requested, and deletes them. A grant whose revocation fails for the first time
 * is stored as a replaced one, so that the next login or logout tries again.
 *
 * @returns True if there was one, and each was revoked.
 */
export async function endGrants(parts: Parts, revoke: boolean): Promise<boolean> {
  const { store, keeper } = parts;
  const keys = await keysOfServer(parts);
  const stored = await Promise.all(keys.map((key) => keeper.kept.at(key)));
  const grants = new Map(stored.flatMap((one) => (one === undefined ? [] : [[one.grant.id, one.grant] as const])));
  // Another process may have deleted it from the store.
  if (keeper.grant !== undefined) grants.set(keeper.grant.id, keeper.grant);
  const unrevoked: Grant[] = [];
  for (const grant of revoke ? grants.values() : []) if (!(await revokeBy(grant, parts))) unrevoked.push(grant);
  await keeper.forget();
  for (const key of keys) await store.write(key, undefined);
  const tried = new Set(keys.filter(isReplaced).map(({ client }) => client));
  const again = unrevoked.filter(
    ({ id, endpoints }) => endpoints.revocation !== undefined && !tried.has(replacedBy + id),
  );
  for (const grant of again) await setAside(grant, parts);
  return revoke && grants.size > 0 && unrevoked.length === 0;
}

/**
 * True when the tokens of one grant are sure to be revoked without those of the other. Authorization servers (Keycloak, Google,
 * oidc-provider) revoke all grants of a client and a person together.
 */
function isApart(one: Grant, other: Grant): boolean {
  if (one.client !== other.client || one.endpoints.issuer !== other.endpoints.issuer) return true;
  const [was, is] = [one.identity.subject, other.identity.subject];
  return was !== undefined && is !== undefined && was !== is;
}

/** The keys of all grants of the server: the one that is used, and those that no server uses any more. */
async function keysOfServer(parts: Parts): Promise<readonly CredentialKey[]> {
  const { kept } = parts.keeper;
  const used = await kept.keptKey();
  const grant = parts.keeper.grant;
  const resources = [canonicalResource(parts.site.server), used?.resource, grant?.resource];
  const others = await keysOfOthers(parts);
  const unused = (await keysOf('grant', parts))
    .filter(({ resource = '' }) => resources.some((one) => one !== undefined && sameResource(one, resource)))
    .map(({ issuer, resource = '', client = '' }) => kept.key({ issuer, resource, client }))
    .filter((key) => !others.has(credentialKeyText(key)));
  const all = [...(used === undefined ? [] : [used]), ...unused];
  return [...new Map(all.map((key) => [credentialKeyText(key), key])).values()];
}

/** The keys of the grants that other servers use. */
async function keysOfOthers(parts: Parts): Promise<ReadonlySet<string>> {
  const { kept } = parts.keeper;
  const { issuer: own, ...server } = kept.serverKey;
  const others = (await keysOf('server', parts)).filter(({ issuer }) => issuer !== own);
  // A damaged entry is skipped. It must not prevent a sign-out elsewhere.
  const keys = await Promise.all(
    others.map(({ issuer }) => kept.keptKey({ ...server, issuer }).catch(() => undefined)),
  );
  return new Set(keys.flatMap((key) => (key === undefined ? [] : [credentialKeyText(key)])));
}

/** The keys of one kind that belong to the same account. */
async function keysOf(kind: CredentialKey['kind'], { store, keeper }: Parts): Promise<readonly CredentialKey[]> {
  const { account } = keeper.kept.serverKey;
  return (await store.keys(kind)).filter((key) => key.account === account);
}

function isSameKey(one: CredentialKey, other: CredentialKey): boolean {
  return credentialKeyText(one) === credentialKeyText(other);
}

async function revokeBy(grant: Grant, { site, registration }: Parts): Promise<boolean> {
  if (grant.endpoints.revocation === undefined) return false;
  const client = await registration.find(grant);
  return client !== undefined && (await revokeGrant(site, grant, client));
}
