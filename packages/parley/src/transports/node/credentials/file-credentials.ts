import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { credentialKeyText, type CredentialKey, type CredentialStore } from '../../../storage/credentials.ts';
import { Turns } from '../../../storage/turns.ts';
import { credentialFolder, ownFolder } from './folder.ts';
import { underLease, type LeaseTimes } from './lease.ts';
import { Versions } from './versions.ts';

/** Options of a store of credentials in files. */
export interface FileCredentialStoreOptions {
  /** The folder; `$XDG_STATE_HOME/parley/credentials` by default, or the system's place for what belongs there. */
  readonly folder?: string;
}

/**
 * Makes a store of credentials in files, which all processes of one user share. Only their owner can access the folders
 * (0700) and files (0600). A folder or file that others own or may read is rejected. Written data is on the disk when
 * the promise settles. The file system must support hard links, as local ones do. The texts are not encrypted:
 * `sealedCredentialStore` does that. `keys` leaves out unreadable entries. Reading one by its key throws the reason.
 *
 * @throws TypeError if the folder is not a path.
 */
export function fileCredentialStore(options: FileCredentialStoreOptions = {}): CredentialStore {
  return storeIn(options.folder ?? credentialFolder());
}

/** Parts of a store that are its maker's choice, beside its folder. */
interface StoreInside {
  readonly times?: LeaseTimes;
  /** Receives the reason for each entry that `keys` leaves out because it cannot be read. */
  readonly unreadable?: (error: unknown) => void;
}

/** Makes the store with lease times, and with a listener for unreadable entries. */
export function storeIn(folder: string, { times, unreadable }: StoreInside = {}): CredentialStore {
  if (typeof folder !== 'string' || folder === '')
    throw new TypeError('the folder of a store of credentials must be a path');
  const turns = new Turns();
  const placeOf = (key: CredentialKey): string => join(folder, nameOf(key));
  const ready = (): Promise<void> => ownFolder(folder);
  return {
    async read(key) {
      const newest = await new Versions(placeOf(key)).newest();
      const text = newest === undefined ? undefined : entryOf(newest.text)?.text;
      return newest === undefined || text === undefined ? undefined : { text, generation: newest.generation };
    },
    async write(key, text, { ifGeneration } = {}) {
      await ready();
      const entry = text === undefined ? undefined : JSON.stringify({ key, text });
      if (key.kind === 'login' && key.resource === undefined) await sweep(folder, nameOf(key));
      return (await new Versions(placeOf(key)).write(entry, ifGeneration)) !== undefined;
    },
    async lock(key, run, signal) {
      await ready();
      const lease = new Versions(join(folder, `lock-${nameOf(key)}`));
      return await turns.run(credentialKeyText(key), () => underLease(lease, run, signal, times), signal);
    },
    async keys(kind) {
      const found: CredentialKey[] = [];
      for (const name of await namesIn(folder)) {
        if (!name.startsWith(`${kind}-`)) continue;
        try {
          const newest = await new Versions(join(folder, name)).newest();
          const key = entryOf(newest?.text)?.key;
          if (key !== undefined && key.kind === kind) found.push(key);
        } catch (error) {
          // The other entries are found all the same.
          unreadable?.(error);
        }
      }
      return found;
    },
  };
}

/**
 * Time for which the last number of a deleted entry stays, for a process that is just about to write there; in
 * milliseconds.
 */
const leftForMs = 3_600_000;

/** Removes what logins left behind: each has a name of its own, so that there would be ever more. */
async function sweep(folder: string, current: string): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (!name.startsWith('login-') || name === current) continue;
    const path = join(folder, name);
    try {
      if (await new Versions(path).isGoneFor(leftForMs)) await rm(path, { recursive: true, force: true });
    } catch {
      // It is as well there as it was.
    }
  }
}

/** A file name that reveals only the kind of the key. */
function nameOf(key: CredentialKey): string {
  return `${key.kind}-${createHash('sha256').update(credentialKeyText(key)).digest('hex').slice(0, 40)}`;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

function entryOf(text: string | undefined): { readonly key: CredentialKey; readonly text: string } | undefined {
  if (text === undefined) return undefined;
  try {
    // Only this store writes there. Damage is mostly detected by its version.
    return JSON.parse(text) as { readonly key: CredentialKey; readonly text: string };
  } catch {
    // The text may be a secret, of which an error of the platform shows the beginning.
    throw new Error('a stored credential is damaged; remove it, and sign in again');
  }
}
