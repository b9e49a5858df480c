import type { WebKeyPair } from '../sealing/web-crypto.ts';
import { credentialKeyText, type CredentialKey, type CredentialStore, type StoredCredential } from './credentials.ts';

/** Options of a store of credentials in a browser. */
export interface BrowserCredentialStoreOptions {
  /**
   * The name of the database; `parley-credentials` by default. Use different names for programs of one origin that must
   * not share grants.
   */
  readonly name?: string;
}

/** The object stores of the database. */
const texts = 'texts';
const keyPairs = 'key-pairs';

interface Entry extends StoredCredential {
  readonly key: CredentialKey;
}

/**
 * Makes a store of credentials that all pages and workers of one origin share: texts in IndexedDB, locks by Web Locks,
 * and notifications by a BroadcastChannel. Keys for DPoP are stored as CryptoKeys, and cannot be extracted. Every
 * script of the origin can read the texts.
 *
 * @throws TypeError if the browser lacks one of these: the page is served neither by `https:` nor from this machine.
 */
export function browserCredentialStore({
  name = 'parley-credentials',
}: BrowserCredentialStoreOptions = {}): CredentialStore {
  if (globalThis.indexedDB === undefined || globalThis.navigator?.locks === undefined)
    throw new TypeError(
      'a store of credentials in a browser needs IndexedDB and Web Locks, which pages have that come by https: or from this machine',
    );
  const { locks } = globalThis.navigator;
  const never = new AbortController().signal;
  let opened: Promise<IDBDatabase> | undefined;
  // What could not be opened may be later.
  const database = (): Promise<IDBDatabase> => (opened ??= openDatabase(name, () => (opened = undefined)));
  const news = new News(name);
  return {
    async read(key) {
      const found: unknown = await result(
        (await database()).transaction(texts).objectStore(texts).get(credentialKeyText(key)),
      );
      return found === undefined ? undefined : kept(entryOf(found));
    },
    async write(key, text, { ifGeneration } = {}) {
      const id = credentialKeyText(key);
      const transaction = (await database()).transaction(texts, 'readwrite', { durability: 'strict' });
      const store = transaction.objectStore(texts);
      const there: unknown = await result(store.get(id));
      const generation = there === undefined ? null : entryOf(there).generation;
      if (ifGeneration !== undefined && generation !== ifGeneration) return false;
      if (text === undefined) store.delete(id);
      else store.put({ key: { ...key }, text, generation: crypto.randomUUID() } satisfies Entry, id);
      await committed(transaction);
      news.tell(id);
      return true;
    },
    lock: (key, run, signal) =>
      locks.request(`${name} ${credentialKeyText(key)}`, signal === undefined ? {} : { signal }, () => run(never)),
    async keys(kind) {
      const all: unknown[] = await result((await database()).transaction(texts).objectStore(texts).getAll());
      return all.map((found) => entryOf(found).key).filter((key) => key.kind === kind);
    },
    watch: (key, changed) => news.watch(credentialKeyText(key), changed),
    keyPair: async (key, make) => await keptKeyPair(await database(), credentialKeyText(key), make),
  };
}

/** The key pair with a name. The first caller makes it. */
async function keptKeyPair(database: IDBDatabase, id: string, make: () => Promise<WebKeyPair>): Promise<WebKeyPair> {
  const found = async (): Promise<WebKeyPair | undefined> => {
    const there: unknown = await result(database.transaction(keyPairs).objectStore(keyPairs).get(id));
    // Only this function writes there.
    return there as WebKeyPair | undefined;
  };
  const there = await found();
  if (there !== undefined) return there;
  const made = await make();
  const transaction = database.transaction(keyPairs, 'readwrite', { durability: 'strict' });
  transaction.objectStore(keyPairs).add(made, id);
  try {
    await committed(transaction);
    return made;
  } catch (error) {
    // Another page was first.
    const theirs = await found();
    if (theirs === undefined) throw error;
    return theirs;
  }
}

function kept({ text, generation }: Entry): StoredCredential {
  return { text, generation };
}

/** Only a store like this writes into its database. */
function entryOf(found: unknown): Entry {
  return found as Entry;
}

function openDatabase(name: string, gone: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(texts);
      request.result.createObjectStore(keyPairs);
    };
    request.onsuccess = () => {
      const database = request.result;
      database.onclose = gone;
      // A page that deletes the database, or opens a later version, is not blocked.
      database.onversionchange = () => {
        database.close();
        gone();
      };
      resolve(database);
    };
    request.onerror = () => {
      gone();
      reject(request.error ?? new Error('the database of credentials cannot be opened'));
    };
  });
}

function result<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the database of credentials cannot be read'));
  });
}

function committed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (): void => reject(transaction.error ?? new Error('the database of credentials cannot be written'));
    transaction.oncomplete = () => resolve();
    transaction.onabort = failed;
    transaction.onerror = failed;
  });
}

/** Notifications of writes, here and in other pages. It listens only while there is a watcher. */
class News {
  readonly #name: string;
  readonly #watchers = new Map<string, Set<() => void>>();
  #channel: BroadcastChannel | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  tell(id: string): void {
    this.#hear(id);
    if (this.#channel !== undefined) this.#channel.postMessage(id);
    else {
      const channel = new BroadcastChannel(this.#name);
      channel.postMessage(id);
      channel.close();
    }
  }

  watch(id: string, changed: () => void): () => void {
    const watching = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watching.add(changed));
    if (this.#channel === undefined) {
      this.#channel = new BroadcastChannel(this.#name);
      this.#channel.onmessage = ({ data }: MessageEvent<unknown>) => this.#hear(data);
    }
    return () => {
      watching.delete(changed);
      if (watching.size === 0 && this.#watchers.get(id) === watching) this.#watchers.delete(id);
      if (this.#watchers.size > 0) return;
      this.#channel?.close();
      this.#channel = undefined;
    };
  }

  #hear(id: unknown): void {
    if (typeof id === 'string') for (const changed of this.#watchers.get(id) ?? []) changed();
  }
}
