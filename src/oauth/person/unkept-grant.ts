/** A grant that the store did not take: it is used from memory alone, and offered to the store again. */

import { after } from '../../jsonrpc/timeout.ts';
import type { CredentialKey, CredentialStore } from '../../store/credentials.ts';
import { grantText, type Grant } from '../grant.ts';
import { pauseFor } from '../site.ts';

/** Pauses between the first tries, in milliseconds: whoever renewed holds the lock meanwhile, so that nobody uses what is spent. */
const firstPausesMs: readonly number[] = [50, 250, 1000];

/** Pauses between the tries after that, in milliseconds: the first, which doubles, and the longest; and the most of them. */
const pauseMs = 2_000;
const longestPauseMs = 60_000;
const mostTries = 12;

/** End of it: the store has it, under a generation, or somebody else put something there. */
export type Settled = { readonly generation: string | undefined } | 'overtaken';

/** The place of a grant in a store. */
export interface GrantPlace {
  readonly store: CredentialStore;
  readonly key: CredentialKey;
  /** The generation that it replaces; `null` for nothing, `undefined` for whatever is there. */
  readonly over: string | null | undefined;
  /** Writes what belongs to it, once it is kept. */
  alongside(grant: Grant): Promise<void>;
  /** Hears once what became of it. */
  settled(unkept: UnkeptGrant, end: Settled): Promise<void>;
}

/** Holds the grant, and offers it until the store takes it, somebody else was first, or it is held back. */
export class UnkeptGrant {
  readonly grant: Grant;
  readonly place: GrantPlace;
  readonly #text: string;
  #tries = 0;
  #stop: () => void = () => {};
  #offering: Promise<void> | undefined;
  #heldBack = false;

  constructor(grant: Grant, place: GrantPlace) {
    this.grant = grant;
    this.place = place;
    this.#text = grantText(grant);
  }

  /** Offers it a few times at once, and from time to time after that. */
  async insist(signal: AbortSignal): Promise<void> {
    for (const ms of firstPausesMs) {
      if (this.#heldBack || signal.aborted) break;
      await pauseFor(ms, signal).catch(() => undefined);
      await this.offer();
    }
    this.#later();
  }

  /** Offers it once more. It never fails: what the store does not take is still here. */
  async offer(): Promise<void> {
    if (this.#heldBack) return;
    await (this.#offering ??= this.#offer().finally(() => (this.#offering = undefined)));
  }

  /** Offers it no longer: it is about to be replaced, or deleted. */
  async holdBack(): Promise<void> {
    this.#heldBack = true;
    this.#stop();
    await this.#offering;
  }

  /** Offers it again, since nothing came in its place. */
  resume(): void {
    this.#heldBack = false;
    this.#later();
  }

  #later(): void {
    this.#stop();
    if (this.#heldBack || this.#tries >= mostTries) return;
    const ms = Math.min(longestPauseMs, pauseMs * 2 ** this.#tries++);
    this.#stop = after(ms, () => void this.offer().then(() => this.#later()));
  }

  async #offer(): Promise<void> {
    let end: Settled | undefined;
    try {
      end = await this.#write();
      if (end !== undefined && end !== 'overtaken') await this.place.alongside(this.grant);
    } catch {
      return;
    }
    if (end === undefined) return;
    this.#heldBack = true;
    this.#stop();
    await this.place.settled(this, end);
  }

  async #write(): Promise<Settled | undefined> {
    const { store, key, over } = this.place;
    const there = await store.read(key);
    if (there?.text === this.#text) return { generation: there.generation };
    if (over !== undefined && (there?.generation ?? null) !== over) return 'overtaken';
    try {
      if (!(await store.write(key, this.#text, { ifGeneration: over }))) return undefined;
    } catch (error) {
      // One that was said to have failed may have been done all the same: then others may use it by now.
      const now = await store.read(key);
      if (now?.text !== this.#text) throw error;
      return { generation: now.generation };
    }
    const kept = await store.read(key).catch(() => undefined);
    return { generation: kept?.generation };
  }
}
