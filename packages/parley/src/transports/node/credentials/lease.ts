import { randomBytes } from 'node:crypto';
import { after, monotonicNow } from '../../../jsonrpc/timeout.ts';
import type { Versions } from './versions.ts';

/** Time for which a holder may be silent before it loses its lease, in milliseconds. */
const leaseTtlMs = 10_000;
/** Time between two signs of life of a holder, in milliseconds. */
const beatMs = 2_000;
/** Pause between two checks of a waiting process: the first and the longest, in milliseconds. */
const lookMs: { readonly first: number; readonly most: number } = { first: 10, most: 250 };

/** Times of a lease. Tests use shorter ones. */
export interface LeaseTimes {
  readonly leaseTtlMs: number;
  readonly beatMs: number;
}

/**
 * Runs work while this process alone holds the lease, which the versions represent. A holder writes a version from time
 * to time. If it writes none for the length of a lease, by the waiting process's clock, another process takes the
 * lease.
 *
 * @param run Its signal aborts if the lease was lost all the same: the process stood still.
 * @param signal Aborts the wait, by a rejection with its reason.
 */
export async function underLease<Result>(
  versions: Versions,
  run: (lost: AbortSignal) => Promise<Result>,
  signal?: AbortSignal,
  times: LeaseTimes = { leaseTtlMs, beatMs },
): Promise<Result> {
  const lease = new FileLease(versions);
  await lease.take(times.leaseTtlMs, signal);
  const beating = lease.beat(times.beatMs);
  try {
    return await run(lease.lost);
  } finally {
    beating.stop();
    await beating.ended;
    await lease.release();
  }
}

class FileLease {
  readonly #versions: Versions;
  readonly #holder = randomBytes(9).toString('base64url');
  readonly #lost = new AbortController();
  #beats = 0;
  /** The generation that we wrote last. */
  #generation: string | undefined;

  constructor(versions: Versions) {
    this.#versions = versions;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async take(limitMs: number, signal: AbortSignal | undefined): Promise<void> {
    let seen: string | undefined;
    let since = monotonicNow();
    for (let pause = lookMs.first; ; pause = Math.min(lookMs.most, pause * 2)) {
      signal?.throwIfAborted();
      const there = await this.#versions.newest();
      const generation = there?.text === undefined ? null : there.generation;
      if (generation !== null && generation !== seen) {
        seen = generation;
        since = monotonicNow();
      }
      const free = generation === null || monotonicNow() - since >= limitMs;
      if (free && (await this.#got(generation, limitMs))) return;
      // Random, so that waiting processes do not check at the same time.
      await resting(pause * (0.5 + Math.random()), signal);
    }
  }

  /** Takes the lease if it is free. If this process just stood still, it starts again: its lease may be over. */
  async #got(over: string | null, limitMs: number): Promise<boolean> {
    for (let last = over; ; last = this.#generation ?? null) {
      const began = monotonicNow();
      if (!(await this.#write(last))) return false;
      if (monotonicNow() - began < limitMs / 4) return true;
    }
  }

  beat(everyMs: number): { stop(): void; readonly ended: Promise<void> } {
    let stopped = false;
    let stop = (): void => {};
    const beats = async (): Promise<void> => {
      while (!stopped) {
        await new Promise<void>((resolve) => {
          const cancel = after(everyMs, resolve);
          stop = () => {
            cancel();
            resolve();
          };
        });
        if (!stopped && !(await this.#again())) break;
      }
    };
    const ended = beats();
    return {
      ended,
      stop: () => {
        stopped = true;
        stop();
      },
    };
  }

  async release(): Promise<void> {
    // If it cannot be deleted, it expires.
    if (!this.#lost.signal.aborted) await this.#versions.write(undefined, this.#generation).catch(() => {});
  }

  async #again(): Promise<boolean> {
    try {
      if (await this.#write(this.#generation ?? null)) return true;
    } catch {
      // If it cannot be renewed, it expires.
    }
    this.#lost.abort(new Error('this process stood still for so long that another one took over'));
    return false;
  }

  async #write(over: string | null): Promise<boolean> {
    const text = `${this.#holder} ${++this.#beats}`;
    const generation = await this.#versions.write(text, over);
    this.#generation = generation ?? this.#generation;
    return generation !== undefined;
  }
}

async function resting(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let abort = (): void => {};
  await new Promise<void>((resolve) => {
    const cancel = after(ms, resolve, true);
    abort = () => {
      cancel();
      resolve();
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
  signal?.removeEventListener('abort', abort);
}
