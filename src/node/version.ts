import { readFileSync } from 'node:fs';

/** The version of this package. */
export const version: string = read();

/** The manifest lies two folders above this file, in the source as in what is built. */
function read(): string {
  // Our own package.json, which has a version.
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  return manifest.version;
}
