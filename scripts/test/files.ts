/** The test files, and the tier of each. */

import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { root } from '../../test/support/sources.ts';
import {
  aloneSlowFiles,
  longFiles,
  nightlyFiles,
  ownProcess,
  sampledFiles,
  slowFiles,
  smokeTests,
  waitingFiles,
} from './tiers.ts';

/** What is run: `fast` by `npm test`, `all` by `npm run test:all`, `nightly` by `npm run test:nightly`. */
export type Tier = 'fast' | 'all' | 'nightly';

/** How one file is run. */
export interface TestFile {
  /** From the root of the repository, with `/`. */
  readonly path: string;
  /** Whether it may share a process with other files. */
  readonly isShared: boolean;
  /** Whether it is listed as slow. A file that is not is held to the limits of fast files. */
  readonly isSlow: boolean;
  /** Whether it waits for most of its time. */
  readonly isWaiting: boolean;
  /** Matches the names of those of its tests that are run; all without it. */
  readonly names?: string;
}

/** The files of a tier, in alphabetical order. */
export function filesOf(tier: Tier): readonly TestFile[] {
  const files = everyFile();
  if (tier === 'nightly') return files;
  return files.flatMap((file) => {
    const isLeftOut = tier === 'fast' ? file.isSlow : file.path in nightlyFiles;
    const names = smokeTests[file.path];
    if (!isLeftOut) return [file];
    // All tests of a process are chosen by one expression.
    return names === undefined || tier !== 'fast' ? [] : [{ ...file, names, isShared: false }];
  });
}

/** The files that the words name: by path, by folder, or by a part of the path. */
export function namedFiles(words: readonly string[]): readonly TestFile[] {
  const wanted = words
    .map((word) => (existsSync(word) ? relative(root, join(process.cwd(), word)) : word))
    .map(slashed);
  const files = everyFile();
  const exact = files.filter(({ path }) => wanted.includes(path));
  const others = wanted.filter((word) => !exact.some(({ path }) => path === word));
  return files.filter(
    ({ path }) => exact.some((one) => one.path === path) || others.some((word) => path.includes(word)),
  );
}

/** Every file that is named `*.test.ts`. */
export function everyFile(): readonly TestFile[] {
  return globSync('{packages/*/src,test}/**/*.test.ts', { cwd: root })
    .map(slashed)
    .toSorted()
    .map((path) => {
      const isSlow = path in slowFiles || path in nightlyFiles;
      const isShared = !(path in ownProcess) && !(path in aloneSlowFiles);
      return { path, isSlow, isShared, isWaiting: waitingFiles.includes(path) };
    });
}

/** The entries of the tables that name no file. */
export function staleEntries(): readonly string[] {
  const tables = {
    ...slowFiles,
    ...nightlyFiles,
    ...sampledFiles,
    ...ownProcess,
    ...aloneSlowFiles,
    ...smokeTests,
    ...longFiles,
  };
  return [...Object.keys(tables), ...waitingFiles].filter((path) => !existsSync(join(root, path)));
}

/** How large a file is: what it takes is guessed by this until it has run once. */
export function sizeOf(path: string): number {
  return readFileSync(join(root, path)).length;
}

function slashed(path: string): string {
  return path.replaceAll(sep, '/');
}
