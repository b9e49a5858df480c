import type { CredentialKey, CredentialStore } from './credentials.ts';

/** The kinds of what belongs to one person; registrations of a client are everybody's. */
const personal: ReadonlySet<CredentialKey['kind']> = new Set([
  'grant',
  'login',
  'dpop-key',
  'server',
  'consent',
  'facts',
]);

/**
 * The part of a store that belongs to one user, if one process serves many. Its grants, logins, keys and consents have
 * the principal in their keys, so that no user reaches another user's entries. Registrations of clients are shared.
 */
export function principalCredentialStore(store: CredentialStore, principal: string): CredentialStore {
  const own = (key: CredentialKey): CredentialKey => (personal.has(key.kind) ? { ...key, principal } : key);
  return {
    read: (key) => store.read(own(key)),
    write: (key, text, options) => store.write(own(key), text, options),
    lock: (key, run, signal) => store.lock(own(key), run, signal),
    async keys(kind) {
      const all = await store.keys(kind);
      return personal.has(kind) ? all.filter((key) => key.principal === principal) : all;
    },
    ...(store.watch && { watch: (key, changed) => store.watch?.(own(key), changed) ?? (() => {}) }),
    ...(store.keyPair && { keyPair: (key, make) => store.keyPair?.(own(key), make) ?? make() }),
  };
}
