/** Writes `docs/fidelity.md` from the tables of the bridge. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { page } from './fidelity-page.ts';

writeFileSync(join(import.meta.dirname, '../docs/fidelity.md'), page());
