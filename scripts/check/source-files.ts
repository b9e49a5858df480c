/** The source files of both packages and their imports. */

import { posix } from 'node:path';
import { filesOf, type Repository } from './repository.ts';
import { lineAt } from './rule.ts';

/** A source file of one of the packages. */
export interface Source {
  /** From the sources of the library, or `cli/` and the path in those of the command line, with forward slashes. */
  readonly path: string;
  /** From the root of the repository. */
  readonly file: string;
  /** The first folder of the path, empty for an entry point. */
  readonly layer: string;
  readonly text: string;
  /** The paths of imported files, as `path`; imports of packages are left out. */
  readonly imports: readonly string[];
  /** Those of them that exist at run time: not the imports of types alone. */
  readonly loads: readonly string[];
  /** Imported packages and `node:` modules, as written. */
  readonly packages: readonly string[];
}

const read = new WeakMap<Repository, readonly Source[]>();

/** The sources of a package, by its folder, and the first folder of their paths here. */
const places = [
  ['packages/parley/src/', ''],
  ['packages/cli/src/', 'cli/'],
] as const;

/** The path of a source file for the rules. Undefined for a file that is no source. */
export function sourcePathOf(file: string): string | undefined {
  const place = places.find(([folder]) => file.startsWith(folder));
  return place === undefined ? undefined : place[1] + file.slice(place[0].length);
}

/** The file of a source, from the root of the repository. */
export function fileOf(path: string): string {
  return path.startsWith('cli/') ? `packages/cli/src/${path.slice('cli/'.length)}` : `packages/parley/src/${path}`;
}

/** Every source file of the packages, without its tests. */
export function sourcesOf(repository: Repository): readonly Source[] {
  const known = read.get(repository) ?? sourcesIn(repository);
  read.set(repository, known);
  return known;
}

function sourcesIn(repository: Repository): readonly Source[] {
  const files = filesOf(repository, /^packages\/\w+\/src\/.*\.tsx?$/).filter(
    ({ path }) => !/\.test(-d)?\.ts$/.test(path),
  );
  return files.map(({ path, text }) => sourceOf(path, text));
}

function sourceOf(file: string, text: string): Source {
  const specifiers = importsOf(text);
  const path = sourcePathOf(file) ?? file;
  return {
    path,
    file,
    layer: path.includes('/') ? path.slice(0, path.indexOf('/')) : '',
    text,
    imports: filesAmong(file, specifiers),
    loads: filesAmong(file, importsOf(text.replaceAll(/^(import|export) type [^;]*;/gm, ''))),
    packages: specifiers.filter((name) => !name.startsWith('.')),
  };
}

function filesAmong(file: string, specifiers: readonly string[]): readonly string[] {
  return specifiers
    .filter((name) => name.startsWith('.'))
    .map((name) => posix.join(posix.dirname(file), name))
    .map((imported) => sourcePathOf(imported) ?? imported);
}

/** The imports and re-exports of a module, types included; comments do not count. */
export function importsOf(text: string): readonly string[] {
  const code = text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
  const found = code.matchAll(
    /^\s*(?:import|export)\s[^'"`;]*?from\s*'([^']+)'|^\s*import\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm,
  );
  return [...found].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

/** The line at which a module imports a specifier that ends so; 1 where none does. */
export function lineOfImport(text: string, specifier: string): number {
  const name = specifier.slice(specifier.lastIndexOf('/') + 1);
  const index = [...text.matchAll(/'([^'\n]+)'/g)].find(
    ([, from = '']) => from === specifier || from.endsWith(`/${name}`),
  );
  return index === undefined ? 1 : lineAt(text, index.index);
}

/** One cycle among modules, first module repeated at the end, or `undefined` when there is none. */
export function findCycle(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];
  function visit(node: string): readonly string[] | undefined {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return undefined;
    path.push(node);
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next);
      if (cycle !== undefined) return cycle;
    }
    path.pop();
    done.add(node);
    return undefined;
  }
  for (const node of graph.keys()) {
    const cycle = visit(node);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
