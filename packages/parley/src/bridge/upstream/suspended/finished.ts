/** Outcome that waits to be fetched. */
export interface FinishedCall {
  /** The owner that it counts for. */
  readonly owner: string | undefined;
  /** Number of characters that it keeps. */
  readonly size: number;
  /** Forgets it. */
  giveUp(why: string): void;
}

/** Limit of the outcomes, in characters and in number. */
const maxWeight = 64 * 1024 * 1024;
const maxOutcomes = 1_000;

/**
 * Outcomes of calls. If there is no room, the oldest outcome of the owner with the most is dropped. So an owner loses
 * an outcome only if it has more than each of the others.
 */
export class FinishedCalls {
  readonly #weights = new Map<FinishedCall, number>();
  /** By owner. */
  readonly #owned = new Map<string | undefined, number>();
  readonly #most: number;
  #weight = 0;

  constructor(maxCharacters: number = maxWeight) {
    this.#most = maxCharacters;
  }

  add(call: FinishedCall): void {
    const weight = Math.max(Math.ceil(this.#most / maxOutcomes), call.size);
    this.#weights.set(call, weight);
    this.#count(call.owner, weight);
    // One alone stays, however large it is.
    while (this.#weight > this.#most && this.#weights.size > 1) this.#makeRoom();
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
