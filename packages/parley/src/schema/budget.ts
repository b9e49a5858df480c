/** Budget of a check: steps, which are the same on every machine, and for a peer's schema time as well. */

/** Time that a peer's schema may keep this thread, in milliseconds. */
const maxTime = 40;

/** Of that, what is left in any case to say why a value does not fit. */
const timeToExplain = 10;

/** A longer time between two looks at the clock counts as this much: somebody else had the processor. */
const maxGapMs = 2;

/** Number of steps that go by between two looks at the clock. */
const stepsBetweenLooks = 16;

/**
 * The processor time of this thread in milliseconds, on platforms that tell it (Node from 23.9 on). Elsewhere what others
 * took is known only by the long gaps that it leaves between two looks at the clock.
 */
const platform = (
  globalThis as { readonly process?: { threadCpuUsage?(): { readonly user: number; readonly system: number } } }
).process;

function ownTime(): number | undefined {
  const used = platform?.threadCpuUsage?.();
  return used === undefined ? undefined : (used.user + used.system) / 1000;
}

/** A check that costs more than it may: a hostile schema, or a value made for a costly one. */
export class OverBudget extends Error {
  constructor() {
    super('there is too much to check');
    this.name = 'OverBudget';
  }
}

/** Parts of a budget that a check pays from. */
export type RunBudget = Pick<CheckBudget, 'spend' | 'tick' | 'look'>;

/** Budget that one check has left. It is begun anew for each. */
export class CheckBudget {
  readonly #timed: boolean;
  #steps = Number.POSITIVE_INFINITY;
  #time = Number.POSITIVE_INFINITY;
  #lookedAt = 0;
  /** Time that the thread had used when the grant was made, and the size of the grant. */
  #usedBefore: number | undefined;
  #granted = 0;
  #untilLook = 0;

  constructor({ timed }: { readonly timed: boolean }) {
    this.#timed = timed;
  }

  /** Begins a check; what it costs to read the value is paid with time alone until steps are granted. */
  begin(): void {
    this.grant(Number.POSITIVE_INFINITY);
    this.#allow(this.#timed ? maxTime - timeToExplain : Number.POSITIVE_INFINITY);
  }

  /** Says how many steps there are for what follows. */
  grant(steps: number): void {
    this.#steps = steps;
    this.#untilLook = stepsBetweenLooks;
  }

  /** Leaves time to say why a value does not fit. */
  explain(): void {
    this.#allow(Math.max(this.#time, 0) + timeToExplain);
  }

  /** Pays for what comes next. */
  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new OverBudget();
    this.tick(1 + steps);
  }

  /** Pays with time alone, for work that every value of that size costs. */
  tick(steps = 1): void {
    this.#untilLook -= steps;
    if (this.#untilLook < 0 && this.#timed) this.#look();
  }

  #allow(time: number): void {
    this.#time = this.#granted = time;
    this.#usedBefore = this.#timed ? ownTime() : undefined;
    this.#lookedAt = performance.now();
  }

  /** Looks at the clock, after work that is not counted in steps. */
  look(): void {
    if (this.#timed) this.#look();
  }

  #look(): void {
    const now = performance.now();
    const gap = now - this.#lookedAt;
    this.#time -= Math.min(gap, maxGapMs);
    this.#lookedAt = now;
    this.#untilLook = stepsBetweenLooks;
    // A long gap was ours, where the platform does not say otherwise: a piece of work that cannot be paid for in parts.
    if (this.#time >= 0 && (gap <= maxGapMs || this.#usedBefore === undefined)) return;
    // On a machine with more to do than it can, most of that time was spent by others.
    if (this.#usedBefore !== undefined) this.#time = this.#granted - ((ownTime() ?? 0) - this.#usedBefore);
    if (this.#time < 0) throw new OverBudget();
  }
}
