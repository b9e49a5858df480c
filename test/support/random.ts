/** Chance that is the same every time: one seed, one course of events. */

/** Chance by a seed. */
export interface Random {
  /** From 0 up to 1, which it never is. */
  next(): number;
  chance(probability: number): boolean;
  /** A whole number, both ends included. */
  whole(least: number, most: number): number;
  pick<Member>(list: readonly Member[]): Member;
}

/** The generator mulberry32: 32 bits of state, good enough for choosing. */
export function randomOf(seed: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const whole = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    chance: (probability) => next() < probability,
    whole,
    pick: (list) => list[whole(0, list.length - 1)]!,
  };
}
