import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** File of the page. */
export interface SiteFile {
  readonly type: string;
  readonly bytes: Buffer;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/**
 * Reads the files of the page, once: the files at the start are served, by their exact names.
 *
 * @throws Error if the page was not built.
 */
export function readSite(folder: string): ReadonlyMap<string, SiteFile> {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch (cause) {
    throw new Error(`the page is not built: there is no ${folder}`, { cause });
  }
  const files = names.flatMap((name): [string, SiteFile][] => {
    const type = types[extname(name)];
    if (type === undefined) return [];
    const file = { type, bytes: readFileSync(join(folder, name)) };
    return name === 'index.html' ? [['/', file]] : [[`/${name}`, file]];
  });
  if (!files.some(([path]) => path === '/main.js')) throw new Error(`the page is not built: ${folder} has no main.js`);
  return new Map(files);
}
