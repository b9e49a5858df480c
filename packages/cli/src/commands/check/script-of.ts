import { statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';

/**
 * Finds the script that a command starts, as a path within the folder of the person: services that show findings want a file
 * of the repository.
 *
 * @returns `undefined` where the command names no file, or one that is elsewhere or installed.
 */
export function scriptOf([command, ...args]: readonly string[], folder: string = process.cwd()): string | undefined {
  const words = [...args, ...(command === undefined ? [] : [command])];
  const paths = words.filter((word) => !word.startsWith('-')).map((word) => relative(folder, resolve(folder, word)));
  const script = paths.find((path) => isWithin(path) && isFile(resolve(folder, path)));
  return script?.split(sep).join('/');
}

function isWithin(path: string): boolean {
  const parts = path.split(sep);
  return path !== '' && !isAbsolute(path) && parts[0] !== '..' && !parts.includes('node_modules');
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
