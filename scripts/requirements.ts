/** `npm run lab -- requirements [--missing [area] [--all]]`: which normative statements the tests show. */

import { citedIds, share } from './covered.ts';
import { beside } from '../test/support/beside.ts';
import { fullWords, requirements, type Requirement } from './registers.ts';

report(requirements());

function report(rows: readonly Requirement[]): void {
  const cited = citedIds();
  const wanted = rows.filter(({ sdk }) => sdk === 'yes');
  const flag = process.argv.indexOf('--missing');
  if (flag > 0) listMissing(wanted, cited, process.argv[flag + 1]);
  else summarise(wanted, cited);
  const known = new Set(rows.map(({ id }) => id));
  const unknown = [...cited.keys()].filter((id) => id.includes('-') && !known.has(id));
  if (unknown.length > 0) {
    console.log(`cited but unknown: ${unknown.join(', ')}`);
    process.exitCode = 1;
  }
}

function listMissing(
  rows: readonly Requirement[],
  cited: ReadonlyMap<string, unknown>,
  area: string | undefined,
): void {
  const all = process.argv.includes('--all');
  const chosen = area === undefined || area.startsWith('--') ? rows : rows.filter((row) => row.area === area);
  const words = fullWords(beside('requirements.tsv') ?? '');
  for (const row of chosen) {
    if (cited.has(row.id) || (!all && !row.level.startsWith('MUST'))) continue;
    console.log([row.id, row.level, row.side, row.revisions, words.get(row.id) ?? row.place].join('\t'));
  }
}

function summarise(rows: readonly Requirement[], cited: ReadonlyMap<string, unknown>): void {
  const print = (name: string, group: readonly Requirement[]): void =>
    console.log(`${name.padEnd(20)} ${share(group.filter(({ id }) => cited.has(id)).length, group.length)}`);
  for (const level of ['MUST', 'MUST NOT', 'SHOULD', 'SHOULD NOT']) {
    print(
      level,
      rows.filter((row) => row.level === level),
    );
  }
  console.log('');
  for (const area of [...new Set(rows.map((row) => row.area))].toSorted()) {
    print(
      area,
      rows.filter((row) => row.area === area),
    );
  }
  console.log('');
  print('all', rows);
}
