/** As many schedules as a night has time for; it ends with the first that fails, and goes on where it is told to. */

import { planOf, type Plan } from './plan.ts';
import { runPlan } from './schedule.ts';
import { Tally } from './tally.ts';

/** The seeds of a night. */
export interface NightOptions {
  readonly from: number;
  readonly count: number;
  /** When it ends at the latest. */
  readonly seconds: number;
}

/** What a night found. */
export interface Night {
  /** A line for the schedule that failed; none where all went well. */
  readonly failed: readonly string[];
  readonly tally: Tally;
  /** The seed with which another night goes on. */
  readonly next: number;
}

/** How many schedules there are between two lines that tell of it. */
const lineEach = 5_000;

/** How many processes a service has by a seed: one, two or three, in turn. */
export function nodesOf(seed: number): number {
  return 1 + (seed % 3);
}

/** One of so many schedules has a bridge, which is slower to begin with, and stands in front of the same code. */
const bridgeEach = 10;

/** The plan of a seed of a night. */
export function planOfNight(seed: number): Plan {
  const isBridged = seed % bridgeEach === 0;
  return planOf(seed, { bridge: isBridged, nodes: nodesOf(isBridged ? seed / bridgeEach : seed) });
}

/** Runs schedules until one fails, all are done or the time is over. */
export async function runNight({ from, count, seconds }: NightOptions, say: (line: string) => void): Promise<Night> {
  const tally = new Tally();
  for (let seed = from; seed < from + count; seed++) {
    if (tally.seconds >= seconds) return { failed: [], tally, next: seed };
    const outcome = await runPlan(planOfNight(seed));
    tally.add(outcome);
    if (outcome.violations.length > 0) {
      const words = outcome.violations.slice(0, 3).join('; ').slice(0, 400);
      const { nodes, upstream, revision } = outcome.plan;
      const line = `--seed ${seed} --nodes ${nodes}${upstream === undefined ? '' : ' --bridge'} (${revision}): ${words}`;
      return { failed: [line], tally, next: seed + 1 };
    }
    if (tally.schedules % lineEach === 0) say(`until seed ${seed}: ${tally.words()}`);
  }
  return { failed: [], tally, next: from + count };
}
