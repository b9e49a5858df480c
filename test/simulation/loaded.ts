/** Loads everything that may be loaded when it is needed first: that takes real time, which no world has. */

import { readdirSync } from 'node:fs';

const source = new URL('../../packages/parley/src/', import.meta.url);

/** Where the code is that runs in a world. */
const folders: readonly string[] = [
  'auth/common',
  'auth/server',
  'bridge',
  'client',
  'connection',
  'json',
  'jsonrpc',
  'options',
  'protocol',
  'schema',
  'sealing',
  'server',
  'storage/memory',
  'transports/http',
];

/** Tests, and what only types are. */
const isTest = /\.(test|test-d|d)\.ts$/;

/** Resolves when all of it is. */
export async function everythingLoaded(): Promise<void> {
  // Not the rooms of databases, which lie in the same folder.
  for (const file of readdirSync(new URL('storage/', source)).filter(
    (name) => name.endsWith('.ts') && !isTest.test(name),
  ))
    await import(new URL(`storage/${file}`, source).href);
  for (const folder of folders)
    for (const file of readdirSync(new URL(`${folder}/`, source), { recursive: true, encoding: 'utf8' }))
      if (file.endsWith('.ts') && !isTest.test(file)) await import(new URL(`${folder}/${file}`, source).href);
}
