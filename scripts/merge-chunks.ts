/** Fewer and larger chunks: what the same entry points load when they start becomes one file. */

import { build, type BuildOptions, type Plugin } from 'esbuild';

/** Files of a build: their text by path, with `/`, from the folder of the build. */
export type Files = ReadonlyMap<string, string>;

/** One `import { … } from '…';` of a file. */
interface Import {
  readonly statement: string;
  readonly names: readonly (readonly [imported: string, local: string])[];
  /** The path of the file that it is of. */
  readonly from: string;
}

const folder = 'chunks/';

/**
 * Merges the chunks of a build. A bundler makes one for each set of entry points that need something, and takes what is
 * loaded on demand for an entry point too; a program would load dozens of small files, which takes longer than to read them.
 *
 * A chunk only depends on chunks that at least the same entry points load, so that no file comes to depend on itself.
 *
 * @param starts The entry points whose start counts; what none of them loads stays as it is.
 * @param apart Entry points, each with one of the starts: what both and no other start load stays as it is, so that the
 *   first does not load the rest of the second with it.
 */
export async function mergeChunks(
  files: Files,
  starts: readonly string[],
  apart: Readonly<Record<string, string>> = {},
): Promise<Files> {
  const imports = new Map([...files].map(([path, text]) => [path, importsOf(path, text)]));
  const groups = [...folded(groupsOf(imports, starts, apart), { files, imports })].filter(
    ([, chunks]) => chunks.length > 1,
  );
  const merged = new Map<string, string>(groups.flatMap(([name, chunks]) => chunks.map((chunk) => [chunk, name])));
  const out = new Map<string, string>();
  for (const [name, chunks] of groups) {
    const needed = neededOf(chunks, imports);
    out.set(name, await mergedText(chunks, needed, files));
  }
  for (const [path, text] of files) if (!merged.has(path)) out.set(path, text);
  return withoutCycles(new Map([...out].map(([path, text]) => [path, redirected(path, text, merged)])));
}

function withoutCycles(files: Files): Files {
  const imports = new Map([...files].map(([path, text]) => [path, importsOf(path, text)]));
  for (const [path, list] of imports)
    if (list.some(({ from }) => closureOf(from, imports).has(path)))
      throw new Error(`${path} loads itself by a detour`);
  return files;
}

/** Chunks that become one file. */
interface Group {
  readonly by: readonly string[];
  readonly chunks: readonly string[];
}

function groupsOf(
  imports: ReadonlyMap<string, readonly Import[]>,
  starts: readonly string[],
  apart: Readonly<Record<string, string>>,
): readonly Group[] {
  const pairs = Object.entries(apart).map(([entry, start]) => ({ start, loads: closureOf(entry, imports) }));
  const closures = new Map(starts.map((start) => [start, closureOf(start, imports)]));
  const groups = new Map<string, { readonly by: readonly string[]; readonly chunks: string[] }>();
  for (const chunk of imports.keys()) {
    if (!chunk.startsWith(folder)) continue;
    const by = starts.filter((start) => closures.get(start)?.has(chunk) === true);
    if (by.length === 0 || pairs.some(({ start, loads }) => by.join() === start && loads.has(chunk))) continue;
    const known = groups.get(by.join());
    if (known === undefined) groups.set(by.join(), { by, chunks: [chunk] });
    else known.chunks.push(chunk);
  }
  return [...groups.values()];
}

/** Opening a file takes as long as reading this many characters that it holds. */
const small = 10_000;

/**
 * Puts small groups into the largest one, where each of their entry points loads that anyway, and neither needs the other
 * by way of a third.
 */
function folded(
  groups: readonly Group[],
  { files, imports }: { readonly files: Files; readonly imports: ReadonlyMap<string, readonly Import[]> },
): ReadonlyMap<string, readonly string[]> {
  const sizeOf = ({ chunks }: Group): number => chunks.reduce((sum, chunk) => sum + (files.get(chunk)?.length ?? 0), 0);
  const sharedMost = groups.filter(({ by }) => by.length > 1).toSorted((one, other) => sizeOf(other) - sizeOf(one))[0];
  let home = sharedMost;
  const rest: Group[] = [];
  for (const group of groups) {
    if (group === sharedMost) continue;
    const isOurs = home !== undefined && group.by.every((start) => sharedMost?.by.includes(start) === true);
    if (home !== undefined && isOurs && group.by.length > 1 && sizeOf(group) < small && !detours(home, group, imports))
      home = { by: home.by, chunks: [...home.chunks, ...group.chunks] };
    else rest.push(group);
  }
  return new Map(
    [...(home === undefined ? [] : [home]), ...rest].map(({ by, chunks }) => [
      `${folder}start-${by.map(nameOf).join('-')}.js`,
      chunks,
    ]),
  );
}

/** Whether one of two groups needs the other by way of chunks of neither. */
function detours(one: Group, other: Group, imports: ReadonlyMap<string, readonly Import[]>): boolean {
  const both = new Set([...one.chunks, ...other.chunks]);
  const outside = [...both].flatMap((chunk) => (imports.get(chunk) ?? []).map(({ from }) => from));
  return outside
    .filter((from) => !both.has(from))
    .some((from) => [...closureOf(from, imports)].some((path) => both.has(path)));
}

function nameOf(start: string): string {
  return start.replace(/\.js$/, '');
}

/** Everything that a file loads by statements. */
function closureOf(
  path: string,
  imports: ReadonlyMap<string, readonly Import[]>,
  into = new Set<string>(),
): Set<string> {
  if (into.has(path)) return into;
  into.add(path);
  for (const { from } of imports.get(path) ?? []) closureOf(from, imports, into);
  return into;
}

/** What others need of some chunks, by chunk. */
function neededOf(
  chunks: readonly string[],
  imports: ReadonlyMap<string, readonly Import[]>,
): Map<string, Set<string>> {
  const needed = new Map(chunks.map((chunk) => [chunk, new Set<string>()]));
  for (const [path, list] of imports) {
    if (needed.has(path)) continue;
    for (const { from, names } of list) for (const [imported] of names) needed.get(from)?.add(imported);
  }
  return needed;
}

async function mergedText(
  chunks: readonly string[],
  needed: ReadonlyMap<string, ReadonlySet<string>>,
  files: Files,
): Promise<string> {
  const contents = chunks.map((chunk) => {
    const names = [...(needed.get(chunk) ?? [])].map((name) => `${name} as ${aliasOf(chunk, name)}`);
    return `export { ${names.join(', ')} } from './${chunk}';`;
  });
  const result = await build({
    stdin: { contents: contents.join('\n'), resolveDir: '/' },
    plugins: [served(chunks, files)],
    ...published,
  });
  return result.outputFiles[0]?.text ?? '';
}

/** What all code is that is published. */
export const published: BuildOptions & { write: false } = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'es2023',
  charset: 'utf8',
  write: false,
  logLevel: 'warning',
};

/** Gives the bundler the chunks; everything else stays outside. */
function served(chunks: readonly string[], files: Files): Plugin {
  return {
    name: 'chunks',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path, kind, importer }) => {
        const target = importer === '<stdin>' ? path.slice(2) : resolved(importer, path);
        const isMerged = kind === 'import-statement' && chunks.includes(target);
        return isMerged
          ? { path: target, namespace: 'chunk', sideEffects: false }
          : { path, external: true, ...(path.startsWith('.') ? { sideEffects: false } : {}) };
      });
      onLoad({ filter: /.*/, namespace: 'chunk' }, ({ path }) => ({ contents: files.get(path) ?? '', loader: 'js' }));
    },
  };
}

/** The file of a relative import, from the folder of the build. */
function resolved(importer: string, path: string): string {
  return path.startsWith('.') ? new URL(path, `file:///${importer}`).pathname.slice(1) : path;
}

/** A name that is one of a kind in a merged file: chunks may have names in common. */
function aliasOf(chunk: string, name: string): string {
  return `${name}_${chunk.slice(chunk.lastIndexOf('-') + 1, -'.js'.length)}`;
}

/** Imports from merged chunks, from where they are now. */
function redirected(path: string, text: string, merged: ReadonlyMap<string, string>): string {
  let out = text;
  for (const { statement, names, from } of importsOf(path, text)) {
    const now = merged.get(from);
    if (now === undefined) continue;
    const list = names.map(([imported, local]) => `  ${aliasOf(from, imported)} as ${local}`);
    const source = path.startsWith(folder)
      ? `./${now.slice(folder.length)}`
      : `${'../'.repeat(path.split('/').length - 1) || './'}${now}`;
    out = out.replace(statement, () => `import {\n${list.join(',\n')}\n} from "${source}";`);
  }
  return out;
}

function importsOf(path: string, text: string): readonly Import[] {
  return [...text.matchAll(/^import \{([^}]*)\} from "(\.{1,2}\/[^"\n]+)";$/gm)].map(
    ([statement, names = '', from = '']) => ({
      statement,
      names: names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '')
        .map((name): readonly [string, string] => {
          const [imported = name, local = imported] = name.split(' as ');
          return [imported, local];
        }),
      from: resolved(path, from),
    }),
  );
}
