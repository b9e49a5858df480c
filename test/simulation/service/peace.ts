import type { World } from '../world.ts';
import { isPeaceful, type Plan } from './plan.ts';

/** The longest that a process may be taken for silent after it stood still, in milliseconds. */
const silentMs = 20_000;

/** Knowledge of whether anything went wrong by which a call may fail: by the plan, or by who lets a process stand still. */
export class Peace {
  readonly #world: World;
  readonly #plan: Plan;
  readonly #isPlanned: boolean;

  constructor(world: World, plan: Plan) {
    this.#world = world;
    this.#plan = plan;
    this.#isPlanned = isPeaceful(plan);
  }

  /** Tells whether nothing went wrong since a time: of a process that stands still it may be said that it is silent. */
  since(time: number): boolean {
    return this.#isPlanned && this.#world.stillUntil < time;
  }

  /** Tells whether who takes up a stream now has it until its end: a tool may end the connection in good order, and so may who goes in the middle of it. */
  get isUnbroken(): boolean {
    const { impatientAt, operations, calmAt } = this.#plan;
    const { now } = this.#world;
    if (!this.since(now - silentMs) || impatientAt !== undefined || now >= calmAt) return false;
    return operations.every(({ kind }) => kind !== 'poll' && kind !== 'burst');
  }
}
