import type { World } from '../world.ts';

/** When things happened, by what they are. */
export class Happened {
  readonly #world: World;
  readonly #times = new Map<string, number[]>();

  constructor(world: World) {
    this.#world = world;
  }

  /** It happens now. */
  add(what: string): void {
    this.#times.set(what, [...(this.#times.get(what) ?? []), this.#world.now]);
  }

  /** Number of times that it happened by then. */
  until(what: string, time: number): number {
    return (this.#times.get(what) ?? []).filter((at) => at <= time).length;
  }
}
