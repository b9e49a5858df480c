/** What the runs need, apart from the package itself: runtimes, frameworks and compilers as their registries have them. */

import { cacheFolder } from '../scripts/package-cache.ts';

const { platform, arch } = process;
/** The names that makers of binaries have for this machine. */
const musl = platform === 'linux' && !isGlibc();
const bunArch = arch === 'arm64' ? 'aarch64' : arch;
const denoTarget = platform === 'linux' ? `linux-${arch}-glibc` : `${platform}-${arch}`;

/** The names of the packages that hold a runtime for this machine. */
export const runtimePackages: Readonly<Record<'bun' | 'deno' | 'node', string>> = {
  bun: `@oven/bun-${platform}-${bunArch}${musl ? '-musl' : ''}`,
  deno: `@deno/${denoTarget}`,
  node: `node-${platform === 'win32' ? 'win' : platform}-${arch}`,
};

/** The releases of Node, by their major version. */
export const nodeVersions = { '20': '20.20.2', '22': '22.23.3', '24': '24.21.0' } as const;

export const pinned: Readonly<Record<string, string>> = {
  '@hono/node-server': '2.1.8',
  '@types/node': '24.19.2',
  express: '5.3.0',
  fastify: '5.12.8',
  hono: '4.13.19',
  miniflare: '4.20260730.0',
  'playwright-core': '1.65.1',
  'typescript-5.4': 'npm:typescript@5.4.5',
  'typescript-5.9': 'npm:typescript@5.9.3',
  'typescript-6': 'npm:typescript@6.0.3',
  'typescript-7': 'npm:typescript@7.0.2',
  zod: '4.6.7',
};

/** The runtimes, each installed apart, so that one that this machine has no package of keeps no other away. */
export const runtimes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bun: { [runtimePackages.bun]: '1.4.5' },
  deno: { [runtimePackages.deno]: '2.9.6' },
  ...Object.fromEntries(
    Object.entries(nodeVersions).map(([major, version]) => [`node-${major}`, { [runtimePackages.node]: version }]),
  ),
};

/** Where packages of a set are. */
export function folderOf(packages: Readonly<Record<string, string>>): string {
  return cacheFolder('parley-runtimes', packages);
}

function isGlibc(): boolean {
  const { header } = process.report.getReport() as { readonly header: { readonly glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime !== undefined;
}
