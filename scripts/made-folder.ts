import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** A folder of the user's cache, outside the repository. */
export function userCache(name: string): string {
  return join(process.env['XDG_CACHE_HOME'] ?? (isAbsolute(homedir()) ? join(homedir(), '.cache') : tmpdir()), name);
}

/** Sees to it that a folder is there: made beside its place and renamed, so that a run that was broken off leaves nothing half done. */
export async function makeFolder(place: string, make: (folder: string) => Promise<void>): Promise<void> {
  if (existsSync(place)) return;
  const folder = `${place}.${process.pid}`;
  mkdirSync(folder, { recursive: true });
  try {
    await make(folder);
    if (!existsSync(place)) renameSync(folder, place);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
