import { readFileSync } from 'node:fs';

/** The version of this package. */
export const version: string = read();

/** The manifest lies above this file: three folders up in the source, two in a build. The command line is built with its own. */
function read(): string {
  const manifestPath = import.meta.url.endsWith('.ts') ? '../../../package.json' : '../../package.json';
  // Our own package.json, which has a version.
  const manifest = JSON.parse(readFileSync(new URL(manifestPath, import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  return manifest.version;
}
