/**
 * `npm run lab -- interop:agreement [fault…]`: plants faults into the server that the official suite drives, and holds what the suite
 * says of each against what `parley check` says. A run of all writes `docs/evidence/interop-agreement.md`. Fails where the two differ and
 * nobody read why.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faults } from '../../test/check/faults.ts';
import { serveFaulty, type Fault } from '../../test/check/faulty.ts';
import { createHost } from '../../test/conformance/host.ts';
import { compare } from './compare.ts';
import { askBoth, type Said } from './judges.ts';
import { agreementPage, type Agreement } from './page.ts';
import { reasonFor } from './read.ts';

const chosen = process.argv.slice(2);
const found: Agreement[] = [];

for (const revision of ['2025-11-25', '2026-07-28']) {
  const clean = await judged({}, revision);
  report({ fault: 'none', row: '', revision, ...compare(clean, { rows: new Map(), failed: new Map() }) });
  for (const [fault, [row, plant]] of Object.entries(faults))
    if (chosen.length === 0 || chosen.includes(fault))
      report({ fault, row, revision, ...compare(await judged(plant, revision), clean) });
}
if (chosen.length === 0)
  writeFileSync(join(import.meta.dirname, '../../docs/evidence/interop-agreement.md'), agreementPage(found));

async function judged(fault: Fault, revision: string): Promise<Said> {
  // A call may ask its client before it is answered, and goes on as it comes.
  const { url, close } = await serveFaulty(fault, () => createHost(), { asks: () => true });
  try {
    return await askBoth(url, revision);
  } finally {
    await close();
  }
}

function report(one: Agreement): void {
  found.push(one);
  const { fault, revision, rows, checks, differences } = one;
  console.log(`${revision} ${fault}: ${rows.join(', ') || 'nothing'} | ${checks.join(', ') || 'nothing'}`);
  for (const { id, words } of differences.filter((difference) => reasonFor(fault, difference.id) === undefined)) {
    console.log(`  ${id} ${words}`);
    process.exitCode = 1;
  }
}
