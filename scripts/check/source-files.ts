/** The source files of the package and their imports. */

import { posix } from 'node:path';
import { filesOf, type Repository } from './repository.ts';
import { lineAt } from './rule.ts';

/** A source file of the package. */
export interface Source {
  /** From `src/`, with forward slashes. */
  readonly path: string;
  /** The folder in `src/`, empty for an entry point. */
  readonly layer: string;
  readonly text: string;
  /** Imported files, from `src/`; imports of packages are left out. */
  readonly imports: readonly string[];
  /** Those of them that exist at run time: not the imports of types alone. */
  readonly loads: readonly string[];
  /** Imported packages and `node:` modules, as written. */
  readonly packages: readonly string[];
}

const read = new WeakMap<Repository, readonly Source[]>();

/** Every source file of the package, without its tests. */
export function sourcesOf(repository: Repository): readonly Source[] {
  const known = read.get(repository) ?? sourcesIn(repository);
  read.set(repository, known);
  return known;
}

function sourcesIn(repository: Repository): readonly Source[] {
  const files = filesOf(repository, /^src\/.*\.tsx?$/).filter(({ path }) => !/\.test(-d)?\.ts$/.test(path));
  return files.map(({ path, text }) => sourceOf(path.slice('src/'.length), text));
}

function sourceOf(path: string, text: string): Source {
  const specifiers = importsOf(text);
  return {
    path,
    layer: path.includes('/') ? path.slice(0, path.indexOf('/')) : '',
    text,
    imports: filesAmong(path, specifiers),
    loads: filesAmong(path, importsOf(text.replaceAll(/^(import|export) type [^;]*;/gm, ''))),
    packages: specifiers.filter((name) => !name.startsWith('.')),
  };
}

function filesAmong(path: string, specifiers: readonly string[]): readonly string[] {
  return specifiers.filter((name) => name.startsWith('.')).map((name) => posix.join(posix.dirname(path), name));
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
