/** Runs after `npm install`: makes room, and builds `dist/`. */

import { globSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

// The headers of Node are a third of what it installs. They are for compiling programs in C++, and there are none.
for (const folder of globSync('node_modules/node/node_modules/*/include', { cwd: root }))
  rmSync(`${root}${folder}`, { recursive: true, force: true });

await import('./build.ts');
