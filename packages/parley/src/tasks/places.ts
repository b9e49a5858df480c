import type { TaskRecord } from './record.ts';

/**
 * Owner that the run of a task counts for: its principal, otherwise the requesting address. Without either it counts
 * for no owner.
 */
export function runOwner({ owner, share }: Pick<TaskRecord, 'owner' | 'share'>): string | undefined {
  return owner === '' ? share : `principal ${JSON.stringify(owner)}`;
}

/**
 * Places of the runs of one process. An owner has as many as it leaves free for others. Runs that continue, and calls
 * that become tasks while they run, begin without a place. Beyond its share, an owner's runs take no place from others.
 */
export class TaskPlaces {
  readonly #most: number;
  readonly #owners: () => readonly (string | undefined)[];

  /** @param owners Gives the owner of each place that is taken now. */
  constructor(most: number, owners: () => readonly (string | undefined)[]) {
    this.#most = most;
    this.#owners = owners;
  }

  /** Number of free places. */
  get free(): number {
    const counts = new Map<string | undefined, number>();
    for (const owner of this.#owners()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    const share = Math.ceil(this.#most / 2);
    const taken = [...counts].map(([owner, count]) => (owner === undefined ? count : Math.min(count, share)));
    return this.#most - taken.reduce((sum, count) => sum + count, 0);
  }

  /** Tells whether an owner may have another place. */
  hasRoomFor(owner: string | undefined): boolean {
    const { free } = this;
    if (free <= 0 || owner === undefined) return free > 0;
    return this.#owners().filter((other) => other === owner).length < free;
  }
}

/** Task that waits for a place, with the time until which no other process begins it. */
export interface WaitingTask {
  readonly owner: string | undefined;
  readonly epoch: number;
  readonly until: number;
}
