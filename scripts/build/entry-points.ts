/** The entry points of the library. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the sources of the library. */
export const librarySource: string = fileURLToPath(new URL('../../packages/parley/src', import.meta.url));

/** The names of the modules that the package exports: `index`, `server` and so on. */
export function entryPoints(): readonly string[] {
  // Our own manifest, which has this field.
  const { exports } = JSON.parse(readFileSync(join(librarySource, '../package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, unknown>>;
  };
  return Object.keys(exports)
    .filter((name) => name !== './package.json')
    .map((name) => (name === '.' ? 'index' : name.slice(2)));
}
