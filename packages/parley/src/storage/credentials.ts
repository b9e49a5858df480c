import type { WebKeyPair } from '../sealing/web-crypto.ts';
/** Key of a stored credential. A missing field is not part of it. */
export interface CredentialKey {
  /**
   * Kind of entry: a `grant` (tokens), a `client` (a registration at an authorization server), a `login` (a login in
   * progress), a `dpop-key`, a `server` (the grant that an MCP server uses), a `consent` (a user's consent on one of
   * our pages), or `facts` (a server's description of itself).
   */
  readonly kind: 'grant' | 'client' | 'login' | 'dpop-key' | 'server' | 'consent' | 'facts';
  /** The issuer of the authorization server; of a login that is under way its `state`, of a `server` and of `facts` its URL. */
  readonly issuer: string;
  /** The protected resource. */
  readonly resource?: string | undefined;
  /** The client id. */
  readonly client?: string | undefined;
  /** One of several accounts of a person. */
  readonly account?: string | undefined;
  /** One of several users, if one process serves many. */
  readonly principal?: string | undefined;
}

/** A stored text, and its version. */
export interface StoredCredential {
  /** The stored text. */
  readonly text: string;
  /** Changes with every write, even of the same text. */
  readonly generation: string;
}

/** Options of one write. */
export interface CredentialWrite {
  /** The generation that must still be there; `null` when nothing may be there. Left out, whatever is there is replaced. */
  readonly ifGeneration?: string | null | undefined;
}

/**
 * Stores credentials, for one process or for several. Every process that shares the store may call each method at any
 * time.
 *
 * A store does not change texts, and shows none in an error. It keeps a text until it is replaced or deleted. If it did
 * not store one, it rejects.
 */
export interface CredentialStore {
  /** Reads the entry of a key; `undefined` if there is none. */
  read(key: CredentialKey): Promise<StoredCredential | undefined>;
  /**
   * Stores a text under a key, or deletes the entry (`undefined`). Comparing and writing are one step.
   *
   * @returns False if the generation is not `ifGeneration`, because another writer was first. Then nothing changes.
   */
  write(key: CredentialKey, text: string | undefined, options?: CredentialWrite): Promise<boolean>;
  /**
   * Runs work while no other process that shares the store runs work under the same key. A holder that died, or stood
   * still for too long, loses the lock. So the work must compare generations when it writes.
   *
   * @param run Its signal aborts if the lock was lost; never for a store of one process.
   * @param signal Aborts the wait for the lock, by a rejection with its reason. It does not stop running work.
   */
  lock<Result>(key: CredentialKey, run: (lost: AbortSignal) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /** The keys of all entries of one kind. */
  keys(kind: CredentialKey['kind']): Promise<readonly CredentialKey[]>;
  /**
   * Calls a listener when any process wrote an entry, if the store supports that. Waiting code polls from time to time
   * all the same.
   *
   * @returns Ends it; ending it twice is fine.
   */
  watch?(key: CredentialKey, changed: () => void): () => void;
  /**
   * The key pair of a key of the kind `dpop-key`, made on first use, for a store that supports non-extractable keys.
   * Without this method they are stored as text.
   */
  keyPair?(key: CredentialKey, make: () => Promise<WebKeyPair>): Promise<WebKeyPair>;
}

/** The unique text of a key: equal keys have the same text, different ones a different text. */
export function credentialKeyText({ kind, issuer, resource, client, account, principal }: CredentialKey): string {
  return JSON.stringify([kind, issuer, resource ?? null, client ?? null, account ?? null, principal ?? null]);
}
