/** The page of `parley inspect`, in files that its process serves as they are. */

import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'src/inspect/page');

/** Folder of the page in what is built. */
export const pageFolder: string = join(root, 'dist/inspect/page');

/** Builds the page: one script and one style sheet, and chunks for what only some need. Nothing in it is fetched from elsewhere. */
export async function buildPage(folder: string = pageFolder): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: { main: join(source, 'main.tsx'), theme: join(source, 'theme.css') },
    absWorkingDir: root,
    outdir: folder,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    chunkNames: 'chunk-[hash]',
    legalComments: 'none',
    logLevel: 'warning',
  });
  cpSync(join(source, 'index.html'), join(folder, 'index.html'));
}
