import { watch, type FSWatcher } from 'node:fs';
import { sep } from 'node:path';
import { after } from '../../jsonrpc/timeout.ts';

/** Time without a further change after which a server is started anew, in milliseconds. */
const quietMs = 150;

/** Folders that are not looked at: what is installed, and what tools keep. */
const ignored = /^(?:node_modules|\..+)$/;

/** Options of looking at a folder. */
export interface ReloadOptions {
  /** Hears once things are quiet. */
  changed(): void;
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
  let watcher: FSWatcher;
  try {
    watcher = watch(folder, { recursive: true }, (_, name) => {
      if (name !== null && name.split(sep).some((part) => ignored.test(part))) return;
      cancel();
      cancel = after(quietMs, changed, true);
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
