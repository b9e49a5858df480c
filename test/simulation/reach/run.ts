/** Says how much of the code that schedules are about runs in them: `npm run lab -- simulate:reach [--count N] [--from N] [--lines]`. */

import { parseArgs } from 'node:util';
import { planOfNight } from '../service/night.ts';
import { runPlan } from '../service/schedule.ts';
import { leftOutLines } from './left-out.ts';
import { reached } from './reached.ts';
import { isReachable } from './files.ts';

const { values } = parseArgs({
  options: { count: { type: 'string' }, from: { type: 'string' }, lines: { type: 'boolean' } },
});
const from = Number(values.from ?? 1);
const count = Number(values.count ?? 10_000);
const files = await reached(async () => {
  for (let seed = from; seed < from + count; seed++) {
    await runPlan(planOfNight(seed));
  }
}, isReachable);
let branches = 0;
let covered = 0;
let leftOut = 0;
for (const one of files.toSorted((a, b) => a.file.localeCompare(b.file))) {
  branches += one.branches;
  covered += one.covered;
  leftOut += one.leftOut;
  console.log(`${percent(one.covered, one.branches)}  ${one.covered} of ${one.branches}  ${one.file}`);
  if (values.lines === true)
    for (const { line, text } of one.missing) console.log(`          ${line}: ${text.slice(0, 110)}`);
}
console.log('left out where it never ran, and why:');
for (const line of leftOutLines()) console.log(`  ${line}`);
console.log(
  `${percent(covered, branches)} of ${branches} branches in ${count} schedules; ${leftOut} more are left out by a list`,
);

function percent(part: number, all: number): string {
  return `${((100 * part) / all).toFixed(1).padStart(5)} %`;
}
