import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../made-folder.ts';

/** A program in another language, which is built outside the repository. */
export interface Program {
  readonly name: string;
  /** The folder of its sources. */
  readonly sources: string;
  /** The folder that holds what was built, for each state of the sources. */
  readonly cache: string;
}

/** A program that is ready to run. */
export interface Built {
  readonly command: readonly string[];
  /** What it was built with, such as `mcp 2.3.0`. */
  readonly version: string;
}

/**
 * Gives the folder of a program as its sources are now, filled by `make` unless it is there.
 *
 * @param more What else it is built of, such as the version of the compiler.
 */
export async function folderOf(
  program: Program,
  more: readonly string[],
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const place = join(program.cache, `${program.name}-${digestOf(program.sources, more)}`);
  await makeFolder(place, make);
  return place;
}

function digestOf(sources: string, more: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(more));
  for (const file of globSync('**/*.{toml,lock,mod,sum,xml,txt,go,rs,java}', { cwd: sources }).toSorted())
    hash.update(file).update(readFileSync(join(sources, file)));
  return hash.digest('hex').slice(0, 12);
}
