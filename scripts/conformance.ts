/**
 * `npm run lab -- conformance [word …]`: the official conformance suite against Parley's server, client and bridge, at every
 * revision that it has, by the strict rule; `npm run lab -- conformance:scale`: against three processes that share a Redis. With words, only the scenarios whose
 * line has them all.
 */

import { missing } from '../test/support/engines.ts';
import { keyOf, plan, type Scenario } from './conformance-plan.ts';
import { runScenarios, type Problem } from './conformance-run.ts';

interface Tally {
  passed: number;
  total: number;
}

const words = process.argv.slice(2);
const lacked = missing('redis-server');
const wanted = plan().filter((scenario) => words.every((word) => keyOf(scenario).includes(word)));
const scenarios = wanted.filter(({ side }) => side !== 'service' || lacked === false);
if (scenarios.length < wanted.length) console.log(`nothing is run over three processes: ${lacked}`);
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
