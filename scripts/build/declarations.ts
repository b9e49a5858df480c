/** The declarations of the library: one `.d.ts` for each entry point, and a few for what they share. */

import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { entryPoints, librarySource } from './entry-points.ts';

/**
 * Writes the declarations to `packages/parley/dist`. They are taken from the sources alone, since every export has a
 * written type; `npm run check` checks the types.
 */
export async function buildDeclarations(): Promise<void> {
  const bundle = await rolldown({
    cwd: join(librarySource, '..'),
    input: Object.fromEntries(entryPoints().map((name) => [name, join(librarySource, `${name}.ts`)])),
    external: [/^node:/, /^[^./]/],
    plugins: [dts({ emitDtsOnly: true, oxc: { stripInternal: true }, tsconfig: false })],
  });
  await bundle.write({
    dir: join(librarySource, '../dist'),
    format: 'esm',
    chunkFileNames: 'types/[name]-[hash].js',
  });
  await bundle.close();
}
