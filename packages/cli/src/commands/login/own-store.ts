/** The credentials of the person who runs a command. */

import { credentialFolder } from '../../../../parley/src/transports/node/credentials/folder.ts';
import { storeIn } from '../../../../parley/src/transports/node/credentials/file-credentials.ts';
import type { CredentialStore } from '../../../../parley/src/storage/credentials.ts';
import type { Io } from '../io.ts';

/** The folder of credentials cannot be read or written. */
class FolderError extends Error {}

const codes = ['EACCES', 'EPERM', 'ENOTDIR', 'EROFS', 'ELOOP'];

/**
 * The credential store of the user who runs a command.
 *
 * @param unreadable Called for each entry that a list leaves out.
 */
export function ownStore(io: Io, unreadable?: (error: unknown) => void): CredentialStore {
  const store = storeIn(credentialFolder(io.env), unreadable === undefined ? {} : { unreadable });
  return {
    read: (key) => store.read(key).catch(rethrow),
    write: (key, text, condition) => store.write(key, text, condition).catch(rethrow),
    lock: (key, run, signal) => store.lock(key, run, signal).catch(rethrow),
    keys: (kind) => store.keys(kind).catch(rethrow),
  };
}

const warned = new WeakSet<Io>();

/** The same store for a command that may need no credentials: if the folder cannot be read, nothing is found, and one warning says so. */
export function optionalStore(io: Io): CredentialStore {
  const store = ownStore(io);
  return {
    ...store,
    async read(key) {
      try {
        return await store.read(key);
      } catch (error) {
        if (!(error instanceof FolderError)) throw error;
        if (!warned.has(io)) io.stderr.write(`parley: ${error.message}. This command goes on without them\n`);
        warned.add(io);
        return undefined;
      }
    },
  };
}

function rethrow(error: unknown): never {
  if (!(error instanceof Error && 'code' in error && codes.includes(String(error.code)))) throw error;
  const cure = 'Set XDG_STATE_HOME to a folder that you may read and write';
  throw new FolderError(`the stored credentials cannot be used: ${error.message}. ${cure}`, { cause: error });
}
