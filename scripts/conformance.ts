/**
 * `npm run conformance [-- word …]`: the official conformance suite against Parley's server, client and bridge, at every
 * revision that it has, by the strict rule. With words, only the scenarios whose line has them all.
 */

import { keyOf, plan, type Scenario } from './conformance-plan.ts';
import { runScenarios, type Problem } from './conformance-run.ts';

interface Tally {
  passed: number;
  total: number;
}

const words = process.argv.slice(2);
const scenarios = plan().filter((scenario) => words.every((word) => keyOf(scenario).includes(word)));
const tallies = new Map<string, Tally>();
let expected = 0;
let wrong = 0;

process.once('SIGINT', () => process.exit(130));
await runScenarios(scenarios, report);
console.log('');
for (const [group, { passed, total }] of tallies) console.log(`${group.padEnd(36)} ${passed} of ${total}`);
console.log(`\n${expected} failed as expected, ${wrong} went wrong`);
if (wrong > 0 || scenarios.length === 0) process.exitCode = 1;

function report(scenario: Scenario, problem: Problem): void {
  const { missing } = scenario;
  count(scenario, problem);
  if (problem === undefined && missing === undefined) return print('pass', scenario);
  if (problem !== undefined && missing !== undefined) {
    expected++;
    return print('expected', scenario, `without ${missing}`);
  }
  wrong++;
  print('FAIL', scenario, problem ?? 'it passes: take it off the list of expected failures');
}

function count(scenario: Scenario, problem: Problem): void {
  const { side, revision, scored } = scenario;
  const group = `${side} ${revision} ${scored ? 'scored' : 'not scored'}`;
  const tally = tallies.get(group) ?? { passed: 0, total: 0 };
  tallies.set(group, { passed: tally.passed + (problem === undefined ? 1 : 0), total: tally.total + 1 });
}

function print(word: string, scenario: Scenario, why = ''): void {
  const lines = why === '' ? '' : `: ${why.trimEnd().replaceAll('\n', '\n         ')}`;
  console.log(`${word.padEnd(8)} ${keyOf(scenario)}${lines}`);
}
