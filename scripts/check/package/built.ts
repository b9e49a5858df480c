/** The entry points in `dist/` share what they have in common, load little, and can be bundled. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from '../../../test/support/sources.ts';
import { entries } from '../../bundle.ts';
import type { Finding, Rule } from '../rule.ts';
import { importedBy } from './imports.ts';

const dist = join(root, 'packages/parley/dist');
const builder = 'scripts/build.ts';

/** The exports of each entry point. */
type Modules = Readonly<Record<string, object>>;

export const oneExportRule: Rule = {
  demand: 'an export of several built entry points is one and the same',
  async find() {
    const files = readdirSync(dist).filter((name) => name.endsWith('.js'));
    const modules: Record<string, object> = {};
    for (const file of files) modules[file] = await import(pathToFileURL(join(dist, file)).href);
    return twiceExported(modules);
  },
};

/** The names that are not the same in all modules that export them. */
export function twiceExported(modules: Modules): readonly Finding[] {
  const seen = new Map<string, readonly [file: string, value: unknown]>();
  const found: Finding[] = [];
  for (const [file, module] of Object.entries(modules))
    for (const [name, value] of Object.entries(module)) {
      const first = seen.get(name);
      if (first === undefined) seen.set(name, [file, value]);
      else if (first[1] !== value)
        found.push({
          file: `dist/${file}`,
          text: `has a ${name} of its own beside that of ${first[0]}; look at ${builder}`,
        });
    }
  return found;
}

/** Chunks that are loaded when they are first needed, by the beginnings of their names. */
const late = /^(json-schema|client-sse-pair|inspect)-/;

export const onDemandRule: Rule = {
  demand: 'built entry points do not load at their start what only some need',
  find: () => earlyLoads(dist),
};

/** What entry points and the program load at their start and should not. */
export function earlyLoads(folder: string): readonly Finding[] {
  const texts = new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.js'))
      .map((name) => [join(folder, name), readFileSync(join(folder, name), 'utf8')]),
  );
  const started = new Set([...texts.keys()].filter((file) => dirname(file) === folder));
  for (const file of started)
    for (const name of importedBy(texts.get(file) ?? ''))
      if (name.startsWith('.')) started.add(join(dirname(file), name));
  const nameOf = (file: string): string => `dist/${relative(folder, file)}`;
  const hasLate = [...texts.keys()].some((file) => late.test(file.slice(file.lastIndexOf('/') + 1)));
  return [
    ...(hasLate ? [] : [{ file: builder, text: 'makes no chunk json-schema-…; is it part of another?' }]),
    ...[...started]
      .filter((file) => late.test(file.slice(file.lastIndexOf('/') + 1)))
      .map((file) => ({ file: nameOf(file), text: 'is loaded at a start; load it with import()' })),
    ...[...texts]
      .filter(([, text]) => importedBy(text).includes('undici'))
      .map(([file]) => ({ file: nameOf(file), text: 'loads undici at its start; load it with import()' })),
  ];
}

/** Entry points that need Node, or an engine that no page reaches. */
const ofNode: ReadonlySet<string> = new Set(['node', 'stdio', 'redis']);

export const bundlesRule: Rule = {
  demand: 'a page can bundle every entry point but those of Node and Redis into one file',
  async find() {
    const found = await Promise.all(
      entries
        .filter((entry) => !ofNode.has(entry))
        .map((entry) => bundleFaults(`./packages/parley/dist/${entry === '' ? 'index' : entry}.js`)),
    );
    return found.flat();
  },
};

/** What keeps a module from being bundled for a page, as an import of a module of Node does, be it on demand. */
export async function bundleFaults(module: string): Promise<readonly Finding[]> {
  const stdin = { contents: `export * from '${module}';`, resolveDir: root };
  const options = { bundle: true, write: false, platform: 'browser', format: 'esm', logLevel: 'silent' } as const;
  try {
    await build({ stdin, ...options });
    return [];
  } catch (error) {
    return [{ file: module.replace('./', ''), text: `cannot be bundled for a page: ${String(error)}` }];
  }
}
