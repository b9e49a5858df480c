/** What a check may cost: steps, which are the same on every machine, and for a peer's schema time as well. */

/** How long a peer's schema may keep this thread, in milliseconds. */
const mostTime = 40;

/** Of that, what is left in any case to say why a value does not fit. */
const timeToExplain = 10;

/** A longer time between two looks at the clock counts as this much: somebody else had the processor. */
const longestGap = 2;

/** How many steps go by between two looks at the clock. */
const stepsBetweenLooks = 16;

/** A check that costs more than it may: a hostile schema, or a value made for a costly one. */
export class OverBudget extends Error {
  constructor() {
    super('there is too much to check');
    this.name = 'OverBudget';
  }
}

/** What one check has left. It is begun anew for each. */
export class Budget {
  /** The names of all properties in the value. */
  names: ReadonlySet<string> = new Set();
  readonly #timed: boolean;
  #steps = Number.POSITIVE_INFINITY;
  #time = Number.POSITIVE_INFINITY;
  #lookedAt = 0;
  #untilLook = 0;

  constructor({ timed }: { readonly timed: boolean }) {
    this.#timed = timed;
  }

  /** Begins a check; what it costs to read the value is paid with time alone until steps are granted. */
  begin(): void {
    this.grant(Number.POSITIVE_INFINITY);
    this.#time = this.#timed ? mostTime - timeToExplain : Number.POSITIVE_INFINITY;
    this.#lookedAt = performance.now();
  }

  /** Says how many steps there are for what follows. */
  grant(steps: number): void {
    this.#steps = steps;
    this.#untilLook = stepsBetweenLooks;
  }

  /** Leaves time to say why a value does not fit. */
  explain(): void {
    this.#time = Math.max(this.#time, 0) + timeToExplain;
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

  #look(): void {
    const now = performance.now();
    this.#time -= Math.min(now - this.#lookedAt, longestGap);
    this.#lookedAt = now;
    this.#untilLook = stepsBetweenLooks;
    if (this.#time < 0) throw new OverBudget();
  }
}
