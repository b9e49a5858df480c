/** The source files of the package and what they import, for the tests of its architecture. */

import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root: string = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** A source file: its path from `src/`, its text and what it imports. */
export interface Source {
  /** From `src/`, with forward slashes. */
  readonly path: string;
  /** The folder in `src/`, empty for an entry point. */
  readonly layer: string;
  readonly text: string;
  /** Imported files, from `src/`; imports of packages are left out. */
  readonly imports: readonly string[];
  /** Those of them that are there at run time: not the imports of types alone. */
  readonly loads: readonly string[];
  /** Imported packages and `node:` modules, as written. */
  readonly packages: readonly string[];
}

/** Every source file of the package, without its tests. */
export function sources(): readonly Source[] {
  const paths = globSync('src/**/*.{ts,tsx}', { cwd: root }).map((path) => path.split(sep).slice(1).join('/'));
  return paths.filter((path) => !/\.test(-d)?\.ts$/.test(path)).map(read);
}

function read(path: string): Source {
  const text = readFileSync(join(root, 'src', path), 'utf8');
  const specifiers = importsOf(text);
  return {
    path,
    layer: path.includes('/') ? path.slice(0, path.indexOf('/')) : '',
    text,
    imports: filesOf(path, specifiers),
    loads: filesOf(path, importsOf(text.replaceAll(/^(import|export) type [^;]*;/gm, ''))),
    packages: specifiers.filter((name) => !name.startsWith('.')),
  };
}

function filesOf(path: string, specifiers: readonly string[]): readonly string[] {
  return specifiers.filter((name) => name.startsWith('.')).map((name) => posix.join(posix.dirname(path), name));
}

/** What a module imports or re-exports, types included; comments do not count. */
export function importsOf(text: string): readonly string[] {
  const code = text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
  const found = code.matchAll(
    /^\s*(?:import|export)\s[^'"`;]*?from\s*'([^']+)'|^\s*import\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm,
  );
  return [...found].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
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
