import { watch, type FSWatcher } from 'node:fs';
import { sep } from 'node:path';
import { after } from '../../../../parley/src/jsonrpc/timeout.ts';

/** Time without a further change after which a server is started anew, in milliseconds. */
const quietMs = 150;

/** Most files of which it is told that they changed. */
const maxNames = 1_000;

/** Files and folders that are not looked at: what is installed, and what tools keep. */
const ignored = /^(?:node_modules|\..+)$/;

/** Files of settings all the same, but for what editors keep beside them while they are written. */
const settings = /^\.env(?:\.(?!sw[a-p]$)[\w-]+)?$/;

/** Options of looking at a folder. */
export interface ReloadOptions {
  /** Hears once things are quiet. @param names Files that changed, as far as they are known, within the folder. */
  changed(names: readonly string[]): void;
  /** Hears where nobody can look any more. */
  failed(error: unknown): void;
}

/**
 * Looks at the files of a folder and of those in it, but for `node_modules` and what begins with a dot; `.env` and its kin are looked at.
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
      if (name !== null && !isLookedAt(name)) return;
      cancel();
      if (names.size < maxNames) names.add(name ?? '');
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

function isLookedAt(name: string): boolean {
  const parts = name.split(sep);
  const file = parts.pop() ?? '';
  return !parts.some((part) => ignored.test(part)) && (settings.test(file) || !ignored.test(file));
}
