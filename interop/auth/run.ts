/** `npm run lab -- interop:auth [name…]`: authorization servers and guarded programs of others, with ours. A run of all writes its part of `docs/evidence/interop.md`. */

import { writePart } from './page.ts';
import type { Report } from './step.ts';
import { trials } from './trials.ts';

const chosen = trials.filter(({ name }) => process.argv.length === 2 || process.argv.includes(name));
const reports: Report[] = [];
for (const { title, needs, faults = {}, run } of chosen) {
  const failed = (error: unknown): Report['steps'] => [
    { what: 'start', problem: error instanceof Error ? error.message : String(error) },
  ];
  const all = await run().catch(failed);
  const steps = all.map((step) => (step.problem === undefined ? step : { ...step, fault: faults[step.what] }));
  for (const { what, problem } of all)
    if (problem === undefined && faults[what] !== undefined) console.log(`no longer seen: ${title}, ${what}`);
  reports.push({ title, needs, steps });
  console.log(title);
  for (const { what, problem, fault } of steps)
    console.log(`  ${what}: ${problem ?? 'works'}${fault === undefined ? '' : ` (a fault of theirs: ${fault})`}`);
}
if (process.argv.length === 2) writePart(reports);
process.exit(
  reports.some(({ steps }) => steps.some(({ problem, fault }) => problem !== undefined && fault === undefined)) ? 1 : 0,
);
