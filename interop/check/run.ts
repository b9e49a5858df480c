/**
 * `npm run lab -- interop:check [server…]`: judges servers of others by `parley check`, and prints what is found. A run of all of
 * them writes `docs/evidence/interop-check.md`. Fails where something is found that nobody read against the text of the specification.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeAll, type JudgedServer } from './judged.ts';
import { checkPeersPage } from './page.ts';
import { read } from './read.ts';

const chosen = process.argv.slice(2);
const judged: JudgedServer[] = [];
const missing: (readonly [name: string, why: string])[] = [];
for await (const one of judgeAll(chosen, (name, why) => void missing.push([name, why]))) {
  judged.push(one);
  const { name, way, report } = one;
  console.log(
    `${name}, ${way}: ${report.counts.judged} rows, ${report.findings.map(({ id }) => id).join(', ') || 'nothing found'}`,
  );
  for (const { id, why, sent, came } of report.findings.filter((found) => read[name]?.includes(found.id) !== true)) {
    console.log(`  ${id} was not read yet: ${why}\n    sent ${sent}\n    came ${came}`);
    process.exitCode = 1;
  }
}
for (const [name, why] of missing) console.log(`${name} is not run: ${why}`);
if (chosen.length === 0)
  writeFileSync(join(import.meta.dirname, '../../docs/evidence/interop-check.md'), checkPeersPage(judged, missing));
