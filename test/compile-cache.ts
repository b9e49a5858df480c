/** Keeps what was compiled for one test file for the next: each runs in a process of its own and starts others, and most of them load the same modules. */

import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../node_modules/.cache/tests', import.meta.url));

enableCompileCache(folder);
// What it starts inherits it.
process.env['NODE_COMPILE_CACHE'] = folder;
