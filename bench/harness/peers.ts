import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cacheFolder, installPackages } from '../../scripts/package-cache.ts';

/**
 * What others wrote, and what their documentation tells to use it with. The types that scripts see come from the
 * development dependencies of the same name, so that a version changes in both places.
 */
export const pinned: Readonly<Record<string, string>> = {
  '@hono/node-server': '2.1.8',
  '@modelcontextprotocol/client': '2.4.0',
  '@modelcontextprotocol/node': '2.1.2',
  '@modelcontextprotocol/sdk': '1.32.2',
  '@modelcontextprotocol/server': '2.4.0',
  '@tmcp/adapter-zod': '0.1.7',
  '@tmcp/transport-http': '0.9.0',
  '@tmcp/transport-in-memory': '0.1.0',
  '@tmcp/transport-stdio': '0.5.0',
  fastmcp: '4.20.16',
  hono: '4.13.19',
  'mcp-lite': '0.10.0',
  tmcp: '1.20.0',
  zod: '4.6.7',
};

/** Where the peers are. */
export const peersFolder: string = cacheFolder('parley-bench', pinned);

let installed: Promise<void> | undefined;

/**
 * Sees to it that the peers are in the cache.
 *
 * @throws Unavailable when they cannot be fetched.
 */
export function installPeers(): Promise<void> {
  installed ??= installPackages(peersFolder, pinned);
  return installed;
}

/**
 * Imports a module of a peer from the cache.
 *
 * @typeParam Module What it exports: `typeof` of its namespace, imported as a type.
 */
export async function peer<Module>(name: string): Promise<Module> {
  const { load } = (await import(pathToFileURL(join(peersFolder, 'load.js')).href)) as {
    readonly load: (name: string) => Promise<Module>;
  };
  return await load(name);
}
