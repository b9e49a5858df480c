import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Transport } from '../../../jsonrpc/transport.ts';
import { spawn, type SpawnOptions } from './transport.ts';

/**
 * The place of a program that lies beside another one; with `.exe` where only that is there.
 *
 * @param name A file name without folders.
 * @param beside A path or `file:` URL in the folder, such as `import.meta.url`; the program that runs by default.
 * @throws TypeError when `name` is a path, which might lead out of the folder.
 */
export function siblingPath(name: string, beside: string | URL = process.argv[1] ?? process.execPath): string {
  if (name === '' || name === '.' || name === '..' || basename(name) !== name || name.includes('\\'))
    throw new TypeError(`${JSON.stringify(name)} is no file name`);
  const isUrl = typeof beside !== 'string' || beside.startsWith('file:');
  const path = join(dirname(isUrl ? fileURLToPath(beside) : beside), name);
  // Asked for here: an import would have every server on stdio pay for all that `node:fs` exports.
  const { existsSync } = process.getBuiltinModule('node:fs');
  const executable = `${path}.exe`;
  return !existsSync(path) && existsSync(executable) ? executable : path;
}

/**
 * Reaches a server by starting the program in the folder of the running one; otherwise like `spawn`. A JavaScript file
 * is run by this Node.
 *
 * @param name A file name without folders.
 * @throws TypeError if `name` is a path.
 */
export function spawnSibling(name: string, args: readonly string[] = [], options: SpawnOptions = {}): Transport {
  const path = siblingPath(name);
  return /\.[cm]?js$/.test(name) ? spawn(process.execPath, [path, ...args], options) : spawn(path, args, options);
}
