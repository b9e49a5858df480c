/**
 * Runs schedules of a service: `npm run lab -- simulate [--seed N] [--count N] [--nodes N] [--bridge] [--first] [--from N] [--revision DATE]`, and a million of them,
 * of one, two and three processes in turn: `npm run lab -- simulate --night [--from N] [--count N] [--seconds N]`.
 */

import { parseArgs } from 'node:util';
import { runNight } from './night.ts';
import { planOf } from './plan.ts';
import { runPlan } from './schedule.ts';
import { Tally } from './tally.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    count: { type: 'string' },
    nodes: { type: 'string' },
    from: { type: 'string' },
    first: { type: 'boolean' },
    revision: { type: 'string' },
    bridge: { type: 'boolean' },
    night: { type: 'boolean' },
    'first-kind': { type: 'boolean' },
    seconds: { type: 'string' },
  },
});

// Most errors are made to be caught, and where they came from costs more than the rest of them; a single seed tells it.
if (values.seed === undefined) Error.stackTraceLimit = 0;

if (values.night === true) await night();
else await some();

async function night(): Promise<void> {
  const { from = 1, count = 1_000_000, seconds = Infinity } = values;
  const { failed, tally, next } = await runNight(
    { from: Number(from), count: Number(count), seconds: Number(seconds) },
    (line) => console.log(line),
  );
  for (const line of failed) console.log(line);
  for (const line of tally.states()) console.log(line);
  console.log(`${tally.words()}; go on with --from ${next}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

async function some(): Promise<void> {
  const single = values.seed !== undefined;
  const first = Number(values.seed ?? values.from ?? 1);
  const count = single ? 1 : Number(values.count ?? 10_000);
  const tally = new Tally();
  let failed = 0;
  for (let seed = first; seed < first + count; seed++) {
    const plan = planOf(seed, {
      nodes: Number(values.nodes ?? 1),
      bridge: values.bridge ?? false,
      isFirst: values['first-kind'] ?? false,
    });
    if (values.revision !== undefined && values.revision !== plan.revision) continue;
    const outcome = await runPlan(plan);
    tally.add(outcome);
    if (single) console.log(JSON.stringify(outcome.plan, undefined, 1), outcome.trace(1_000));
    if (outcome.violations.length === 0) continue;
    failed++;
    console.log(`seed ${seed} (${outcome.plan.revision}): ${outcome.violations.slice(0, 3).join('; ').slice(0, 400)}`);
    if (values.first === true) break;
  }
  console.log(`${count} schedules from seed ${first}: ${failed} failed; ${tally.words()}`);
  process.exitCode = failed === 0 ? 0 : 1;
}
