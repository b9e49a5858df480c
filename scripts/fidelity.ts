/** `node scripts/fidelity.ts [--check]`: writes `docs/fidelity.md` from the tables, or fails where it is not up to date. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { page } from './fidelity-page.ts';

const path = join(import.meta.dirname, '../docs/fidelity.md');
const text = page();

if (process.argv.includes('--check')) {
  const written = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (written !== text) {
    console.error('docs/fidelity.md is not what the tables say; run `node scripts/fidelity.ts`');
    process.exitCode = 1;
  }
} else {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
