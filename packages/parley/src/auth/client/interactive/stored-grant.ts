/** The grant that is used at one server, in a store that other processes may share. */

import { addNewest } from '../../../jsonrpc/newest.ts';
import { AuthorizationError } from '../../common/errors.ts';
import { hasFields } from '../../common/fields.ts';
import { jsonOf } from '../../common/document.ts';
import { canonicalResource } from '../../common/resource-url.ts';
import { credentialKeyText, type CredentialKey, type CredentialStore } from '../../../storage/credentials.ts';
import { grantText, readGrant, type Grant } from '../grant.ts';
import type { Site } from '../site.ts';
import { shownUrl } from '../discovery.ts';

/** A grant as the store has it. */
export interface Stored {
  readonly grant: Grant;
  readonly generation: string;
}

/** Options of a stored grant. */
export interface KeptOptions {
  readonly store: CredentialStore;
  readonly account: string | undefined;
  /** Called when the token changed. */
  changed(): void;
}

/** Limit of refresh tokens that are remembered as spent. */
const maxSpent = 100;

/** Keeps the grant of one server. */
export class KeptGrant {
  readonly #site: Site;
  readonly #options: KeptOptions;
  #grant: Grant | undefined;
  #generation: string | undefined;
  /** The last refresh tokens that were used or refused. The store may still have one of them, if it refused a write: it is never sent again. */
  readonly #spent = new Set<string>();
  #loading: Promise<void> | undefined;
  #loaded = false;

  constructor(site: Site, options: KeptOptions) {
    this.#site = site;
    this.#options = options;
  }

  /** The grant, once it was loaded. */
  get grant(): Grant | undefined {
    return this.#grant;
  }

  /** The generation of it in the store. */
  get generation(): string | undefined {
    return this.#generation;
  }

  /** Loads the stored grant once. It returns a promise only if that is still to be done. */
  ready(): Promise<void> | undefined {
    if (this.#loading === undefined)
      this.#loading = this.load().catch((error: unknown) => {
        this.#loading = undefined;
        throw error;
      });
    else if (this.#loaded) return undefined;
    return this.#loading;
  }

  /** Loads the stored grant again: another process that shares the store may have a new one. */
  async load(): Promise<void> {
    const there = await this.stored();
    // If bound tokens are required, a stored unbound one is not used.
    const isWanted = there?.grant.scheme === 'DPoP' || this.#site.options.dpop !== 'always';
    if (isWanted) this.#adopt(there?.grant, there?.generation);
    else this.#adopt(undefined, undefined);
    this.#loaded = true;
  }

  /** The grant that the store has for the server. */
  async stored(): Promise<Stored | undefined> {
    const key = await this.keptKey();
    return key && (await this.at(key));
  }

  /** The key of the grant that is stored for the server, or for another one. */
  async keptKey(server: CredentialKey = this.serverKey): Promise<CredentialKey | undefined> {
    const kept = await this.#options.store.read(server);
    const finding = kept === undefined ? undefined : jsonOf(kept.text);
    if (!hasFields(finding)) return undefined;
    const { issuer, resource, client } = finding;
    const isWhole = typeof issuer === 'string' && typeof resource === 'string' && typeof client === 'string';
    return isWhole ? this.key({ issuer, resource, client }) : undefined;
  }

  /** Reads the entry of a key, unless its refresh token is used up. */
  async at(key: CredentialKey): Promise<Stored | undefined> {
    const kept = await this.#options.store.read(key);
    const grant = readGrant(kept?.text);
    if (kept === undefined || grant === undefined || this.#spent.has(grant.refreshToken ?? '')) return undefined;
    return { grant, generation: kept.generation };
  }

  /**
   * Stores a new grant in place of the current one.
   *
   * @throws AuthorizationError `grant-lost` if the store refuses it.
   */
  async save(grant: Grant): Promise<void> {
    const { store } = this.#options;
    const key = this.keyOf(grant);
    try {
      // If the process dies in between, the store holds a valid state: nothing, the previous grant, or this one.
      const isFirst = (await store.read(this.serverKey)) === undefined;
      if (isFirst) await this.#point(grant);
      await store.write(key, grantText(grant));
      if (!isFirst) await this.#point(grant);
      this.#adopt(grant, (await store.read(key))?.generation);
    } catch (cause) {
      throw unstored(grant, cause);
    }
    this.#loaded = true;
  }

  /** Records which grant belongs to the server. */
  async #point({ endpoints: { issuer }, resource, client }: Grant): Promise<void> {
    await this.#options.store.write(this.serverKey, JSON.stringify({ issuer, resource, client }));
  }

  /** Deletes the grant, even if another process renewed it meanwhile. */
  async forget(): Promise<void> {
    const { store } = this.#options;
    const keys = [await this.keptKey(), this.#grant && this.keyOf(this.#grant), this.serverKey];
    for (const key of keys) if (key !== undefined) await store.write(key, undefined);
    this.#adopt(undefined, undefined);
  }

  /**
   * Replaces a grant by its renewal.
   *
   * @returns True if it is used; false if the user signed in again, or out, meanwhile: then that state stays.
   * @throws AuthorizationError `grant-lost` if the store refuses it. The previous grant is not used again.
   */
  async replace(next: Grant, over: Stored): Promise<boolean> {
    const { store } = this.#options;
    const key = this.keyOf(over.grant);
    const { generation } = over;
    try {
      if (!(await store.write(key, grantText(next), { ifGeneration: generation }))) {
        await this.load();
        return false;
      }
    } catch (cause) {
      this.#spend(over.grant, next);
      throw unstored(next, cause);
    }
    const kept = await store.read(key).catch(() => undefined);
    this.adoptAt(key, next, kept?.generation);
    return true;
  }

  /**
   * Deletes a grant that the authorization server no longer accepts. If it cannot be deleted, it is still not used
   * again.
   */
  async lose({ grant, generation }: { readonly grant: Grant; readonly generation: string | null }): Promise<void> {
    const key = this.keyOf(grant);
    this.#spend(grant);
    this.adoptAt(key, undefined, undefined);
    await this.#options.store.write(key, undefined, { ifGeneration: generation }).catch(() => undefined);
  }

  #spend({ refreshToken }: Grant, next?: Grant): void {
    if (refreshToken === undefined || refreshToken === next?.refreshToken) return;
    addNewest(this.#spent, maxSpent, refreshToken);
  }

  #adopt(grant: Grant | undefined, generation: string | undefined): void {
    if (grant?.accessToken !== this.#grant?.accessToken) this.#options.changed();
    this.#grant = grant;
    this.#generation = generation;
  }

  /** Uses the current entry of a key, unless the entry of another key is in use by now. */
  adoptAt(key: CredentialKey, grant: Grant | undefined, generation: string | undefined): void {
    if (this.#grant === undefined || credentialKeyText(this.keyOf(this.#grant)) === credentialKeyText(key))
      this.#adopt(grant, generation);
  }

  /** The storage key of a grant. */
  keyOf({ endpoints: { issuer }, resource, client }: Grant): CredentialKey {
    return this.key({ issuer, resource, client });
  }

  /** The key of a grant of this account. */
  key(of: { readonly issuer: string; readonly resource: string; readonly client: string }): CredentialKey {
    return { kind: 'grant', ...of, account: this.#options.account };
  }

  /** The key of the entry that names the server's grant. */
  get serverKey(): CredentialKey {
    return { kind: 'server', issuer: canonicalResource(this.#site.server), account: this.#options.account };
  }
}

/** Error for a grant that the store refused. A store shows no secret in an error. */
function unstored({ endpoints: { issuer }, resource }: Grant, cause: unknown): AuthorizationError {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  const message = `the store of credentials refused the tokens that ${shownUrl(issuer)} granted${why}; make it writable, then sign in again`;
  return new AuthorizationError('grant-lost', message, { issuer, resource, cause });
}
