/**
 * Builds `dist/`: the declarations with `tsc`, and the JavaScript of each entry point with `rolldown`, where what
 * several share lies in chunks, and with maps to the sources. A program loads a dozen files so, and not a hundred.
 */

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown, type OutputChunk } from 'rolldown';
import { markBuilt } from './built.ts';
import { buildPage } from './page.ts';
import { mayLoad } from './products.ts';
import { startChunks, startPrefix } from './start-chunks.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const binary = join(dist, 'cli/main.js');

/** The entry points that programs start with, and whose start must be quick. */
const starts = ['server', 'client', 'stdio', 'node', 'http', 'protocol', 'oauth', 'protect', 'account'];

/** Further entry points. What they load lies apart from what only the starts load. */
const others = ['bridge'];

/** Those that are nothing by themselves: to open one file of what they share is quicker than to open one for each who shares it. */
const lean = ['stdio', 'protocol'];

/** Entry points, and other modules, that share a little with a start, of which they must not load the rest. */
const apart = {
  testing: ['stdio'],
  bridge: ['oauth', 'account'],
  index: ['oauth', 'account'],
  // They are loaded with a session, and where a server refuses something: without a client, and without the flow of OAuth.
  'connection/hash': ['client'],
  'auth/common/secrets': ['oauth', 'account'],
};

/** Folders whose modules ask where they lie, and know that a build puts them into `dist/chunks/`. */
const asDeep: ReadonlySet<string> = new Set([join(root, 'src/cli/commands'), join(root, 'src/transports/node')]);

// `npx parley-mcp` in a clone prepares it once more; it is to run what is there, and not to build it under somebody's feet.
if (process.env['npm_command'] !== 'exec' || !existsSync(binary)) await build();

async function build(): Promise<void> {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const status = declare();
  await emit();
  await buildPage();
  // For `npx parley-mcp` in a clone to run it.
  chmodSync(binary, 0o755);
  if (status === 0) markBuilt();
  process.exitCode = status;
}

function declare(): number {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const options = { cwd: root, stdio: 'inherit' } as const;
  return spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], options).status ?? 1;
}

async function emit(): Promise<void> {
  const { plugin, group } = startChunks({
    starts: Object.fromEntries(starts.map((name) => [name, sourceOf(name)])),
    others: Object.fromEntries(others.map((name) => [name, sourceOf(name)])),
    apart: Object.fromEntries(Object.entries(apart).map(([name, start]) => [sourceOf(name), start])),
    lean,
    mayLoad: (entry, id) => mayLoad(entry, relative(join(root, 'src'), id).replaceAll('\\', '/')),
  });
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries().map((name) => [name, sourceOf(name)])),
    platform: 'node',
    external: [/^node:/, /^[^./]/],
    preserveEntrySignatures: 'allow-extension',
    treeshake: { moduleSideEffects: false },
    transform: { target: 'es2023' },
    tsconfig: false,
    plugins: [plugin],
  });
  const { output } = await bundle.generate({
    dir: dist,
    format: 'esm',
    comments: { jsdoc: false },
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: '[name].js',
    chunkFileNames: ({ name }) => (name.startsWith(startPrefix) ? 'chunks/[name].js' : 'chunks/[name]-[hash].js'),
    codeSplitting: { includeDependenciesRecursively: false, groups: [group] },
  });
  await bundle.close();
  const chunks = output.filter((file) => file.type === 'chunk');
  for (const chunk of chunks) refuseFaults(chunk, chunks);
  for (const file of output) {
    const path = join(dist, file.fileName);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.type === 'chunk' ? withoutBareImports(file.code) : file.source);
  }
}

function refuseFaults({ fileName, imports, modules }: OutputChunk, chunks: readonly OutputChunk[]): void {
  // What lies beside a module in src/ does not lie beside a chunk. The modules of these folders know that.
  const asking = Object.keys(modules).find(
    (id) => !asDeep.has(dirname(id)) && modules[id]?.code?.includes('import.meta') === true,
  );
  if (fileName.startsWith('chunks/') && asking !== undefined)
    throw new Error(`${asking} asks where it lies, and is in ${fileName}`);
  const seen = new Set<string>();
  const open = [...imports];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(chunks.find((chunk) => chunk.fileName === next)?.imports ?? []));
  }
  if (seen.has(fileName)) throw new Error(`${fileName} loads itself by a detour`);
}

function sourceOf(name: string): string {
  return join(root, `src/${name}.ts`);
}

/** The names of what package.json exports and runs. */
function entries(): string[] {
  // Our own package.json, which has both fields.
  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
    readonly bin: Readonly<Record<string, string>>;
  };
  return [
    ...Object.values(exports).map((target) => (typeof target === 'string' ? target : target.default)),
    ...new Set(Object.values(bin)),
  ]
    .filter((path) => path.endsWith('.js'))
    .map((path) => path.replace(/^\.\/dist\/(.*)\.js$/, '$1'));
}

/**
 * An import without names is there for its effects; ours have none. To a bundler it says that the chunk is needed where
 * a program does not use it. The line stays, since the map counts it.
 */
function withoutBareImports(text: string): string {
  return text.replaceAll(/^import "\.{1,2}\/[^"\n]+";$/gm, '');
}
