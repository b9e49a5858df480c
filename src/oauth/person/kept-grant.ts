/** The grant that is used at one server, and where it is kept: in a store that others may share, or in memory while that takes nothing. */

import { addNewest } from '../../jsonrpc/newest.ts';
import { hasFields } from '../../auth/fields.ts';
import { jsonOf } from '../../auth/document.ts';
import { canonicalResource } from '../../auth/resource-url.ts';
import { credentialKeyText, type CredentialKey, type CredentialStore } from '../../store/credentials.ts';
import { grantText, readGrant, type Grant } from '../grant.ts';
import type { Site } from '../site.ts';
import { UnkeptGrant, type GrantPlace, type Settled } from './unkept-grant.ts';

/** A grant as the store has it. */
export interface Stored {
  readonly grant: Grant;
  readonly generation: string;
}

/** The needs of a grant that is kept. */
export interface KeptOptions {
  readonly store: CredentialStore;
  readonly account: string | undefined;
  /** Hears that another token is used. */
  changed(): void;
}

/** Write that the store refused: where, in place of what, and why. */
type Refused = Pick<GrantPlace, 'key' | 'over' | 'alongside'> & { readonly error: unknown };

/** The most refresh tokens that are remembered as spent: one for each renewal that the store was not told of, in a row. */
const mostSpent = 100;

/** Keeps the grant of one server. */
export class KeptGrant {
  readonly #site: Site;
  readonly #options: KeptOptions;
  #grant: Grant | undefined;
  #generation: string | undefined;
  /** The grant, where the store did not take it: nobody else knows of it. */
  #unkept: UnkeptGrant | undefined;
  /** The last refresh tokens that are of no use any more, where the store could not be told: what comes from it with one is no grant. */
  readonly #spent = new Set<string>();
  #loading: Promise<void> | undefined;
  #loaded = false;

  constructor(site: Site, options: KeptOptions) {
    this.#site = site;
    this.#options = options;
  }

  /** The grant, once it was looked for. */
  get grant(): Grant | undefined {
    return this.#grant;
  }

  /** The generation of it in the store. */
  get generation(): string | undefined {
    return this.#generation;
  }

  /** True while the store has not taken it. */
  get isUnkept(): boolean {
    return this.#unkept !== undefined;
  }

  /** Looks once for what was kept; a promise only where that is still to be done. */
  ready(): Promise<void> | undefined {
    if (this.#loading === undefined)
      this.#loading = this.load().catch((error: unknown) => {
        this.#loading = undefined;
        throw error;
      });
    else if (this.#loaded) return undefined;
    return this.#loading;
  }

  /** Looks again for what is kept: others who share the store may have got something else. */
  async load(): Promise<void> {
    await this.#unkept?.offer();
    if (this.#unkept === undefined) await this.#read();
    this.#loaded = true;
  }

  async #read(): Promise<void> {
    const there = await this.stored();
    // What was got meanwhile may be known to nobody else.
    if (this.#unkept !== undefined) return;
    // Who wants bound tokens has no use for another one that was kept.
    const isWanted = there?.grant.scheme === 'DPoP' || this.#site.options.dpop !== 'always';
    if (isWanted) this.#adopt(there?.grant, there?.generation);
    else this.#adopt(undefined, undefined);
  }

  /** The grant that the store has for the server. */
  async stored(): Promise<Stored | undefined> {
    const key = await this.keptKey();
    return key && (await this.at(key));
  }

  /** The key of the grant that is kept for the server, or for another one. */
  async keptKey(server: CredentialKey = this.serverKey): Promise<CredentialKey | undefined> {
    const kept = await this.#options.store.read(server);
    const finding = kept === undefined ? undefined : jsonOf(kept.text);
    if (!hasFields(finding)) return undefined;
    const { issuer, resource, client } = finding;
    const isWhole = typeof issuer === 'string' && typeof resource === 'string' && typeof client === 'string';
    return isWhole ? this.key({ issuer, resource, client }) : undefined;
  }

  /** Reads what the store has under a key, unless its refresh token is spent. */
  async at(key: CredentialKey): Promise<Stored | undefined> {
    const kept = await this.#options.store.read(key);
    const grant = readGrant(kept?.text);
    if (kept === undefined || grant === undefined || this.#spent.has(grant.refreshToken ?? '')) return undefined;
    return { grant, generation: kept.generation };
  }

  /** Keeps what was just granted, in place of what was there. */
  async save(grant: Grant): Promise<void> {
    const { store } = this.#options;
    const key = this.keyOf(grant);
    await this.#takeBack();
    this.#loaded = true;
    try {
      // Who dies in between leaves what is found: nothing, what there was before, or this.
      const isFirst = (await store.read(this.serverKey)) === undefined;
      if (isFirst) await this.#point(grant);
      await store.write(key, grantText(grant));
      if (!isFirst) await this.#point(grant);
      this.#adopt(grant, (await store.read(key))?.generation);
    } catch (error) {
      const over = await store.read(key).then(
        (there) => there?.generation ?? null,
        () => undefined,
      );
      this.#adopt(grant, undefined);
      await this.#goOn(grant, { key, over, alongside: (kept) => this.#point(kept), error });
    }
  }

  /** Says which grant is the one for the server. */
  async #point({ endpoints: { issuer }, resource, client }: Grant): Promise<void> {
    await this.#options.store.write(this.serverKey, JSON.stringify({ issuer, resource, client }));
  }

  /** Deletes the grant, whoever renewed it meanwhile. */
  async forget(): Promise<void> {
    const { store } = this.#options;
    await this.#takeBack();
    const keys = [await this.keptKey(), this.#grant && this.keyOf(this.#grant), this.serverKey];
    for (const key of keys) if (key !== undefined) await store.write(key, undefined);
    this.#adopt(undefined, undefined);
  }

  /**
   * Puts a renewed grant in the place of the one by which it was renewed. Where the store does not take it, it is used all the same, and
   * the other one never again.
   *
   * @returns Whether it is used; false where somebody signed in anew, or out, meanwhile: that counts.
   */
  async replace(next: Grant, over: Stored, signal: AbortSignal): Promise<boolean> {
    const { store } = this.#options;
    const key = this.keyOf(over.grant);
    const { generation } = over;
    try {
      if (!(await store.write(key, grantText(next), { ifGeneration: generation }))) {
        await this.load();
        return false;
      }
    } catch (error) {
      this.#spend(over.grant, next);
      this.adoptAt(key, next, undefined);
      if (this.#grant !== next) return false;
      await this.#goOn(next, { key, over: generation, alongside: async () => {}, error }, signal);
      return this.#grant?.accessToken === next.accessToken;
    }
    const kept = await store.read(key).catch(() => undefined);
    this.adoptAt(key, next, kept?.generation);
    return true;
  }

  /** Offers what the store did not take once more, then holds it back so that it can be renewed; `undefined` where it is settled. */
  async unkept(): Promise<UnkeptGrant | undefined> {
    const unkept = this.#unkept;
    await unkept?.offer();
    await unkept?.holdBack();
    return this.#unkept;
  }

  /**
   * Puts a renewed grant in the place of one that the store did not take, or nothing.
   *
   * @returns Whether that counts; false where somebody signed in anew, or out, meanwhile.
   */
  async replaceUnkept(unkept: UnkeptGrant, next: Grant | undefined, signal: AbortSignal): Promise<boolean> {
    if (this.#unkept !== unkept) return false;
    this.#unkept = undefined;
    const { key, over } = unkept.place;
    if (next !== undefined) {
      this.#spend(unkept.grant, next);
      this.adoptAt(key, next, undefined);
      await this.#offer(next, unkept.place, signal);
    } else await this.lose({ grant: unkept.grant, generation: over ?? null });
    return true;
  }

  /** Deletes what the authorization server takes no longer. Where it cannot be deleted it is not used again all the same. */
  async lose({ grant, generation }: { readonly grant: Grant; readonly generation: string | null }): Promise<void> {
    const key = this.keyOf(grant);
    this.#spend(grant);
    this.adoptAt(key, undefined, undefined);
    await this.#options.store.write(key, undefined, { ifGeneration: generation }).catch(() => undefined);
  }

  #spend({ refreshToken }: Grant, next?: Grant): void {
    if (refreshToken === undefined || refreshToken === next?.refreshToken) return;
    addNewest(this.#spent, mostSpent, refreshToken);
  }

  /** Offers what the store did not take, for the last time. */
  async rest(): Promise<void> {
    await this.#unkept?.offer();
  }

  async #takeBack(): Promise<void> {
    await this.#unkept?.holdBack();
    this.#unkept = undefined;
  }

  /** Goes on with what the store did not take, and says so. */
  async #goOn(grant: Grant, { error, ...place }: Refused, signal = new AbortController().signal): Promise<void> {
    const { issuer } = grant.endpoints;
    // A store shows no secret in an error.
    const why = error instanceof Error ? `: ${error.message}` : '';
    const message = `what ${issuer} granted is kept in memory alone, until the store takes it${why}`;
    this.#site.tell({ kind: 'warning', message, issuer });
    const { store } = this.#options;
    await this.#offer(grant, { ...place, store, settled: (unkept, end) => this.#settled(unkept, end) }, signal);
  }

  async #offer(grant: Grant, place: GrantPlace, signal: AbortSignal): Promise<void> {
    this.#unkept = new UnkeptGrant(grant, place);
    await this.#unkept.insist(signal);
  }

  async #settled(unkept: UnkeptGrant, end: Settled): Promise<void> {
    if (this.#unkept !== unkept) return;
    this.#unkept = undefined;
    if (end !== 'overtaken') this.adoptAt(unkept.place.key, unkept.grant, end.generation);
    // Where that cannot be read now it is by whoever is refused.
    else await this.#read().catch(() => undefined);
  }

  #adopt(grant: Grant | undefined, generation: string | undefined): void {
    if (grant?.accessToken !== this.#grant?.accessToken) this.#options.changed();
    this.#grant = grant;
    this.#generation = generation;
  }

  /** Uses what is kept under a key now, unless what is kept under another one is used by now. */
  adoptAt(key: CredentialKey, grant: Grant | undefined, generation: string | undefined): void {
    if (this.#grant === undefined || credentialKeyText(this.keyOf(this.#grant)) === credentialKeyText(key))
      this.#adopt(grant, generation);
  }

  /** The key under which a grant is kept. */
  keyOf({ endpoints: { issuer }, resource, client }: Grant): CredentialKey {
    return this.key({ issuer, resource, client });
  }

  /** The key of a grant of this account. */
  key(of: { readonly issuer: string; readonly resource: string; readonly client: string }): CredentialKey {
    return { kind: 'grant', ...of, account: this.#options.account };
  }

  /** The key of what says which grant is the one for the server. */
  get serverKey(): CredentialKey {
    return { kind: 'server', issuer: canonicalResource(this.#site.server), account: this.#options.account };
  }
}
