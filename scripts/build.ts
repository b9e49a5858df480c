/** Builds both packages: the library, its declarations and pages; the command line and the page of `inspect`. */

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildCommandLine } from './build/command-line.ts';
import { buildDeclarations } from './build/declarations.ts';
import { buildLibrary } from './build/library.ts';
import { copyPages } from './build/pages.ts';
import { markBuilt } from './built.ts';
import { buildPage } from './page.ts';

const packages = fileURLToPath(new URL('../packages', import.meta.url));

// `npx parley-cli` in a clone runs `prepare` first. It must not rebuild what another process runs.
if (process.env['npm_command'] !== 'exec' || !existsSync(join(packages, 'cli/dist/main.js'))) {
  for (const name of ['parley', 'cli']) rmSync(join(packages, name, 'dist'), { recursive: true, force: true });
  await Promise.all([buildLibrary(), buildDeclarations(), buildCommandLine(), buildPage()]);
  copyPages();
  markBuilt();
}
