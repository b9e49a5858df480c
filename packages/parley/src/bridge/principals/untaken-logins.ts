import type { CredentialKey, CredentialStore } from '../../storage/credentials.ts';

/**
 * A store for logins that no user will continue: they only show what a user would be asked. None is stored or looked
 * up.
 */
export function withoutBegunLogins(store: CredentialStore): CredentialStore {
  return {
    ...store,
    keys: async (kind) => (kind === 'login' ? [] : await store.keys(kind)),
    write: async (key, text, options) => isBegun(key) || (await store.write(key, text, options)),
  };
}

/** A login is stored by its state, and the lease for signing a user in by the issuer. */
function isBegun({ kind, issuer }: CredentialKey): boolean {
  return kind === 'login' && !URL.canParse(issuer);
}
