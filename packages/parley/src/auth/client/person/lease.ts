/** One person is asked once: of all who share a store, one opens a page, and the others wait for what comes of it. */

import { AuthorizationError } from '../../common/errors.ts';
import { after, monotonicNow } from '../../../jsonrpc/timeout.ts';
import type { CredentialKey, CredentialStore } from '../../../storage/credentials.ts';
import { unguessableText } from '../../common/base64url.ts';
import { pauseFor } from '../site.ts';

const heartbeatMs = 2_000;
/** Time after which a sign of life is written again that the store did not take. */
const againMs = 500;
/** A holder that was silent for so long is gone. */
const deadAfterMs = 7_000;
/** Time between two looks of who waits. */
const lookMs = 500;

/** Nobody else may ask for so long after the last sign of life, however late it was written; in milliseconds. */
const sureMs = 5_000;

/** A place where one person is asked. */
interface Asking {
  readonly store: CredentialStore;
  readonly key: CredentialKey;
  readonly signal: AbortSignal;
  /** Is told that somebody else asks the person, and that this is waited for no longer. */
  waiting(person: boolean): void;
}

/** That one asks, and nobody else. */
export interface OnlyOne {
  /** Ends when another one asks by now: this process stood still. */
  readonly lost: AbortSignal;
  /** @throws what `asOnlyOne` begins anew after, unless it is sure that nobody else asks, or got what is wanted. */
  require(): Promise<void>;
}

/**
 * Asks as the only one who does. Who stood still for so long that another one took over waits like the others.
 *
 * @param done Whether what the others wait for is there now, so that nobody needs to be asked.
 * @param ask Runs while the lease is held.
 * @returns False when somebody else got what was wanted.
 */
export async function asOnlyOne(
  asking: Asking,
  done: () => Promise<boolean>,
  ask: (only: OnlyOne) => Promise<void>,
): Promise<boolean> {
  for (;;) {
    const lease = await acquire(asking, done);
    if (lease === undefined) return false;
    const require = async (): Promise<void> => {
      // One that stood still may be here again, and may have got it.
      const isDone = await done();
      if (isDone || !lease.isSure) throw lease.overtaken;
    };
    try {
      // The one before may have got it just before it let go.
      if (await done()) return false;
      await ask({ lost: lease.lost, require });
      return true;
    } catch (error) {
      if (error !== lease.overtaken) throw error;
    } finally {
      await lease.end();
    }
  }
}

/** The lease; `undefined` where nothing is left to be done. */
async function acquire(
  { store, key, signal, waiting }: Asking,
  done: () => Promise<boolean>,
): Promise<Lease | undefined> {
  const text = unguessableText();
  let seen: { readonly generation: string; readonly at: number } | undefined;
  try {
    for (;;) {
      signal.throwIfAborted();
      const asked = monotonicNow();
      const there = await store.read(key);
      if (there?.generation !== seen?.generation) seen = there && { generation: there.generation, at: monotonicNow() };
      const isFree = seen === undefined || monotonicNow() - seen.at >= deadAfterMs;
      if (isFree && (await store.write(key, text, { ifGeneration: there?.generation ?? null }))) {
        const mine = await store.read(key);
        if (mine?.text === text) return new Lease(store, key, { generation: mine.generation, since: asked });
      }
      waiting(true);
      await pauseFor(lookMs, signal);
      if (await done()) return undefined;
    }
  } finally {
    waiting(false);
  }
}

/** A lease that is held, and says so from time to time. */
class Lease {
  /** The error of who finds out that it was lost. */
  readonly overtaken: AuthorizationError = new AuthorizationError('timeout', 'another process asks the person by now');
  readonly #lost = new AbortController();
  readonly #store: CredentialStore;
  readonly #key: CredentialKey;
  readonly #text = unguessableText();
  #generation: string | undefined;
  /** The time at which the last sign of life was begun to be written. */
  #since: number;
  #stop: () => void;
  #beating: Promise<void> = Promise.resolve();
  #ended = false;

  constructor(
    store: CredentialStore,
    key: CredentialKey,
    { generation, since }: { readonly generation: string; readonly since: number },
  ) {
    this.#store = store;
    this.#key = key;
    this.#generation = generation;
    this.#since = since;
    this.#stop = after(heartbeatMs, () => this.#beat());
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** True while nobody else can have it. */
  get isSure(): boolean {
    return this.#generation !== undefined && monotonicNow() - this.#since <= sureMs;
  }

  /** Lets go of it; what somebody else took over stays theirs. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#stop();
    await this.#beating;
    if (this.#generation !== undefined)
      await this.#store.write(this.#key, undefined, { ifGeneration: this.#generation }).catch(() => undefined);
  }

  #beat(): void {
    let nextMs = heartbeatMs;
    this.#beating = this.#renew()
      .catch(() => (nextMs = againMs))
      .then(() => {
        // Of one that cannot say that it lives nobody knows, and another one takes over.
        const isOver = this.#generation === undefined || (nextMs === againMs && !this.isSure);
        if (isOver) this.#lost.abort(this.overtaken);
        else if (!this.#ended) this.#stop = after(nextMs, () => this.#beat());
      });
  }

  async #renew(): Promise<void> {
    const ifGeneration = this.#generation;
    if (ifGeneration === undefined) return;
    const since = monotonicNow();
    const isMine = await this.#store.write(this.#key, this.#text, { ifGeneration });
    const there = isMine ? await this.#store.read(this.#key) : undefined;
    this.#generation = there?.text === this.#text ? there.generation : undefined;
    this.#since = since;
  }
}
