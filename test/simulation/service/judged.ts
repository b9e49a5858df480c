/** Schedules run for a test, and what is wrong with them. */

import { createHash } from 'node:crypto';
import { takeViolations } from '../../support/sent-wrong.ts';
import type { Outcome } from './schedule.ts';
import { runPlan } from './schedule.ts';
import { planOf, type Plan, type PlanOptions } from './plan.ts';
import type { State } from './states.ts';

/** Seeds one after the other, and the plans that they stand for. */
export interface Wanted {
  readonly first: number;
  readonly count: number;
  readonly how?: PlanOptions;
}

/** What came of the schedules of some seeds. */
export interface Judged {
  /** What was violated, with the last of what happened; the first few. */
  readonly failures: readonly string[];
  /** The counts that are 0 in all of them, of those that must not be: a schedule that reaches nothing shows nothing. */
  readonly unreached: readonly string[];
  /** What they came to. */
  readonly states: readonly State[];
  /** The same for the same courses of events. */
  readonly digest: string;
}

const maxFailures = 3;

/** Runs one plan, which is kept as it was when something failed by it. */
export async function judgePlan(plan: Plan): Promise<Judged> {
  const outcome = await runPlan(plan);
  const problems = [...outcome.violations, ...takeViolations()];
  return {
    failures: problems.length > 0 ? [failureOf(outcome, problems)] : [],
    unreached: [],
    states: [...outcome.states],
    digest: outcome.digest,
  };
}

/** Runs the schedules of some seeds; what they send that the official schemas refuse fails them too, where that is looked at. */
export async function judge({ first, count, how = {} }: Wanted): Promise<Judged> {
  const failures: string[] = [];
  const sums = { answered: 0, failed: 0, questions: 0, changes: 0 };
  const names = Object.keys(sums) as (keyof typeof sums)[];
  const digest = createHash('sha256');
  const states = new Set<State>();
  for (let seed = first; seed < first + count; seed++) {
    const outcome = await runPlan(planOf(seed, how));
    for (const name of names) sums[name] += outcome.counts[name];
    for (const state of outcome.states) states.add(state);
    digest.update(outcome.digest);
    const problems = [...outcome.violations, ...takeViolations()];
    if (problems.length > 0 && failures.length < maxFailures) failures.push(failureOf(outcome, problems));
  }
  const unreached = names.filter((name) => sums[name] === 0);
  return { failures, unreached, states: [...states], digest: digest.digest('hex') };
}

function failureOf({ plan, trace }: Outcome, problems: readonly string[]): string {
  return `seed ${plan.seed}: ${problems.join('; ')}\n${trace(60)}`;
}
