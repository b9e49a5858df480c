/** Bundles of small programs that use the package, as its users make them. */

import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type BuildOptions, type BuildResult, type Metafile, type OutputFile } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Where the package is taken from: its sources, or what `npm run build` made of them. */
export type From = 'src' | 'dist';

/** An entry point without the name of the package; the empty one is the package itself. */
export type Entry =
  | ''
  | 'server'
  | 'client'
  | 'bridge'
  | 'protect'
  | 'account'
  | 'http'
  | 'oauth'
  | 'stdio'
  | 'node'
  | 'sqlite'
  | 'postgres'
  | 'redis'
  | 'otel'
  | 'protocol'
  | 'testing';

/** The entry points, as they are exported. */
export const entries: readonly Entry[] = [
  '',
  'server',
  'client',
  'bridge',
  'protect',
  'account',
  'http',
  'oauth',
  'stdio',
  'node',
  'sqlite',
  'postgres',
  'redis',
  'otel',
  'protocol',
  'testing',
];

/** One module in a bundle. */
export interface Weight {
  /** From the root of the repository. */
  readonly path: string;
  /** Minified, before compression. */
  readonly bytes: number;
}

/** What a bundler makes of a program. */
export interface Bundle {
  /** What is loaded when the program starts: its text, its bytes and those after gzip. */
  readonly start: Loaded;
  /** What is loaded when it is first needed, likewise. */
  readonly later: Loaded;
  /** The one file of a bundler that does not split, as most do by default: what is loaded on demand is in it. */
  readonly whole: Loaded;
  /** What `start` is made of, the heaviest first. */
  readonly weights: readonly Weight[];
}

/** One part of a bundle. */
export interface Loaded {
  readonly text: string;
  readonly bytes: number;
  readonly gzip: number;
}

/** Bundles and minifies a program. Modules of Node are left as they are, and so are seen where they do not belong. */
export async function bundle(program: string, from: From): Promise<Bundle> {
  const options = {
    stdin: { contents: program, resolveDir: root, sourcefile: 'program.ts', loader: 'ts' },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    metafile: true,
    write: false,
    outdir: 'out',
    format: 'esm',
    target: 'es2023',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['import'],
    external: ['node:*', 'ioredis'],
    alias: aliases(from),
    logLevel: 'silent',
  } as const satisfies BuildOptions;
  const { outputFiles: whole } = await build(options);
  return { ...bundleOf(await build({ ...options, splitting: true })), whole: loaded(whole) };
}

function aliases(from: From): Record<string, string> {
  const extension = from === 'src' ? 'ts' : 'js';
  const file = (entry: string): string =>
    `${root}packages/parley/${from}/${entry === '' ? 'index' : entry}.${extension}`;
  // An alias of the package itself would be one of its entry points too, were those not named first.
  return Object.fromEntries(
    entries.toReversed().map((entry) => [entry === '' ? 'parley-mcp' : `parley-mcp/${entry}`, file(entry)]),
  );
}

function bundleOf({ outputFiles, metafile }: BuildResult<{ write: false; metafile: true }>): Omit<Bundle, 'whole'> {
  const first = Object.keys(metafile.outputs).find((path) => metafile.outputs[path]?.entryPoint === 'program.ts');
  const atStart = new Set<string>();
  if (first !== undefined) follow(first, metafile, atStart);
  const isAtStart = ({ path }: OutputFile): boolean =>
    atStart.has(path.replaceAll('\\', '/').slice(root.length).replace(/^\//, ''));
  return {
    start: loaded(outputFiles.filter(isAtStart)),
    later: loaded(outputFiles.filter((file) => !isAtStart(file))),
    weights: weightsOf([...atStart], metafile),
  };
}

/** Adds an output, and those that it imports by a statement. */
function follow(path: string, metafile: Metafile, into: Set<string>): void {
  if (into.has(path)) return;
  into.add(path);
  for (const { path: next, kind, external } of metafile.outputs[path]?.imports ?? [])
    if (kind === 'import-statement' && external !== true) follow(next, metafile, into);
}

function loaded(files: readonly OutputFile[]): Loaded {
  const text = files.map((file) => file.text).join('');
  return { text, bytes: Buffer.byteLength(text), gzip: text === '' ? 0 : gzipSync(text, { level: 9 }).length };
}

function weightsOf(paths: readonly string[], metafile: Metafile): readonly Weight[] {
  return paths
    .flatMap((path) => Object.entries(metafile.outputs[path]?.inputs ?? {}))
    .map(([path, { bytesInOutput }]) => ({ path, bytes: bytesInOutput }))
    .toSorted((one, other) => other.bytes - one.bytes);
}
