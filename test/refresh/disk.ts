/** A store of credentials that simulated processes share: every operation takes its time, and happens at one moment of it. */

import { underLease } from '../../packages/parley/src/transports/node/credentials/lease.ts';
import type { Version, Versions } from '../../packages/parley/src/transports/node/credentials/versions.ts';
import {
  credentialKeyText,
  type CredentialKey,
  type CredentialStore,
} from '../../packages/parley/src/storage/credentials.ts';
import { Turns } from '../../packages/parley/src/storage/turns.ts';
import type { Process, World } from '../simulation/world.ts';

interface Entry {
  readonly key: CredentialKey;
  readonly text: string | undefined;
  readonly generation: string;
}

/** Hears what changes; checks what must hold then. */
export interface DiskWatcher {
  changed(process: Process, key: CredentialKey, before: string | undefined, after: string | undefined): void;
  /** Something was not written, or its writer is told so. */
  refused?(process: Process, key: CredentialKey): void;
}

/** What becomes of a write: it is refused at times, or done and said to be refused. */
export type WriteFate = 'done' | 'refused' | 'said to be refused';

interface Waiting {
  readonly process: Process;
  enter(): void;
}

/** How good a store is. */
export interface DiskOptions {
  /** Leases in files, the locks of a browser, which a page that dies lets go of, or nothing. */
  readonly locks: 'files' | 'browser' | 'none';
  /** Whether a write heeds the generation that it expects. */
  readonly compares: boolean;
}

/** The error of a write that is refused. */
export class DiskFull extends Error {
  override readonly name = 'DiskFull';
}

/** What is kept, for all processes. */
export class Disk {
  readonly world: World;
  readonly options: DiskOptions;
  readonly watcher: DiskWatcher;
  /** What becomes of the writes of a process: of keys of a kind, or of locks. */
  fate: (process: Process, kind: CredentialKey['kind'] | 'lock') => WriteFate = () => 'done';
  readonly #entries = new Map<string, Entry>();
  readonly #holders = new Map<string, Process>();
  readonly #queues = new Map<string, Waiting[]>();
  #writes = 0;

  constructor(world: World, options: DiskOptions, watcher: DiskWatcher) {
    this.world = world;
    this.options = options;
    this.watcher = watcher;
  }

  read(name: string): Entry | undefined {
    return this.#entries.get(name);
  }

  write(name: string, entry: Omit<Entry, 'generation'>, ifGeneration: string | null | undefined): string | undefined {
    const there = this.#entries.get(name);
    const generation = there?.text === undefined ? null : there.generation;
    if (this.options.compares && ifGeneration !== undefined && generation !== ifGeneration) return undefined;
    const next = `${++this.#writes}`;
    this.#entries.set(name, { ...entry, generation: next });
    return next;
  }

  /** Something that takes its time: it happens at one moment, and is heard of at a later one, by whoever lives then. */
  operation<Result>(process: Process, apply: () => Result): Promise<Result> {
    const { world } = this;
    world.delicate(process);
    return new Promise((resolve, reject) => {
      world.later(this.#delay(), undefined, () => {
        // Who died had begun it, or had not.
        if (!process.alive && world.random.chance(0.5)) return;
        let told: () => void;
        try {
          const result = apply();
          told = () => resolve(result);
        } catch (error) {
          // The disk is full: nothing else is thrown there.
          told = () => reject(error as DiskFull);
        }
        world.later(this.#delay(), process, told);
      });
    });
  }

  /** A write, and what becomes of it. */
  writing<Result>(
    process: Process,
    key: CredentialKey,
    kind: CredentialKey['kind'] | 'lock',
    apply: () => Result,
  ): Promise<Result> {
    return this.operation(process, () => {
      const fate = this.fate(process, kind);
      if (fate === 'done') return apply();
      if (fate === 'said to be refused') apply();
      if (kind !== 'lock') this.watcher.refused?.(process, key);
      throw new DiskFull('no space left on the device');
    });
  }

  /** Locks as a browser has them. */
  async locked<Result>(
    process: Process,
    name: string,
    run: () => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        process,
        enter: () => void this.world.later(this.#delay(), process, resolve),
      };
      const queue = this.#queues.get(name) ?? [];
      this.#queues.set(name, queue);
      queue.push(waiting);
      signal?.addEventListener('abort', () => {
        const at = queue.indexOf(waiting);
        if (at >= 0) queue.splice(at, 1);
        // The reason is what the owner of the signal gave.
        if (at >= 0) reject(signal.reason as Error);
      });
      this.#next(name);
    });
    try {
      return await run();
    } finally {
      this.world.later(this.#delay(), undefined, () => {
        this.#holders.delete(name);
        this.#next(name);
      });
    }
  }

  /** What a page that is gone held, others may have. */
  died(process: Process): void {
    for (const [name, holder] of this.#holders)
      if (holder === process) {
        this.#holders.delete(name);
        this.#next(name);
      }
  }

  #next(name: string): void {
    const queue = this.#queues.get(name) ?? [];
    if (this.#holders.has(name)) return;
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      if (next.process.alive) {
        this.#holders.set(name, next.process);
        next.enter();
        return;
      }
  }

  #delay(): number {
    const { random } = this.world;
    const kind = random.next();
    if (kind < 0.9) return random.whole(0, 4);
    return kind < 0.99 ? random.whole(0, 120) : random.whole(0, 1_200);
  }
}

/** The store as one process has it. */
export function storeOf(disk: Disk, process: Process): CredentialStore {
  const turns = new Turns();
  return {
    async read(key) {
      const entry = await disk.operation(process, () => disk.read(credentialKeyText(key)));
      return entry?.text === undefined ? undefined : { text: entry.text, generation: entry.generation };
    },
    write: (key, text, { ifGeneration } = {}) =>
      disk.writing(process, key, key.kind, () => {
        const name = credentialKeyText(key);
        const before = disk.read(name)?.text;
        const written = disk.write(name, { key, text }, ifGeneration) !== undefined;
        if (written) disk.watcher.changed(process, key, before, text);
        return written;
      }),
    lock(key, run, signal) {
      const name = `lock ${credentialKeyText(key)}`;
      const never = new AbortController().signal;
      if (disk.options.locks === 'none') return run(never);
      if (disk.options.locks === 'browser') return disk.locked(process, name, () => run(never), signal);
      return turns.run(name, () => underLease(versionsOf(disk, process, name, key), run, signal), signal);
    },
    keys: async () => [],
  };
}

/** The versions of a lease, as `underLease` wants them. */
function versionsOf(disk: Disk, process: Process, name: string, key: CredentialKey): Versions {
  const newest = (): Promise<Version | undefined> => disk.operation(process, () => disk.read(name));
  const write = (text: string | undefined, ifGeneration?: string | null): Promise<string | undefined> =>
    disk.writing(process, key, 'lock', () => disk.write(name, { key, text }, ifGeneration));
  // A class with a private field is no shape that others could have; these two are all that is used.
  return { newest, write } as unknown as Versions;
}
