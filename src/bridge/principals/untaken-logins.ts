import type { CredentialKey, CredentialStore } from '../../storage/credentials.ts';

/**
 * A store in which logins are begun that nobody goes on with: they only show what a person would be asked. None is kept, and none is
 * looked for.
 */
export function withoutBegunLogins(store: CredentialStore): CredentialStore {
  return {
    ...store,
    keys: async (kind) => (kind === 'login' ? [] : await store.keys(kind)),
    write: async (key, text, options) => isBegun(key) || (await store.write(key, text, options)),
  };
}

/** A login is kept by its state, and the lease of whoever signs a person in by the issuer. */
function isBegun({ kind, issuer }: CredentialKey): boolean {
  return kind === 'login' && !URL.canParse(issuer);
}
