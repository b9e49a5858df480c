/** `npm run lab -- maintaining`: writes the tables of commands in docs/maintaining.md. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { file, pageWithTables } from './maintaining-page.ts';

const path = join(import.meta.dirname, '..', file);
writeFileSync(path, pageWithTables(readFileSync(path, 'utf8')));
