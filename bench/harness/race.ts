import type { Case, Contender, Running, Sample } from './case.ts';
import { Unavailable } from '../../scripts/toolchains/unavailable.ts';

/** A cost divided by another of the same round: the median, and the least and the greatest. */
export type Ratio = readonly [median: number, least: number, greatest: number];

/** What a race found out of one contender. */
export interface Result {
  readonly name: string;
  /** Median of its cost. */
  readonly cost: number;
  /** Its cost divided by that of the limit. */
  readonly ratio: Ratio;
  /** The cost of the contender `parley` divided by that of this peer, where both took part. */
  readonly ours?: Ratio;
  /** Medians of the other figures. */
  readonly more: Readonly<Record<string, number>>;
}

/** A contender that did not finish, and why. */
export interface Dropout {
  readonly name: string;
  readonly why: string;
  /** Whether it could not be had at all, which says nothing about it. */
  readonly unavailable?: true;
}

/** The outcome of a case. */
export interface Outcome {
  readonly of: Case;
  readonly results: readonly Result[];
  readonly dropouts: readonly Dropout[];
}

/** How much of a turn warms a contender up, and how much shows that it answers right. */
const warmUpShare = 0.25;
const smokeShare = 0.005;

interface Racer {
  readonly contender: Contender;
  readonly running: Running;
  readonly samples: Sample[];
  failure?: string;
}

/**
 * Runs a case: all contenders are kept warm and take turns (A B C, then B C A, …), so that what disturbs the machine
 * disturbs all of them.
 *
 * @param smoke Only looks whether every contender answers right: one short turn each.
 */
export async function race(of: Case, smoke: boolean): Promise<Outcome> {
  const racers: Racer[] = [];
  const dropouts: Dropout[] = [];
  try {
    for (const contender of of.contenders) {
      try {
        racers.push({ contender, running: await contender.start(), samples: [] });
      } catch (error) {
        dropouts.push({
          name: contender.name,
          why: whyOf(error),
          ...(error instanceof Unavailable ? { unavailable: true } : {}),
        });
      }
    }
    if (!smoke) for (const racer of racers) await turn(racer, warmUpShare, false);
    const rounds = smoke ? 1 : (of.rounds ?? 5);
    for (let round = 0; round < rounds; round++)
      for (let at = 0; at < racers.length; at++) {
        const racer = racers[(at + round) % racers.length];
        if (racer !== undefined) await turn(racer, smoke ? smokeShare : 1, true);
      }
  } finally {
    for (const { running } of racers) await running.stop();
  }
  const failed = racers.filter(({ failure }) => failure !== undefined);
  dropouts.push(...failed.map(({ contender, failure = '' }) => ({ name: contender.name, why: failure })));
  const finished = racers.filter(({ failure }) => failure === undefined);
  const declared = of.contenders.some(({ limit }) => limit === true);
  return { of, results: resultsOf(finished, declared), dropouts };
}

/** Those that took part and failed: one that cannot be had says nothing about anybody. */
export function failuresOf({ dropouts }: Outcome): readonly Dropout[] {
  return dropouts.filter(({ unavailable }) => unavailable !== true);
}

async function turn(racer: Racer, share: number, counts: boolean): Promise<void> {
  if (racer.failure !== undefined) return;
  try {
    const sample = await racer.running.turn(share);
    if (counts) racer.samples.push(sample);
  } catch (error) {
    racer.failure = whyOf(error);
  }
}

function resultsOf(racers: readonly Racer[], declared: boolean): Result[] {
  // Without its limit a case has no ratios; where none takes part, the first is what the others are divided by.
  const limit = declared ? racers.find(({ contender }) => contender.limit) : racers[0];
  const ours = racers.find(({ contender }) => contender.name === 'parley');
  return racers.map(({ contender, samples }) => {
    const names = new Set(samples.flatMap(({ more = {} }) => Object.keys(more)));
    const more = [...names].map((name) => [name, median(samples.map((sample) => sample.more?.[name] ?? Number.NaN))]);
    return {
      name: contender.name,
      cost: median(samples.map(({ cost }) => cost)),
      ratio: ratioOf(samples, limit?.samples ?? []),
      ...(contender.peer === true && ours !== undefined ? { ours: ratioOf(ours.samples, samples) } : {}),
      more: Object.fromEntries(more),
    };
  });
}

/** Costs divided by those of the same round; not a number where there is none. */
function ratioOf(costs: readonly Sample[], by: readonly Sample[]): Ratio {
  const ratios = costs.map(({ cost }, round) => cost / (by[round]?.cost ?? Number.NaN));
  return [median(ratios), Math.min(...ratios), Math.max(...ratios)];
}

/** The middle of some numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const high = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? Number.NaN) + high) / 2;
}

function whyOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]?.slice(0, 200) ?? '';
}
