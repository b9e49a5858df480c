/** The files of the repository, as the rules read them. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../test/support/sources.ts';

/** A file with its text. */
export interface TextFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** All that a rule may read. */
export interface Repository {
  /** The paths of all files, in order; nothing that was installed or built. */
  readonly paths: readonly string[];
  /** The text of a file. Throws when there is none. */
  read(path: string): string;
}

const skipped: ReadonlySet<string> = new Set(['node_modules', 'dist', '.git']);

/** Copies that a build makes, to be published with a package. */
const copied = /^packages\/\w+\/(docs$|bench$|LICENSE$)|^packages\/parley\/README\.md$/;

/** The repository on disk. Each file is read once. */
export function repositoryOnDisk(): Repository {
  const texts = new Map<string, string>();
  const paths: string[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (copied.test(path)) continue;
      if (entry.isDirectory()) {
        if (!skipped.has(entry.name)) walk(path);
      } else paths.push(path);
    }
  };
  walk('');
  return {
    paths: paths.toSorted(),
    read(path) {
      const text = texts.get(path) ?? readFileSync(join(root, path), 'utf8');
      texts.set(path, text);
      return text;
    },
  };
}

/** A repository of a few texts, for tests of rules. */
export function repositoryOf(texts: Readonly<Record<string, string>>): Repository {
  return {
    paths: Object.keys(texts).toSorted(),
    read(path) {
      const text = texts[path];
      if (text === undefined) throw new Error(`there is no file ${path}`);
      return text;
    },
  };
}

/** The files whose paths match a pattern. */
export function filesOf({ paths, read }: Repository, pattern: RegExp): readonly TextFile[] {
  return paths.filter((path) => pattern.test(path)).map((path) => ({ path, text: read(path) }));
}
