/**
 * Builds `dist/`: the declarations with `tsc`, and the JavaScript of each entry point with `esbuild`, where what several
 * share lies in chunks. A program loads a dozen files so, and not a hundred.
 */

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'esbuild';
import { mergeChunks, published } from './merge-chunks.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const binary = join(dist, 'cli/main.js');

/** The entry points that programs start with, and whose start must be quick. */
const starts = ['server.js', 'client.js', 'stdio.js', 'node.js', 'http.js', 'protocol.js'];

/** What runs in browsers must not load with what it shares with `stdio` the rest of that. */
const apart = { 'testing.js': 'stdio.js' };

// `npx parley-mcp` in a clone prepares it once more; it is to run what is there, and not to build it under somebody's feet.
if (process.env['npm_command'] !== 'exec' || !existsSync(binary)) await build();

async function build(): Promise<void> {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const status = declare();
  await emit();
  // For `npx parley-mcp` in a clone to run it.
  chmodSync(binary, 0o755);
  process.exitCode = status;
}

function declare(): number {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const options = { cwd: root, stdio: 'inherit' } as const;
  return spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], options).status ?? 1;
}

async function emit(): Promise<void> {
  const { outputFiles } = await bundle({
    absWorkingDir: root,
    entryPoints: sources(),
    outbase: 'src',
    outdir: 'dist',
    chunkNames: 'chunks/[name]-[hash]',
    ...published,
    splitting: true,
    packages: 'external',
  });
  const written = new Map(
    outputFiles.map(({ path, text }) => [relative(dist, path).replaceAll('\\', '/'), withoutBareImports(text)]),
  );
  for (const [name, text] of await mergeChunks(written, starts, apart)) {
    const path = join(dist, name);
    // What lies beside a module in src/ does not lie beside a chunk; beside an entry point it does.
    if (name.startsWith('chunks/') && text.includes('import.meta'))
      throw new Error(`${name} asks where it lies, and is no entry point`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** The sources of what package.json exports and runs. */
function sources(): string[] {
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
    .map((path) => path.replace(/^\.\/dist\/(.*)\.js$/, 'src/$1.ts'));
}

/**
 * An import without names is there for its effects; ours have none. To a bundler it says that the chunk is needed where
 * a program does not use it.
 */
function withoutBareImports(text: string): string {
  return text.replaceAll(/^import "\.{1,2}\/[^"\n]+";\n/gm, '');
}
