import {
  credentialKeyText,
  type CredentialKey,
  type CredentialStore,
  type CredentialWrite,
  type StoredCredential,
} from './credentials.ts';
import { Turns } from './turns.ts';

/** The most credentials of one store in memory. A program that reaches it never deletes any. */
const maxCredentials = 100_000;

interface Entry extends StoredCredential {
  readonly key: CredentialKey;
}

/**
 * Makes a store of credentials in the memory of this process. They are lost when it ends, and no other process sees
 * them. It holds up to 100,000. Beyond that, a write of a new key rejects, since no stored credential may be dropped.
 */
export function memoryCredentialStore(): CredentialStore {
  const kept = new Map<string, Entry>();
  const watchers = new Map<string, Set<() => void>>();
  const turns = new Turns();
  const never = new AbortController().signal;
  let writes = 0;
  return {
    read: async (key) => kept.get(credentialKeyText(key)),
    async write(key, text, { ifGeneration }: CredentialWrite = {}) {
      const name = credentialKeyText(key);
      if (ifGeneration !== undefined && (kept.get(name)?.generation ?? null) !== ifGeneration) return false;
      if (text === undefined) kept.delete(name);
      else if (kept.size >= maxCredentials && !kept.has(name))
        throw new Error(`a store of credentials in memory holds no more than ${maxCredentials}`);
      else kept.set(name, { key: { ...key }, text, generation: String(++writes) });
      for (const changed of watchers.get(name) ?? []) changed();
      return true;
    },
    lock: (key, run, signal) => turns.run(credentialKeyText(key), () => run(never), signal),
    keys: async (kind) => [...kept.values()].flatMap(({ key }) => (key.kind === kind ? [key] : [])),
    watch(key, changed) {
      const name = credentialKeyText(key);
      const watching = watchers.get(name) ?? new Set();
      watchers.set(name, watching.add(changed));
      return () => {
        watching.delete(changed);
        if (watching.size === 0 && watchers.get(name) === watching) watchers.delete(name);
      };
    },
  };
}
