/** What befalls the processes that work on the tasks of one store, by a seed. */

import { randomOf } from '../../support/random.ts';

/** Places at which something befalls a process in the middle of what it does. */
export const steps = [
  'before a task is added',
  'when a task was added',
  'before a new task is claimed',
  'when a new task was claimed',
  'when tasks of others were claimed',
  'when a run begins',
  'in the middle of a run',
  'before an effect',
  'in once, when its effect is done',
  'when once is kept',
  'when a question is kept',
  'when an answer is kept',
  'before an end is committed',
  'when an end was committed',
  'in a transaction',
] as const;

/** One of them. */
export type Step = (typeof steps)[number];

/** Something that happens once: to whoever comes to a step first, to some process at any time, or to the database. */
export interface Misfortune {
  /** Number of tasks that have ended before it happens. */
  readonly after: number;
  readonly at: Step | 'any time' | 'the database';
  /** Whether its victim ends; else it stands still for longer than it has a task. A database always ends, and comes back. */
  readonly ends: boolean;
}

/** The ways in which a task goes, each the name of its tool. */
export const ways = ['once', 'again', 'kept', 'asks', 'left', 'cancelled'] as const;

/** One of them. */
export type Way = (typeof ways)[number];

/** The course of many tasks. */
export interface Plan {
  readonly seed: number;
  /** The way of each task. */
  readonly tasks: readonly Way[];
  /** Number of tasks that are under way at once. */
  readonly atOnce: number;
  readonly misfortunes: readonly Misfortune[];
  /** Time for which a process has a task, in milliseconds. */
  readonly leaseTtlMs: number;
}

/** The plan of a seed; of its misfortunes each step is one in turn. */
export function planOf(seed: number, tasks: number, restarts: number): Plan {
  const random = randomOf(seed);
  const count = Math.max(6, Math.ceil(tasks / 16));
  const spread = (at: number, of: number): number => Math.floor(((at + random.next()) * tasks * 0.8) / of);
  const ofSteps = Array.from({ length: count }, (_, at): Misfortune => {
    const step = steps[(seed + at) % steps.length] ?? random.pick(steps);
    return { after: spread(at, count), at: random.chance(0.85) ? step : 'any time', ends: random.chance(0.6) };
  });
  const ofDatabase = Array.from({ length: restarts }, (_, at): Misfortune => {
    return { after: spread(at, restarts), at: 'the database', ends: true };
  });
  return {
    seed,
    tasks: Array.from({ length: tasks }, () => random.pick(ways)),
    atOnce: Math.min(48, Math.ceil(tasks / 3)),
    misfortunes: [...ofSteps, ...ofDatabase].toSorted((a, b) => a.after - b.after),
    leaseTtlMs: 1_500,
  };
}
