/** `npm run lab -- behaviours [--missing]`: which of the behaviours that Parley must show the tests show. */

import { citedIds, share } from './covered.ts';
import { behaviours } from './registers.ts';

report();

function report(): void {
  const cited = citedIds();
  const rows = behaviours();
  if (process.argv.includes('--missing')) {
    for (const { id, words } of rows) if (!cited.has(id)) console.log(`${id}\t${words}`);
    return;
  }
  for (const part of ['A', 'B', 'C', 'D', 'E']) {
    const group = rows.filter(({ id }) => id.startsWith(part));
    console.log(`${part}    ${share(group.filter(({ id }) => cited.has(id)).length, group.length)}`);
  }
  const known = new Set(rows.map(({ id }) => id));
  const unknown = [...cited.keys()].filter((id) => !id.includes('-') && !known.has(id));
  console.log(`all  ${share(rows.filter(({ id }) => cited.has(id)).length, rows.length)}`);
  if (unknown.length > 0) {
    console.log(`cited but unknown: ${unknown.join(', ')}`);
    process.exitCode = 1;
  }
}
