/**
 * `npm run lab -- registers <folder>`: writes the registers of `test/spec` from the full ones, `requirements.tsv` and
 * `design/behaviours.md` of the folder. Words for behaviours are ours, and stay; a new one begins without.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { behaviours, folder, fullBehaviours, fullRequirements, tableText } from './registers.ts';

const [source] = argv.slice(2);

if (source === undefined) {
  console.error('which folder has requirements.tsv and design/behaviours.md? npm run lab -- registers <folder>');
  process.exitCode = 1;
} else {
  write('requirements.tsv', fullRequirements(readFileSync(join(source, 'requirements.tsv'), 'utf8')));
  const known = new Map(behaviours().map(({ id, words }) => [id, words]));
  const ids = fullBehaviours(readFileSync(join(source, 'design/behaviours.md'), 'utf8'));
  write(
    'behaviours.tsv',
    ids.map((id) => ({ id, words: known.get(id) ?? '' })),
  );
}

function write(name: string, rows: readonly object[]): void {
  writeFileSync(join(folder, name), tableText(rows));
  console.log(`test/spec/${name}  ${rows.length} rows`);
}
