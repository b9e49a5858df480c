import { watch, type FSWatcher } from 'node:fs';
import { sep } from 'node:path';
import { after } from '../../jsonrpc/timeout.ts';

/** Time without a further change after which a server is started anew, in milliseconds. */
const quietMs = 150;

/** Most files of which it is told that they changed. */
const mostNames = 1_000;

/** Folders that are not looked at: what is installed, and what tools keep. */
const ignored = /^(?:node_modules|\..+)$/;

/** Options of looking at a folder. */
export interface ReloadOptions {
  /** Hears once things are quiet. @param names Files that changed, as far as they are known, within the folder. */
  changed(names: readonly string[]): void;
  /** Hears where nobody can look any more. */
  failed(error: unknown): void;
}

/**
 * Looks at the files of a folder and of those in it, but for `node_modules` and dot folders.
 *
 * @returns Ends it.
 */
export function watchFolder(folder: string, { changed, failed }: ReloadOptions): () => void {
  let cancel = (): void => {};
  let names = new Set<string>();
  const told = (): void => {
    const all = [...names];
    names = new Set();
    changed(all);
  };
  let watcher: FSWatcher;
  try {
    watcher = watch(folder, { recursive: true }, (_, name) => {
      if (name !== null && name.split(sep).some((part) => ignored.test(part))) return;
      cancel();
      if (names.size < mostNames) names.add(name ?? '');
      cancel = after(quietMs, told, true);
    });
  } catch (error) {
    failed(error);
    return cancel;
  }
  watcher.on('error', failed);
  return () => {
    cancel();
    watcher.close();
  };
}
