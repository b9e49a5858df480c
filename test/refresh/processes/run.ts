/** Runs schedules with processes of the machine: `npm run lab -- processes:refresh [how many] [the first seed] [how many at once]`. */

import { steps } from './plan.ts';
import { play, type Outcome } from './play.ts';

const [count = '200', first = '1', atOnce = '4'] = process.argv.slice(2);
const began = performance.now();
const outcomes: Outcome[] = [];
const seeds = Array.from({ length: Number(count) }, (_, at) => Number(first) + at);

async function worker(): Promise<void> {
  for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
    const outcome = await play(seed);
    outcomes.push(outcome);
    if (count === '1') console.log(outcome.log.join('\n'));
    else if (outcome.violations.length > 0)
      console.log(`seed ${seed}: ${outcome.violations.join('; ')}\n${outcome.log.join('\n')}`);
  }
}

await Promise.all(Array.from({ length: Number(atOnce) }, worker));
const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((all, outcome) => all + of(outcome), 0);
const failed = outcomes.filter(({ violations }) => violations.length > 0);
for (const { seed, violations } of failed) console.log(`seed ${seed}: ${violations.join('; ')}`);
for (const step of steps)
  console.log(`ended ${step}: ${sum(({ deaths }) => deaths.filter((one) => one === step).length)}`);
console.log(
  `${outcomes.length} schedules from seed ${first}: ${failed.length} failed; ${sum(({ processes }) => processes)} processes, ` +
    `${sum(({ deaths }) => deaths.length)} ended in the middle, ${sum(({ calls }) => calls)} calls, ${sum(({ renewals }) => renewals)} renewals, ` +
    `${sum(({ repeated }) => repeated)} repeated, ${sum(({ logins }) => logins)} logins; the longest wait ` +
    `${Math.max(0, ...outcomes.map(({ maxMs }) => maxMs))} ms; ${Math.round((performance.now() - began) / 1000)} s`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
