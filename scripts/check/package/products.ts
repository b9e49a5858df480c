/** The chunks that an entry point loads, at its start or later, hold no module of another product. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { root } from '../../../test/support/sources.ts';
import { mayLoad } from '../../products.ts';
import type { Finding, Rule } from '../rule.ts';
import { importedBy, laterImportedBy } from './imports.ts';

export const productsRule: Rule = {
  demand: 'no built entry point loads a module of another product, at its start or later',
  find: () => strayModules(join(root, 'packages/parley/dist')),
};

/** A built file. */
interface Chunk {
  /** The files that it imports, by statements and by `import()`. */
  readonly loads: readonly string[];
  /** The modules that it holds, by their paths in the sources of the library. */
  readonly modules: readonly string[];
}

/** Every chunk with modules that an entry point reaches and may not load. */
export function strayModules(folder: string): readonly Finding[] {
  const chunks = chunksOf(folder);
  const entries = [...chunks.keys()].filter((name) => !name.includes('/'));
  return entries.flatMap((entry) =>
    [...reached(entry, chunks)].flatMap((name) => {
      const strays = chunks.get(name)?.modules.filter((path) => !mayLoad(entry.replace(/\.js$/, ''), path)) ?? [];
      const more = strays.length > 1 ? ` and ${strays.length - 1} more` : '';
      const text = `is loaded by ${entry} and holds ${strays[0]}${more}; look at scripts/products.ts`;
      return strays.length === 0 ? [] : [{ file: `dist/${name}`, text }];
    }),
  );
}

function chunksOf(folder: string): ReadonlyMap<string, Chunk> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  const built = names.filter((name) => name.endsWith('.js'));
  return new Map(built.map((name) => [name, chunkOf(folder, name)]));
}

function chunkOf(folder: string, name: string): Chunk {
  const text = readFileSync(join(folder, name), 'utf8');
  const map = join(folder, `${name}.map`);
  // A file that only exports names again has no map, and no module.
  const { sources }: { sources: readonly string[] } = existsSync(map)
    ? JSON.parse(readFileSync(map, 'utf8'))
    : { sources: [] };
  const inFolder = (path: string): string => posix.join(dirname(name), path);
  return {
    loads: [...importedBy(text), ...laterImportedBy(text)].filter((path) => path.startsWith('.')).map(inFolder),
    modules: sources.map((path) => inFolder(path).replace(/^\.\.\/src\//, '')),
  };
}

/** A file, and every file that it loads or may load. */
function reached(name: string, chunks: ReadonlyMap<string, Chunk>): ReadonlySet<string> {
  const found = new Set([name]);
  // A loop over a set also visits what the loop adds.
  for (const one of found) for (const next of chunks.get(one)?.loads ?? []) found.add(next);
  return found;
}
