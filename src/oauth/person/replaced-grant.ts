/** The end of grants that nobody uses any more: their tokens are revoked, and they are deleted. */

import { canonicalResource, sameResource } from '../../auth/resource-url.ts';
import { credentialKeyText, type CredentialKey, type CredentialStore } from '../../store/credentials.ts';
import { shownUrl } from '../discovery.ts';
import type { Grant } from '../grant.ts';
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

/** Keeps what was just granted. The grant that it replaced is revoked and deleted, unless another server uses it too. */
export async function saveGrant(grant: Grant, parts: Parts): Promise<void> {
  const { site, store, keeper } = parts;
  const { kept } = keeper;
  const before = await kept.stored().catch(() => undefined);
  await keeper.save(grant);
  if (before === undefined || !isApart(before.grant, grant)) return;
  const key = kept.keyOf(before.grant);
  const isSame = isSameKey(key, kept.keyOf(grant));
  if (!isSame && (await keysOfOthers(parts)).has(credentialKeyText(key))) return;
  if (!isSame) await store.write(key, undefined, { ifGeneration: before.generation });
  if (await revokeBy(before.grant, parts)) return;
  const { issuer } = before.grant.endpoints;
  const message = `the tokens that ${shownUrl(issuer)} granted before could not be revoked, and are valid until they expire`;
  site.tell({ kind: 'warning', message, issuer });
}

/**
 * Revokes all grants of the server, where that is wanted, and deletes them.
 *
 * @returns Whether there was one, and each was revoked.
 */
export async function endGrants(parts: Parts, revoke: boolean): Promise<boolean> {
  const { store, keeper } = parts;
  const keys = await keysOfServer(parts);
  const stored = await Promise.all(keys.map((key) => keeper.kept.at(key)));
  const grants = new Map(stored.flatMap((one) => (one === undefined ? [] : [[one.grant.id, one.grant] as const])));
  // The store may not have taken the newest.
  if (keeper.grant !== undefined) grants.set(keeper.grant.id, keeper.grant);
  let isRevoked = revoke && grants.size > 0;
  for (const grant of revoke ? grants.values() : []) isRevoked = (await revokeBy(grant, parts)) && isRevoked;
  await keeper.forget();
  for (const key of keys) await store.write(key, undefined);
  return isRevoked;
}

/**
 * True when the tokens of one grant may be revoked without those of the other. Authorization servers (Keycloak, Google,
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
  // A damaged entry says nothing, and keeps nobody from signing out elsewhere.
  const keys = await Promise.all(
    others.map(({ issuer }) => kept.keptKey({ ...server, issuer }).catch(() => undefined)),
  );
  return new Set(keys.flatMap((key) => (key === undefined ? [] : [credentialKeyText(key)])));
}

/** The keys of one kind that are of the same account. */
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
