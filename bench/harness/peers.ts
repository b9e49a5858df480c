import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

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

const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'parley-bench');

/** Where the peers are: a folder for each set of versions, outside the repository. */
export const peersFolder: string = join(cache, digestOf(JSON.stringify(pinned)));

const installMs = 180_000;

/** A peer that cannot be had here, such as without a network. */
export class PeerUnavailable extends Error {
  override readonly name = 'PeerUnavailable';
}

let installed: Promise<void> | undefined;

/**
 * Sees to it that the peers are in the cache: they are fetched once for each set of versions.
 *
 * @throws PeerUnavailable when they cannot be fetched.
 */
export function installPeers(): Promise<void> {
  installed ??= install();
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

async function install(): Promise<void> {
  if (existsSync(peersFolder)) return;
  // Made beside its place and renamed, so that a run that was broken off leaves nothing half done.
  const folder = `${peersFolder}.${process.pid}`;
  mkdirSync(folder, { recursive: true });
  try {
    const manifest = { private: true, type: 'module', dependencies: pinned };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, undefined, 2));
    // What this module imports is resolved from where it lies.
    writeFileSync(join(folder, 'load.js'), 'export const load = (name) => import(name);\n');
    await npmInstall(folder);
    if (!existsSync(peersFolder)) renameSync(folder, peersFolder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function npmInstall(folder: string): Promise<void> {
  // Whoever has no network finds out soon.
  const hasty = ['--fetch-retries=1', '--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=1000'];
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const npm = spawn('npm', ['install', '--prefix', folder, ...quiet, ...hasty], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: installMs,
    // The command is a script there, which only a shell starts.
    shell: process.platform === 'win32',
  });
  let complaints = '';
  npm.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  let code: unknown;
  try {
    [code] = await once(npm, 'close');
  } catch (cause) {
    throw new PeerUnavailable('npm could not be started', { cause });
  }
  if (code !== 0)
    throw new PeerUnavailable(`the peers could not be installed: ${complaints.trim().split('\n', 1)[0] ?? ''}`);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
