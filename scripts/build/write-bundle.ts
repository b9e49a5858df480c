/** What both packages have in common in how they are bundled. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown, type CodeSplittingGroup, type OutputChunk, type Plugin } from 'rolldown';
import { withLineBreaks } from './line-breaks.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Modules of these folders read `import.meta`, and know that a build puts them into `dist/chunks/`. */
const asDeep: ReadonlySet<string> = new Set([
  join(root, 'packages/cli/src/commands'),
  join(root, 'packages/parley/src/transports/node'),
]);

/** What is bundled, and where it is written. */
export interface BundleOptions {
  readonly folder: string;
  /** The entry points by their names. */
  readonly input: Readonly<Record<string, string>>;
  readonly plugin?: Plugin;
  /** Names the chunk of a module. Without it, the bundler decides. */
  readonly group?: CodeSplittingGroup;
}

/**
 * Writes the entry points and their chunks, without comments and white space. Beside each file is a map that names its
 * modules for the checks. It is not published.
 *
 * @throws Error if a chunk loads itself, or a module in a chunk depends on its place.
 */
export async function writeBundle({ folder, input, plugin, group }: BundleOptions): Promise<void> {
  const bundle = await rolldown({
    cwd: root,
    input: { ...input },
    platform: 'node',
    external: [/^node:/, /^[^./]/],
    preserveEntrySignatures: 'allow-extension',
    treeshake: { moduleSideEffects: false },
    transform: { target: 'es2023' },
    tsconfig: false,
    // Otherwise what several files share may lie in an entry point, and one product then loads another.
    experimental: { chunkOptimization: false },
    plugins: plugin === undefined ? [] : [plugin],
  });
  const { output } = await bundle.generate({
    dir: folder,
    format: 'esm',
    comments: false,
    minify: {
      compress: { target: 'es2023', keepNames: { function: true, class: true } },
      // Stack traces name functions and classes. The names of parameters and local variables are in none.
      mangle: { toplevel: false, keepNames: true },
      codegen: { removeWhitespace: true },
    },
    entryFileNames: '[name].js',
    chunkFileNames: ({ name }) => (/^(start|later)-/.test(name) ? 'chunks/[name].js' : 'chunks/[name]-[hash].js'),
    ...(group === undefined ? {} : { codeSplitting: { includeDependenciesRecursively: false, groups: [group] } }),
  });
  await bundle.close();
  const chunks = output.filter((file) => file.type === 'chunk');
  for (const chunk of chunks) refuseFaults(chunk, chunks);
  for (const chunk of chunks) {
    const path = join(folder, chunk.fileName);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, withLineBreaks(quotedImports(withoutBareImports(chunk.code))));
    const sources = modulesIn(chunk).map((id) => relative(dirname(path), id).replaceAll('\\', '/'));
    if (sources.length > 0)
      writeFileSync(`${path}.map`, JSON.stringify({ version: 3, sources, names: [], mappings: '' }));
  }
}

/** The modules of which a chunk has code. */
function modulesIn({ modules }: OutputChunk): readonly string[] {
  return Object.keys(modules).filter((id) => (modules[id]?.renderedLength ?? 0) > 0);
}

function refuseFaults({ fileName, imports, modules }: OutputChunk, chunks: readonly OutputChunk[]): void {
  const asking = Object.keys(modules).find(
    (id) => !asDeep.has(dirname(id)) && modules[id]?.code?.includes('import.meta') === true,
  );
  if (fileName.startsWith('chunks/') && asking !== undefined)
    throw new Error(`${asking} reads import.meta, and is in ${fileName}`);
  const seen = new Set<string>();
  const open = [...imports];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(chunks.find((chunk) => chunk.fileName === next)?.imports ?? []));
  }
  if (seen.has(fileName)) throw new Error(`${fileName} imports itself through other files`);
}

/**
 * An import without names is there for its effects; ours have none. A bundler reads it as a need for the chunk, also
 * where a program does not use it.
 */
function withoutBareImports(text: string): string {
  return text.replaceAll(/(?<=^|;)import"\.{1,2}\/[^"\n]+";/g, '');
}

/** The minifier writes the address of an `import()` as a template, which not every bundler takes for a constant. */
function quotedImports(text: string): string {
  return text.replaceAll(/\bimport\(`([^`$"\\]+)`\)/g, 'import("$1")');
}
