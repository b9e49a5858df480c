import { createSeal } from '../sealing/seal.ts';
import type { SealingKey } from '../sealing/sealing-key.ts';
import { credentialKeyText, type CredentialKey, type CredentialStore, type StoredCredential } from './credentials.ts';

/** Options of a sealed store of credentials. */
export interface SealedCredentialStoreOptions {
  /** The keys, the newest first: it seals, and any of them opens. 32 bytes each, as bytes or in base64. */
  readonly keys: readonly SealingKey[];
}

/**
 * Makes a store of credentials whose texts are encrypted in an inner store (AES-256-GCM), each bound to its key, so
 * that none can be moved to another key. The keys of entries are visible in that store. A text that no encryption key
 * opens counts as missing, and is replaced by the next write.
 *
 * @throws TypeError without keys, or for one that is not 32 bytes.
 */
export function sealedCredentialStore(store: CredentialStore, { keys }: SealedCredentialStoreOptions): CredentialStore {
  if (!Array.isArray(keys) || keys.length === 0) throw new TypeError('a sealed store of credentials needs keys');
  const seal = createSeal(keys, { purpose: 'credentials' });
  const opened = async (key: CredentialKey): Promise<Opened> => {
    const there = await store.read(key);
    return { there, text: there && (await seal.open(there.text, credentialKeyText(key))) };
  };
  return {
    async read(key) {
      const { there, text } = await opened(key);
      return there === undefined || text === undefined ? undefined : { text, generation: there.generation };
    },
    async write(key, text, { ifGeneration } = {}) {
      const sealed = text === undefined ? undefined : await seal.seal(text, credentialKeyText(key));
      if (ifGeneration !== null) return await store.write(key, sealed, { ifGeneration });
      // Nothing may be there that opens.
      const { there, text: readable } = await opened(key);
      if (readable !== undefined) return false;
      return await store.write(key, sealed, { ifGeneration: there?.generation ?? null });
    },
    lock: (key, run, signal) => store.lock(key, run, signal),
    keys: (kind) => store.keys(kind),
    ...(store.watch && { watch: (key, changed) => store.watch?.(key, changed) ?? (() => {}) }),
    ...(store.keyPair && { keyPair: (key, make) => store.keyPair?.(key, make) ?? make() }),
  };
}

interface Opened {
  readonly there: StoredCredential | undefined;
  readonly text: string | undefined;
}
