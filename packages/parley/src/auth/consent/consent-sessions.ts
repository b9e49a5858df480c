/** Visits of users to our pages: the user and the purpose, sealed, and the stored outcome. */

import { hasFields } from '../common/fields.ts';
import { jsonOf } from '../common/document.ts';
import { scopesOf } from '../common/scopes.ts';
import { unguessableText } from '../common/base64url.ts';
import { after } from '../../jsonrpc/timeout.ts';
import type { Seal } from '../../sealing/seal.ts';
import type { CredentialKey, CredentialStore, StoredCredential } from '../../storage/credentials.ts';
import { unlessAborted } from '../../storage/turns.ts';

/** A person who was sent to our page, and what for. */
export interface ConsentSession {
  /** Its id, which cannot be guessed. */
  readonly id: string;
  /** The user who was sent. No other user may answer. */
  readonly principal: string;
  /** Name of the subject: an account, an upstream server. */
  readonly party: string;
  /** The scopes that are asked for. */
  readonly scopes: readonly string[];
  /** The program for which it is asked, by a name that it gave itself. */
  readonly by?: string | undefined;
  /** Id of the client that it is for, from its tokens; left out if they have none. */
  readonly client?: string | undefined;
  /** True when the account is connected already, and only this client has no consent. */
  readonly consentOnly?: boolean | undefined;
  /** Time at which it is over, in milliseconds since 1970. */
  readonly until: number;
}

/** Outcome of a visit, for the waiting caller; `over` if the user did not come in time. */
export type ConsentOutcome = 'granted' | 'declined' | 'failed' | 'over';

/** State of a visit that was begun: the person was sent on, has come back, or it is over. */
type State = 'sent' | 'back' | Exclude<ConsentOutcome, 'over'>;

/** Interval at which a waiting caller checks, in milliseconds. A store with notifications is faster. */
const lookMs = 1_000;

/** Interval of the search for expired visits, in milliseconds. */
const sweepMs = 60_000;

/** The most characters of the name that a program gives itself. */
const maxNamed = 100;

const prefix = 'visit ';

/** The visits of one set of pages. */
export class ConsentSessions {
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

  /** Makes a visit. Nothing is stored until the user answers. */
  make({ by, ...about }: Omit<ConsentSession, 'id' | 'until'>): ConsentSession {
    void this.#sweep().catch(() => undefined);
    // A client may give itself any name.
    return { ...about, by: by?.slice(0, maxNamed), id: unguessableText(), until: this.#now() + this.#ms };
  }

  /** The same visit with a new time limit for the redirect, and short enough for a cookie. */
  sent({ id, principal, party }: ConsentSession): ConsentSession {
    return { id, principal, party, scopes: [], until: this.#now() + this.#ms };
  }

  /** A visit as encrypted text, which opens only with its binding. */
  async sealed(visit: ConsentSession, boundTo: string): Promise<string> {
    return await this.#seal.seal(JSON.stringify(visit), boundTo);
  }

  /** The visit of such a text; `undefined` if it was changed, has another binding, or has expired. */
  async opened(text: string, boundTo: string): Promise<ConsentSession | undefined> {
    const visit = visitIn(await this.#seal.open(text, boundTo));
    return visit === undefined || visit.until <= this.#now() ? undefined : visit;
  }

  /** True when the person has answered already. */
  async isUsed(visit: ConsentSession): Promise<boolean> {
    return (await this.#store.read(keyOf(visit))) !== undefined;
  }

  /**
   * Notes the answer of the person.
   *
   * @returns False when there was one already: a visit is good once.
   */
  async answer(visit: ConsentSession, state: 'sent' | 'declined'): Promise<boolean> {
    return await this.#store.write(keyOf(visit), this.#text(state, visit), { ifGeneration: null });
  }

  /**
   * Records that the user is back from the authorization server.
   *
   * @param visit The visit from the cookie, which has fewer fields.
   * @returns The visit as the user answered it; `undefined` if the user was back already, or was never sent.
   */
  async back(visit: ConsentSession): Promise<ConsentSession | undefined> {
    const kept = await this.#store.read(keyOf(visit));
    if (kept === undefined || stateIn(kept) !== 'sent') return undefined;
    const isFirst = await this.#store.write(keyOf(visit), this.#text('back', visit), { ifGeneration: kept.generation });
    return isFirst ? { ...visit, scopes: scopesOf(fieldsIn(kept)['scopes']) } : undefined;
  }

  /** Notes how it ended. */
  async end(visit: ConsentSession, state: 'granted' | 'declined' | 'failed'): Promise<void> {
    await this.#store.write(keyOf(visit), this.#text(state, visit));
  }

  /**
   * Waits until a visit is over.
   *
   * @param isGranted True if another visit had the awaited outcome.
   * @throws The reason of the signal.
   */
  async outcome(
    visit: ConsentSession,
    signal: AbortSignal,
    isGranted: () => Promise<boolean>,
  ): Promise<ConsentOutcome> {
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

  #text(state: State, { scopes }: ConsentSession): string {
    // Longer than the sealed text of it opens.
    return JSON.stringify({ state, scopes, until: this.#now() + 3 * this.#ms });
  }

  /** Deletes the remains of expired visits. */
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
function keyOf({ id, principal }: ConsentSession): CredentialKey {
  return { kind: 'login', issuer: `${prefix}${id}`, principal };
}

function visitIn(text: string | undefined): ConsentSession | undefined {
  const value = text === undefined ? undefined : jsonOf(text);
  // It was sealed by us.
  return hasFields(value) ? (value as unknown as ConsentSession) : undefined;
}

function fieldsIn({ text }: StoredCredential): Readonly<Record<string, unknown>> {
  const value = jsonOf(text);
  return hasFields(value) ? value : {};
}

function stateIn(kept: StoredCredential): unknown {
  return fieldsIn(kept)['state'];
}

function untilIn(kept: StoredCredential): number {
  const { until } = fieldsIn(kept);
  return typeof until === 'number' ? until : Number.NEGATIVE_INFINITY;
}
