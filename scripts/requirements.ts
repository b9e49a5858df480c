/** `npm run requirements [-- --missing [area] [--all]]`: which normative statements the tests show. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { citedIds, root, share } from './covered.ts';

interface Row {
  readonly id: string;
  readonly revisions: string;
  readonly side: string;
  readonly area: string;
  readonly level: string;
  readonly text: string;
  readonly enforceable: boolean;
}

const table = join(root, '../shared/requirements.tsv');

if (existsSync(table)) report(readRows(readFileSync(table, 'utf8')));
else console.log('requirements not found at ../shared/requirements.tsv: nothing to report');

function readRows(text: string): readonly Row[] {
  const lines = text
    .split('\n')
    .slice(1)
    .filter((line) => line !== '');
  return lines.map((line) => {
    const [id = '', revisions = '', side = '', area = '', level = '', requirement = '', sdk = ''] = line.split('\t');
    return { id, revisions, side, area, level, text: requirement, enforceable: sdk === 'yes' };
  });
}

function report(rows: readonly Row[]): void {
  const cited = citedIds();
  const wanted = rows.filter(({ enforceable }) => enforceable);
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

function listMissing(rows: readonly Row[], cited: ReadonlyMap<string, unknown>, area: string | undefined): void {
  const all = process.argv.includes('--all');
  const chosen = area === undefined || area.startsWith('--') ? rows : rows.filter((row) => row.area === area);
  for (const row of chosen) {
    if (cited.has(row.id) || (!all && !row.level.startsWith('MUST'))) continue;
    console.log([row.id, row.level, row.side, row.revisions, row.text].join('\t'));
  }
}

function summarise(rows: readonly Row[], cited: ReadonlyMap<string, unknown>): void {
  const print = (name: string, group: readonly Row[]): void =>
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
