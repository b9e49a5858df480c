/** Runs schedules of a service: `npm run simulate -- [--seed N] [--count N] [--nodes N] [--first]`. */

import { parseArgs } from 'node:util';
import { planOf } from './plan.ts';
import { runPlan } from './schedule.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    count: { type: 'string' },
    nodes: { type: 'string' },
    from: { type: 'string' },
    first: { type: 'boolean' },
    revision: { type: 'string' },
  },
});
const single = values.seed !== undefined;
const first = Number(values.seed ?? values.from ?? 1);
const count = single ? 1 : Number(values.count ?? 10_000);
const sums = new Map<string, number>();
let failed = 0;
const began = process.hrtime.bigint();
for (let seed = first; seed < first + count; seed++) {
  const plan = planOf(seed, { nodes: Number(values.nodes ?? 1) });
  if (values.revision !== undefined && values.revision !== plan.revision) continue;
  const outcome = await runPlan(plan);
  for (const [name, sum] of Object.entries(outcome.counts)) sums.set(name, (sums.get(name) ?? 0) + sum);
  if (single) console.log(JSON.stringify(outcome.plan, undefined, 1), outcome.trace(1_000));
  if (outcome.violations.length === 0) continue;
  failed++;
  console.log(`seed ${seed} (${outcome.plan.revision}): ${outcome.violations.slice(0, 3).join('; ').slice(0, 400)}`);
  if (values.first === true) break;
}
const seconds = Number(process.hrtime.bigint() - began) / 1e9;
const counted = [...sums].map(([name, sum]) => `${sum} ${name}`).join(', ');
console.log(
  `${count} schedules from seed ${first}: ${failed} failed; ${counted}; ${(count / seconds).toFixed(0)} a second`,
);
process.exitCode = failed === 0 ? 0 : 1;
