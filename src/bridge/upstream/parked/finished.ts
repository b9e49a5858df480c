/** Outcome that waits to be fetched. */
export interface FinishedCall {
  /** Owner that it counts for. */
  readonly owner: string | undefined;
  /** Number of characters that it keeps. */
  readonly size: number;
  /** Forgets it. */
  giveUp(why: string): void;
}

/** Limit of what waits, and the least that one counts for, in characters: so there are 1,000 outcomes at most. */
const mostWeight = 64 * 1024 * 1024;
const leastWeight = Math.ceil(mostWeight / 1_000);

/**
 * Outcomes of calls whose clients did not fetch them yet. Where there is no room for another the oldest of whoever has
 * most makes way: so nobody loses an outcome because of what others leave, unless he leaves more than each of them.
 */
export class FinishedCalls {
  readonly #weights = new Map<FinishedCall, number>();
  /** By owner. */
  readonly #owned = new Map<string | undefined, number>();
  #weight = 0;

  add(call: FinishedCall): void {
    const weight = Math.max(leastWeight, call.size);
    this.#weights.set(call, weight);
    this.#count(call.owner, weight);
    // One alone stays, however large it is.
    while (this.#weight > mostWeight && this.#weights.size > 1) this.#makeRoom();
  }

  /** Takes note that one was fetched, or is forgotten. */
  delete(call: FinishedCall): void {
    const weight = this.#weights.get(call);
    if (weight === undefined) return;
    this.#weights.delete(call);
    this.#count(call.owner, -weight);
  }

  #makeRoom(): void {
    const [first] = this.#owned;
    let [most, weight] = first ?? [undefined, 0];
    for (const [owner, own] of this.#owned) if (own > weight) [most, weight] = [owner, own];
    for (const call of this.#weights.keys()) {
      if (call.owner !== most) continue;
      this.delete(call);
      return call.giveUp('its outcome was not fetched');
    }
  }

  #count(owner: string | undefined, weight: number): void {
    this.#weight += weight;
    const own = (this.#owned.get(owner) ?? 0) + weight;
    if (own > 0) this.#owned.set(owner, own);
    else this.#owned.delete(owner);
  }
}
