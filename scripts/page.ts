/** The page of `parley inspect`, in files that its process serves as they are. */

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'packages/cli/src/inspect/page');

/** Folder of the page in what is built. */
export const pageFolder: string = join(root, 'packages/cli/dist/inspect/page');

/** Builds the page: one script and one style sheet, and chunks for what only some need. Nothing in it is fetched from elsewhere. */
export async function buildPage(folder: string = pageFolder): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const bundle = await rolldown({
    cwd: root,
    input: { main: join(source, 'main.tsx') },
    platform: 'browser',
    tsconfig: false,
    transform: { target: 'es2022', jsx: { runtime: 'automatic', importSource: 'preact' } },
  });
  await bundle.write({
    dir: folder,
    format: 'esm',
    minify: true,
    comments: false,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[hash].js',
  });
  await bundle.close();
  writeFileSync(join(folder, 'theme.css'), withoutSpace(styleSheet(join(source, 'theme.css'))));
  cpSync(join(source, 'index.html'), join(folder, 'index.html'));
}

/** A style sheet with those that it imports. */
function styleSheet(file: string): string {
  return readFileSync(file, 'utf8').replaceAll(/^@import '([^']+)';\n/gm, (_, path: string) =>
    styleSheet(join(dirname(file), path)),
  );
}

/** A style sheet without comments, indentation and empty lines. */
function withoutSpace(text: string): string {
  return text
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/\n\s*/g, '\n')
    .replaceAll(/([{;,])\n/g, '$1');
}
