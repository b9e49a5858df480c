/** `npm run api`: writes what the built package exports to `api/`. */

import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../test/support/sources.ts';
import { buildOnce } from './built.ts';
import { installPeers } from './peers.ts';

buildOnce();
installPeers();
const { apiReports } = await import('./api-reports.ts');
const folder = join(root, 'api');
const reports = apiReports(globSync('dist/*.d.ts', { cwd: root }).map((path) => join(root, path)));
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
for (const { file, text } of reports) writeFileSync(join(folder, file), text);
