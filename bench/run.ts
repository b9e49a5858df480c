/** Runs the benchmarks: `npm run bench [-- <case>…] [-- --smoke] [-- --peers <words>]`. */
import { parseArgs } from 'node:util';
import { bridgeCases } from './cases/bridge.ts';
import { clientCases } from './cases/client.ts';
import { coldStartCases } from './cases/cold-start.ts';
import { httpCallCases } from './cases/http-call.ts';
import { httpHeldCases } from './cases/http-held.ts';
import { httpLargeCases } from './cases/http-large.ts';
import { memoryCases } from './cases/memory.ts';
import { stdioCases } from './cases/stdio.ts';
import { taskCases } from './cases/tasks.ts';
import type { Case, Contender } from './harness/case.ts';
import { leaveServerCore } from './harness/child.ts';
import { failuresOf, race } from './harness/race.ts';
import { tableOf } from './harness/table.ts';

const all: readonly Case[] = [
  ...httpCallCases,
  ...httpLargeCases,
  ...httpHeldCases,
  ...stdioCases,
  ...memoryCases,
  ...clientCases,
  ...coldStartCases,
  ...bridgeCases,
  ...taskCases,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    smoke: { type: 'boolean', default: false },
    peers: { type: 'string' },
    'no-peers': { type: 'boolean', default: false },
    rounds: { type: 'string' },
  },
});
const unknown = positionals.find((id) => !all.some((one) => one.id.startsWith(id)));
if (unknown !== undefined) {
  console.error(`there is no case ${JSON.stringify(unknown)}; there are ${all.map(({ id }) => id).join(', ')}`);
  process.exit(2);
}

const chosen = all.filter(({ id }) => positionals.length === 0 || positionals.some((start) => id.startsWith(start)));
const wanted = values['no-peers'] ? [] : values.peers?.toLowerCase().split(',');
const absent = wanted?.find((word) => !chosen.some(({ contenders }) => contenders.some((one) => isPeer(one, word))));
if (absent !== undefined) {
  console.error(`no peer of these cases is named like ${JSON.stringify(absent)}`);
  process.exit(2);
}
const rounds = values.rounds === undefined ? {} : { rounds: Number(values.rounds) };
if (rounds.rounds !== undefined && !(rounds.rounds >= 1 && Number.isInteger(rounds.rounds))) {
  console.error(`${JSON.stringify(values.rounds)} is no number of rounds`);
  process.exit(2);
}
leaveServerCore();
let failures = 0;
for (const one of chosen) {
  const contenders = one.contenders.filter(
    (contender) => contender.peer !== true || wanted?.some((word) => isPeer(contender, word)) !== false,
  );
  const outcome = await race({ ...one, ...rounds, contenders }, values.smoke);
  failures += failuresOf(outcome).length;
  console.log(values.smoke ? smokeLine(outcome.of.id, outcome.dropouts) : `${tableOf(outcome)}\n`);
}
process.exitCode = values.smoke && failures > 0 ? 1 : 0;

function isPeer({ name, peer }: Contender, word: string): boolean {
  return peer === true && name.toLowerCase().includes(word);
}

function smokeLine(id: string, lost: readonly { readonly name: string; readonly why: string }[]): string {
  return lost.length === 0
    ? `${id}: every contender answers right`
    : `${id}: ${lost.map(({ name, why }) => `${name}: ${why}`).join('; ')}`;
}
