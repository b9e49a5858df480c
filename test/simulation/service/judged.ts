/** Schedules run for a test, and what is wrong with them. */

import { planOf, type PlanOptions } from './plan.ts';
import { runPlan, type Outcome } from './schedule.ts';

/** Runs the schedules of so many seeds. */
export async function outcomes(first: number, count: number, how: PlanOptions = {}): Promise<readonly Outcome[]> {
  const all: Outcome[] = [];
  for (let seed = first; seed < first + count; seed++) all.push(await runPlan(planOf(seed, how)));
  return all;
}

/** What was violated, with the last of what happened; the first few. */
export function failures(all: readonly Outcome[]): readonly string[] {
  return all
    .filter(({ violations }) => violations.length > 0)
    .slice(0, 3)
    .map(({ plan, violations, trace }) => `seed ${plan.seed}: ${violations.join('; ')}\n${trace(60)}`);
}

/** The counts that are 0 in all of them, of those that must not be: a schedule that reaches nothing shows nothing. */
export function unreached(all: readonly Outcome[]): readonly string[] {
  return (['answered', 'failed', 'questions', 'changes'] as const).filter((name) =>
    all.every(({ counts }) => counts[name] === 0),
  );
}
