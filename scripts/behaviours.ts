/** `npm run behaviours [-- --missing]`: which of the behaviours that Parley must show the tests show. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { citedIds, root, share } from './covered.ts';

const table = join(root, '../shared/design/behaviours.md');

if (existsSync(table)) report(readFileSync(table, 'utf8'));
else console.log('behaviours not found at ../shared/design/behaviours.md: nothing to report');

function report(text: string): void {
  const cited = citedIds();
  const rows = [...text.matchAll(/^\| ([A-E]\d{2}) \| ([^|]*)\|/gm)].map(([, id = '', behaviour = '']) => ({
    id,
    behaviour,
  }));
  if (process.argv.includes('--missing')) {
    for (const { id, behaviour } of rows) if (!cited.has(id)) console.log(`${id}\t${behaviour.trim()}`);
    return;
  }
  for (const part of ['A', 'B', 'C', 'D', 'E']) {
    const group = rows.filter(({ id }) => id.startsWith(part));
    console.log(`${part}    ${share(group.filter(({ id }) => cited.has(id)).length, group.length)}`);
  }
  console.log(`all  ${share(rows.filter(({ id }) => cited.has(id)).length, rows.length)}`);
}
