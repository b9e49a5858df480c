/** One person is asked once: of all who share a store, one opens a page, and the others wait for what comes of it. */

import { after, monotonicNow } from '../../jsonrpc/timeout.ts';
import type { CredentialKey, CredentialStore } from '../../store/credentials.ts';
import { unguessableText } from '../base64url.ts';
import { pauseFor } from '../site.ts';

const heartbeatMs = 2_000;
/** A holder that was silent for so long is gone. */
const deadAfterMs = 7_000;
/** Time between two looks of who waits. */
const lookMs = 500;

/**
 * Asks as the only one who does.
 *
 * @param done Whether what the others wait for is there now, so that nobody needs to be asked.
 * @param ask Runs while the lease is held.
 * @returns False when somebody else got what was wanted.
 */
export async function asOnlyOne(
  {
    store,
    key,
    signal,
  }: { readonly store: CredentialStore; readonly key: CredentialKey; readonly signal: AbortSignal },
  done: () => Promise<boolean>,
  ask: () => Promise<void>,
): Promise<boolean> {
  const held = await acquire({ store, key, signal }, done);
  if (held === undefined) return false;
  const lease = new Lease(store, key, held);
  try {
    // The one before may have got it just before it let go.
    if (await done()) return false;
    await ask();
    return true;
  } finally {
    await lease.end();
  }
}

/** The generation of the lease that was got; `undefined` where nothing is left to be done. */
async function acquire(
  {
    store,
    key,
    signal,
  }: { readonly store: CredentialStore; readonly key: CredentialKey; readonly signal: AbortSignal },
  done: () => Promise<boolean>,
): Promise<string | undefined> {
  const text = unguessableText();
  let seen: { readonly generation: string; readonly at: number } | undefined;
  for (;;) {
    const there = await store.read(key);
    if (there?.generation !== seen?.generation) seen = there && { generation: there.generation, at: monotonicNow() };
    const isFree = seen === undefined || monotonicNow() - seen.at >= deadAfterMs;
    if (isFree && (await store.write(key, text, { ifGeneration: there?.generation ?? null }))) {
      const mine = await store.read(key);
      if (mine?.text === text) return mine.generation;
    }
    await pauseFor(lookMs, signal);
    if (await done()) return undefined;
  }
}

/** A lease that is held, and says so from time to time. */
class Lease {
  readonly #store: CredentialStore;
  readonly #key: CredentialKey;
  readonly #text = unguessableText();
  #generation: string | undefined;
  #stop: () => void;
  #beating: Promise<void> = Promise.resolve();
  #ended = false;

  constructor(store: CredentialStore, key: CredentialKey, generation: string) {
    this.#store = store;
    this.#key = key;
    this.#generation = generation;
    this.#stop = after(heartbeatMs, () => this.#beat());
  }

  /** Lets go of it; what somebody else took over stays theirs. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#stop();
    await this.#beating;
    if (this.#generation !== undefined)
      await this.#store.write(this.#key, undefined, { ifGeneration: this.#generation }).catch(() => false);
  }

  #beat(): void {
    this.#beating = this.#renew()
      .catch(() => undefined)
      .finally(() => {
        if (!this.#ended && this.#generation !== undefined) this.#stop = after(heartbeatMs, () => this.#beat());
      });
  }

  async #renew(): Promise<void> {
    const ifGeneration = this.#generation;
    if (ifGeneration === undefined) return;
    const isMine = await this.#store.write(this.#key, this.#text, { ifGeneration });
    const there = isMine ? await this.#store.read(this.#key) : undefined;
    this.#generation = there?.text === this.#text ? there.generation : undefined;
  }
}
