/** `npm run api`: writes what the library exports to `api/`. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../test/support/sources.ts';
import { installPeers } from './peers.ts';

installPeers();
const { apiReports, entryDeclarations } = await import('./api-reports.ts');
const folder = join(root, 'api');
const reports = apiReports(entryDeclarations());
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
for (const { file, text } of reports) writeFileSync(join(folder, file), text);
