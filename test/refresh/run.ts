/** Runs schedules of the renewal of grants: `node test/refresh/run.ts [how many] [the first seed]`. */

import { runSchedule } from './schedule.ts';

const [count = '10000', first = '1'] = process.argv.slice(2);
const sums = new Map<string, number>();
let [failed, events] = [0, 0];
const began = Date.now();
for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
  const outcome = await runSchedule(seed);
  events += outcome.events;
  for (const [name, sum] of Object.entries(outcome.counts)) sums.set(name, (sums.get(name) ?? 0) + sum);
  if (outcome.violations.length === 0) continue;
  failed++;
  console.log(`seed ${seed}: ${outcome.violations.slice(0, 3).join('; ').slice(0, 300)}`);
  if (count === '1') console.log(outcome.trace(1_000));
}
const counted = [...sums].map(([name, sum]) => `${sum} ${name}`).join(', ');
console.log(
  `${count} schedules from seed ${first}: ${failed} failed; ${events} events, ${counted}; ${Date.now() - began} ms`,
);
process.exitCode = failed === 0 ? 0 : 1;
