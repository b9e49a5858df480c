/** Visits of persons to our pages: who was sent there and what for, sealed, and what became of it, kept. */

import { hasFields } from '../common/fields.ts';
import { jsonOf } from '../common/document.ts';
import { scopesOf } from '../common/scopes.ts';
import { unguessableText } from '../common/base64url.ts';
import { after } from '../../jsonrpc/timeout.ts';
import type { Seal } from '../../sealing/seal.ts';
import type { CredentialKey, CredentialStore, KeptCredential } from '../../storage/credentials.ts';
import { unlessAborted } from '../../storage/turns.ts';

/** A person who was sent to our page, and what for. */
export interface Visit {
  /** Names it; nobody can guess it. */
  readonly id: string;
  /** The person who was sent, and nobody else. */
  readonly principal: string;
  /** Name of what it is about: an account, an upstream server. */
  readonly party: string;
  /** The scopes that are asked for. */
  readonly scopes: readonly string[];
  /** The program for which it is asked, by a name that it gave itself. */
  readonly by?: string | undefined;
  /** Id of the client for which it is asked, as its tokens name it; left out where they name none. */
  readonly client?: string | undefined;
  /** True when the account is connected already, and only this client has no consent. */
  readonly consentOnly?: boolean | undefined;
  /** Time at which it is over, in milliseconds since 1970. */
  readonly until: number;
}

/** Outcome of a visit, as whoever waits for it hears it; `over` when nobody came in time. */
export type Outcome = 'granted' | 'declined' | 'failed' | 'over';

/** State of a visit that was begun: the person was sent on, has come back, or it is over. */
type State = 'sent' | 'back' | Exclude<Outcome, 'over'>;

/** Time between two looks of who waits, in milliseconds; a store that tells of changes is quicker. */
const lookMs = 1_000;

/** Time between two searches for what is left of old visits, in milliseconds. */
const sweepMs = 60_000;

/** The most characters of the name that a program gives itself. */
const mostNamed = 100;

const prefix = 'visit ';

/** The visits of one set of pages. */
export class Visits {
  readonly #store: CredentialStore;
  readonly #seal: Seal;
  readonly #now: () => number;
  /** Time that each of the two ways may take: to our page, and to the authorization server and back; in milliseconds. */
  readonly #ms: number;
  #swept = Number.NEGATIVE_INFINITY;

  constructor({
    store,
    seal,
    now,
    ms,
  }: {
    readonly store: CredentialStore;
    readonly seal: Seal;
    readonly now: () => number;
    readonly ms: number;
  }) {
    this.#store = store;
    this.#seal = seal;
    this.#now = now;
    this.#ms = ms;
  }

  /** Makes a visit; nothing is kept of it until the person answers. */
  make({ by, ...about }: Omit<Visit, 'id' | 'until'>): Visit {
    void this.#sweep().catch(() => undefined);
    // A client may give itself any name.
    return { ...about, by: by?.slice(0, mostNamed), id: unguessableText(), until: this.#now() + this.#ms };
  }

  /** The same visit with time for the way to the authorization server and back, and as short as a cookie must be. */
  sent({ id, principal, party }: Visit): Visit {
    return { id, principal, party, scopes: [], until: this.#now() + this.#ms };
  }

  /** A visit as text that shows nothing of it, and opens only with what it is bound to. */
  async sealed(visit: Visit, boundTo: string): Promise<string> {
    return await this.#seal.seal(JSON.stringify(visit), boundTo);
  }

  /** The visit of such a text; `undefined` for one that was changed, is bound to something else, or is over. */
  async opened(text: string, boundTo: string): Promise<Visit | undefined> {
    const visit = visitIn(await this.#seal.open(text, boundTo));
    return visit === undefined || visit.until <= this.#now() ? undefined : visit;
  }

  /** True when the person has answered already. */
  async isUsed(visit: Visit): Promise<boolean> {
    return (await this.#store.read(keyOf(visit))) !== undefined;
  }

  /**
   * Notes the answer of the person.
   *
   * @returns False when there was one already: a visit is good once.
   */
  async answer(visit: Visit, state: 'sent' | 'declined'): Promise<boolean> {
    return await this.#store.write(keyOf(visit), this.#text(state, visit), { ifGeneration: null });
  }

  /**
   * Notes that the person is back from the authorization server.
   *
   * @param visit One that was opened again, which says less.
   * @returns The visit as the person answered it; `undefined` when they were back already, or were never sent.
   */
  async back(visit: Visit): Promise<Visit | undefined> {
    const kept = await this.#store.read(keyOf(visit));
    if (kept === undefined || stateIn(kept) !== 'sent') return undefined;
    const isFirst = await this.#store.write(keyOf(visit), this.#text('back', visit), { ifGeneration: kept.generation });
    return isFirst ? { ...visit, scopes: scopesOf(fieldsIn(kept)['scopes']) } : undefined;
  }

  /** Notes how it ended. */
  async end(visit: Visit, state: 'granted' | 'declined' | 'failed'): Promise<void> {
    await this.#store.write(keyOf(visit), this.#text(state, visit));
  }

  /**
   * Waits until a visit is over.
   *
   * @param isGranted True when another visit had the same outcome that is awaited of this one.
   * @throws The reason of the signal.
   */
  async outcome(visit: Visit, signal: AbortSignal, isGranted: () => Promise<boolean>): Promise<Outcome> {
    for (;;) {
      let look = (): void => {};
      const changed = new Promise<void>((resolve) => (look = resolve));
      const ends = [after(lookMs, look, true), this.#store.watch?.(keyOf(visit), look)];
      try {
        const kept = await this.#store.read(keyOf(visit));
        const state = kept === undefined ? undefined : stateIn(kept);
        if (state === 'granted' || state === 'declined' || state === 'failed') return state;
        if (await isGranted()) return 'granted';
        // The way there, and the way to the authorization server and back.
        if (this.#now() > visit.until + (state === undefined ? 0 : this.#ms)) return 'over';
        await unlessAborted(changed, signal);
      } finally {
        for (const end of ends) end?.();
      }
    }
  }

  #text(state: State, { scopes }: Visit): string {
    // Longer than the sealed text of it opens.
    return JSON.stringify({ state, scopes, until: this.#now() + 3 * this.#ms });
  }

  /** Deletes what is left of visits that nobody can take up any more. */
  async #sweep(): Promise<void> {
    const now = this.#now();
    if (now - this.#swept < sweepMs) return;
    this.#swept = now;
    for (const key of await this.#store.keys('login')) {
      if (!key.issuer.startsWith(prefix)) continue;
      const kept = await this.#store.read(key);
      if (kept !== undefined && untilIn(kept) <= now)
        await this.#store.write(key, undefined, { ifGeneration: kept.generation });
    }
  }
}

/** It is a login that is under way, of one principal. */
function keyOf({ id, principal }: Visit): CredentialKey {
  return { kind: 'login', issuer: `${prefix}${id}`, principal };
}

function visitIn(text: string | undefined): Visit | undefined {
  const value = text === undefined ? undefined : jsonOf(text);
  // It was sealed by us.
  return hasFields(value) ? (value as unknown as Visit) : undefined;
}

function fieldsIn({ text }: KeptCredential): Readonly<Record<string, unknown>> {
  const value = jsonOf(text);
  return hasFields(value) ? value : {};
}

function stateIn(kept: KeptCredential): unknown {
  return fieldsIn(kept)['state'];
}

function untilIn(kept: KeptCredential): number {
  const { until } = fieldsIn(kept);
  return typeof until === 'number' ? until : Number.NEGATIVE_INFINITY;
}
