/** A user is asked once: of all processes that share a store, one opens a page, and the others wait for the outcome. */

import { AuthorizationError } from '../../common/errors.ts';
import { after, monotonicNow } from '../../../jsonrpc/timeout.ts';
import type { CredentialKey, CredentialStore } from '../../../storage/credentials.ts';
import { unguessableText } from '../../common/base64url.ts';
import { pauseFor } from '../site.ts';

const heartbeatMs = 2_000;
/** Time after which a sign of life is written again that the store did not take. */
const againMs = 500;
/** Time after which a silent holder counts as dead. */
const deadAfterMs = 7_000;
/** Interval at which a waiting process checks. */
const lookMs = 500;

/** Time after a sign of life for which no other process may ask, however late it was written; in milliseconds. */
const sureMs = 5_000;

/** A place where one user is asked. */
interface Asking {
  readonly store: CredentialStore;
  readonly key: CredentialKey;
  readonly signal: AbortSignal;
  /** Called when another process begins to ask the user, and when this wait ends. */
  waiting(person: boolean): void;
}

/** The right to ask alone. */
export interface OnlyOne {
  /** Ends when another one asks by now: this process stood still. */
  readonly lost: AbortSignal;
  /**
   * @throws The error after which `asOnlyOne` starts again, unless this process still holds the lease and the result is
   * not there yet.
   */
  require(): Promise<void>;
}

/**
 * Asks while no other process does. A process that stood still and lost the lease waits like the others.
 *
 * @param done Tells whether the awaited result is there now, so that asking is not needed.
 * @param ask Runs while the lease is held.
 * @returns False if another process got the result.
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
      // A process that stood still may run again, and may have got it.
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
): Promise<LoginLease | undefined> {
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
        if (mine?.text === text) return new LoginLease(store, key, { generation: mine.generation, since: asked });
      }
      waiting(true);
      await pauseFor(lookMs, signal);
      if (await done()) return undefined;
    }
  } finally {
    waiting(false);
  }
}

/** A held lease, with a regular sign of life. */
class LoginLease {
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

  /** True while no other process can have it. */
  get isSure(): boolean {
    return this.#generation !== undefined && monotonicNow() - this.#since <= sureMs;
  }

  /** Releases the lease. If another process took it, that one keeps it. */
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
        // A lease whose sign of life cannot be written counts as lost, and another process takes it.
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
