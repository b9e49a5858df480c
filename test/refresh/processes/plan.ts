/** What befalls the processes of one schedule, by its seed. */

import { randomOf } from '../../support/random.ts';

/** Places at which a process is ended in the middle of what it does. */
export const steps = [
  'holding the lock',
  'before the request',
  'when the request arrived',
  'when the request was answered',
  'before the write',
  'in the write, before its file has its name',
  'in the write, when its file has its name',
  'after the write',
  'before the lock is given back',
  'asking a person',
  'asking a person, before anybody is asked',
  'between the two writes of a login',
] as const;

/** One of them. */
export type Step = (typeof steps)[number];

/** What a token endpoint makes of a request. */
export type Fate = 'answered' | 'lost before' | 'lost after' | 'silence after' | 'busy';

/** The end of whoever comes to a step first, from a time on. */
export interface Death {
  readonly step: Step;
  /** In milliseconds since the schedule began. */
  readonly from: number;
}

/** One schedule; its times are in milliseconds since it began. */
export interface Plan {
  readonly seed: number;
  /** When its processes start. */
  readonly starts: readonly number[];
  readonly deaths: readonly Death[];
  /** Processes that are stopped for a while: which, when and for how long. */
  readonly stops: readonly { readonly which: number; readonly at: number; readonly ms: number }[];
  /** How often a token request goes wrong. */
  readonly trouble: number;
  /** When all trouble is over. */
  readonly calmAt: number;
}

/** The plan of a seed. Of plans in a row, as many as there are steps, each begins with another one. */
export function planOf(seed: number): Plan {
  const random = randomOf(seed);
  const count = random.chance(0.15)
    ? random.whole(9, 16)
    : random.chance(0.4)
      ? random.whole(4, 8)
      : random.whole(2, 3);
  const deaths = Array.from({ length: random.whole(1, 4) }, (_, at): Death => {
    const step = at === 0 ? (steps[seed % steps.length] ?? random.pick(steps)) : random.pick(steps);
    const isOfLogins = /person|login/.test(step);
    return { step, from: isOfLogins ? 0 : random.whole(0, 10_000) };
  });
  const stops = Array.from({ length: random.chance(0.2) ? random.whole(1, 2) : 0 }, () => ({
    which: random.whole(0, count - 1),
    at: random.whole(3_000, 9_000),
    ms: random.pick([1_000, 7_000, 11_500]),
  }));
  return {
    seed,
    starts: Array.from({ length: count }, () => random.whole(0, 1_500)),
    deaths,
    stops,
    trouble: random.pick([0, 0, 0.15, 0.4]),
    calmAt: random.whole(11_000, 18_000),
  };
}
