/** Schedules in which nothing goes wrong, so that all is loaded before others begin: that takes real time, which no world has. */

import { revisions } from '../../../packages/parley/src/protocol/revision.ts';
import { everythingLoaded } from '../loaded.ts';
import { calmPlan, serviceKinds, type Plan } from './plan.ts';

/** Runs a plan, and waits for what it loads. */
type Run = (plan: Plan) => Promise<unknown>;

/** Has everything loaded that is loaded when it is needed first. */
export async function warmUp(run: Run): Promise<void> {
  await everythingLoaded();
  for (const nodes of [1, 2]) for (const { date } of revisions) await run(calmPlan(date, nodes));
  for (const service of serviceKinds)
    await run(calmPlan(service === 'once' ? '2026-07-28' : '2025-11-25', 1, { service }));
  for (const { date } of revisions) await run(calmPlan(date, 1, { tokenMs: 1_000 }));
}

/** The same for bridges. */
export async function warmUpBehind(run: Run): Promise<void> {
  for (const { date } of revisions)
    for (const upstream of revisions.slice(-2)) await run(calmPlan(date, 1, { upstream: upstream.date }));
}
