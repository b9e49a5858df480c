import type { WebKeyPair } from '../sealing/web-crypto.ts';
/** Key under which a credential is kept; a field that is left out is not part of it. */
export interface CredentialKey {
  /**
   * Kind of what is kept: a `grant` (tokens), a `client` (a registration at an authorization server), a `login` (one that is under way), a
   * `dpop-key`, a `server` (which grant is the one for an MCP server), a `consent` (what a person agreed to on a page of ours), or `facts`
   * (what a server told of itself).
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
  /** One of several persons, where one process serves many. */
  readonly principal?: string | undefined;
}

/** A text that is kept, and the number of times that it was written. */
export interface KeptCredential {
  readonly text: string;
  /** Changes with every write; the same text written again has another. */
  readonly generation: string;
}

/** Options of one write. */
export interface CredentialWrite {
  /** The generation that must still be there; `null` when nothing may be there. Left out, whatever is there is replaced. */
  readonly ifGeneration?: string | null | undefined;
}

/**
 * Keeps credentials, for one process or for several. Each method may be called at any time by anybody who shares the store.
 *
 * A store keeps texts as they are; it shows none in an error. What it is given it keeps until it is told otherwise, or says by a
 * rejection that it did not.
 */
export interface CredentialStore {
  /** Reads what is kept under a key; `undefined` when nothing is. */
  read(key: CredentialKey): Promise<KeptCredential | undefined>;
  /**
   * Keeps a text under a key, or deletes what is there (`undefined`); comparing and writing are one step.
   *
   * @returns False when another generation than `ifGeneration` is there, so that somebody was first; nothing is changed then.
   */
  write(key: CredentialKey, text: string | undefined, options?: CredentialWrite): Promise<boolean>;
  /**
   * Runs something while nobody else who shares the store runs something under the same key. A holder that died, or stood still for
   * too long, loses the lock, so what runs compares generations when it writes.
   *
   * @param run Is told by its signal that it has lost the lock; never for a store of one process.
   * @param signal Gives up waiting for the lock, by a rejection with its reason; what runs is not stopped by it.
   */
  lock<Result>(key: CredentialKey, run: (lost: AbortSignal) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /** The keys of one kind under which something is kept. */
  keys(kind: CredentialKey['kind']): Promise<readonly CredentialKey[]>;
  /**
   * Hears that something was written under a key by anybody who shares the store, where the store can tell; who waits looks from time
   * to time all the same.
   *
   * @returns Ends it; ending it twice is fine.
   */
  watch?(key: CredentialKey, changed: () => void): () => void;
  /**
   * The pair of keys under a key of the kind `dpop-key`, made at the first time, for a store that can keep keys which cannot be
   * extracted. Without it they are kept as text.
   */
  keyPair?(key: CredentialKey, make: () => Promise<WebKeyPair>): Promise<WebKeyPair>;
}

/** The one text of a key: equal keys have the same, others another. */
export function credentialKeyText({ kind, issuer, resource, client, account, principal }: CredentialKey): string {
  return JSON.stringify([kind, issuer, resource ?? null, client ?? null, account ?? null, principal ?? null]);
}
