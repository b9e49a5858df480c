import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Setting } from './setting.ts';

/**
 * Imports a package of the cache.
 *
 * @typeParam Module What of it is used.
 */
export async function loadPeer<Module>({ folder }: Setting, name: string): Promise<Module> {
  const { load } = (await import(pathToFileURL(join(folder, '..', 'load.js')).href)) as {
    readonly load: (name: string) => Promise<Module>;
  };
  return await load(name);
}
