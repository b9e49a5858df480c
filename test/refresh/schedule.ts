/** One schedule: some processes that share a store, a person, two authorization servers, and all the trouble that a seed makes. */

import type { RedirectHook } from '../../packages/parley/src/auth/common/redirect.ts';
import { AuthorizationError } from '../../packages/parley/src/auth/common/errors.ts';
import { AuthorizationServer } from './authorization-server.ts';
import { Disk, type WriteFate } from './disk.ts';
import { inWorld } from '../simulation/globals.ts';
import { randomOf } from '../support/random.ts';
import { GuardedServer } from './guarded-server.ts';
import { Judge } from './judge.ts';
import { Network } from './network.ts';
import { runProgram, sleep, type Surroundings } from './program.ts';
import { Process, World } from '../simulation/world.ts';

/** What came of a schedule. */
export interface Outcome {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly counts: Readonly<Judge['counts']>;
  readonly processes: number;
  readonly events: number;
  /** The same for the same course of events. */
  readonly digest: string;
  trace(most: number): string;
}

/** What is taken from the store, to see what comes of that. */
export interface ScheduleOptions {
  readonly locks?: 'none';
  readonly compares?: boolean;
}

/** Runs the schedule of a seed. */
export async function runSchedule(seed: number, options: ScheduleOptions = {}): Promise<Outcome> {
  const world = new World(seed);
  const judge = new Judge(world);
  const schedule = new Schedule(seed, world, { judge, options });
  const processes = await inWorld(world, async () => {
    const living = schedule.begin();
    try {
      await world.run();
    } catch (error) {
      judge.violated(error instanceof Error ? error.message : String(error));
    }
    return living;
  });
  for (const name of schedule.unfinished) judge.violated(`${name} never ends`);
  const { events } = world;
  const { violations, counts } = judge;
  return { seed, violations, counts, processes, events, digest: world.digest(), trace: (most) => world.trace(most) };
}

interface ScheduleParts {
  readonly judge: Judge;
  readonly options: ScheduleOptions;
}

class Schedule {
  readonly unfinished = new Set<string>();
  readonly #seed: number;
  readonly #world: World;
  readonly #judge: Judge;
  readonly #network: Network;
  readonly #disk: Disk;
  readonly #server: GuardedServer;
  readonly #issuers: readonly AuthorizationServer[];
  readonly #living = new Set<Process>();
  readonly #calmAt: number;
  readonly #loginTimeoutMs: number;
  /** How much the wall clock is off. */
  #jumped = 0;
  #made = 0;

  constructor(seed: number, world: World, { judge, options: { locks, compares = true } }: ScheduleParts) {
    this.#seed = seed;
    const { random } = world;
    this.#world = world;
    this.#judge = judge;
    this.#calmAt = random.whole(20_000, 70_000);
    this.#loginTimeoutMs = random.pick([20_000, 60_000]);
    const kind = random.pick(['files', 'files', 'browser'] as const);
    this.#disk = new Disk(world, { locks: locks ?? kind, compares }, judge);
    this.#issuers = ['https://as1.example', 'https://as2.example'].map(
      (origin) => new AuthorizationServer(origin, world),
    );
    this.#server = new GuardedServer(world, this.#issuers[0]!);
    this.#network = new Network(world, [this.#server, ...this.#issuers], judge);
    judge.watch({ server: this.#server, issuers: this.#issuers, disk: this.#disk });
  }

  begin(): number {
    const { random } = this.#world;
    const count = random.chance(0.1)
      ? random.whole(9, 16)
      : random.chance(0.4)
        ? random.whole(4, 8)
        : random.whole(2, 3);
    this.#network.trouble = { token: random.pick([0, 0.05, 0.2, 0.5]), other: random.pick([0, 0, 0.03]) };
    this.#server.moodiness = random.pick([0, 0, 0.01]);
    for (let made = 0; made < count; made++) this.#start(random.whole(0, 3_000), count > 8 ? 4 : random.whole(4, 14));
    const often = (probability: number, most: number, what: () => void): void => {
      if (!random.chance(probability)) return;
      for (let times = random.whole(1, most); times > 0; times--)
        this.#world.later(random.whole(0, this.#calmAt - 1), undefined, what);
    };
    often(0.5, 6, () => {
      if (this.#living.size > 0) this.#doom(random.pick([...this.#living]));
    });
    this.#beset(random.pick([0, 0, 0.002, 0.02]));
    this.#fill();
    often(0.2, 2, () => this.#jump());
    often(0.1, 1, () => this.#server.issuer.revoke(random));
    often(0.08, 1, () => {
      this.#world.note('the server goes over to another authorization server');
      this.#server.issuer = this.#issuers[1]!;
    });
    this.#world.later(this.#calmAt, undefined, () => {
      this.#world.note('all is calm');
      this.#network.trouble = { token: 0, other: 0 };
      this.#server.moodiness = 0;
    });
    return count;
  }

  #start(delayMs: number, calls: number): void {
    const { wallClock, personOf } = {
      wallClock: () => this.#wallClock(),
      personOf: (one: Process) => this.#person(one),
    };
    const process = new Process(`p${this.#made++}`);
    this.#living.add(process);
    this.unfinished.add(process.name);
    const around: Surroundings = {
      world: this.#world,
      judge: this.#judge,
      network: this.#network,
      disk: this.#disk,
      wallClock,
      personOf,
      calmAt: this.#calmAt,
      calls,
      loginTimeoutMs: this.#loginTimeoutMs,
    };
    this.#world.later(delayMs, process, () => {
      runProgram(process, around).then(
        () => this.#gone(process),
        (error: unknown) => {
          this.#judge.violated(`${process.name} fails: ${String(error)}`);
          this.#gone(process);
        },
      );
    });
  }

  #gone(process: Process): void {
    this.#living.delete(process);
    this.unfinished.delete(process.name);
    if (this.#living.size === 0) this.#world.end();
  }

  /** Something befalls processes in the middle of what is delicate, a few times. */
  #beset(probability: number): void {
    let left = 6;
    this.#world.delicate = (process) => {
      if (left === 0 || this.#world.now >= this.#calmAt || !this.#world.random.chance(probability)) return;
      left--;
      this.#doom(process, 6);
    };
  }

  /** The disk is full at times, in some schedules: for everybody or for one process, for everything or for grants alone. */
  #fill(): void {
    // Chance of its own, so that the others go on as they did.
    const random = randomOf(this.#seed * 31 + 7);
    if (!random.chance(0.2)) return;
    const [victim] = random.chance(0.3) ? [...this.#living] : [];
    const grantsAlone = random.chance(0.4);
    let [full, fate]: [boolean, WriteFate] = [false, 'refused'];
    this.#disk.fate = (process, kind) => {
      const isMeant = (victim === undefined || process === victim) && (!grantsAlone || kind === 'grant');
      return full && isMeant && this.#world.now < this.#calmAt ? fate : 'done';
    };
    for (let times = random.whole(1, 4); times > 0; times--) {
      const from = random.whole(0, this.#calmAt - 1);
      const change = (to: boolean) => (): void => {
        [full, fate] = [to, random.chance(0.2) ? 'said to be refused' : 'refused'];
        this.#world.note(to ? `the disk is full: writes are ${fate}` : 'the disk has room again');
      };
      this.#world.later(from, undefined, change(true));
      this.#world.later(from + random.pick([300, 2_000, 20_000]), undefined, change(false));
    }
  }

  /** Something befalls a process, after some more steps. */
  #doom(process: Process, most = 40): void {
    const { random } = this.#world;
    const dies = random.chance(0.5);
    const befall = (): void => {
      if (this.#world.now >= this.#calmAt || !process.alive) return;
      if (dies) this.#kill(process);
      else
        this.#world.stop(
          process,
          random.pick([1_000, random.whole(6_000, 16_000), random.whole(6_000, 16_000), random.whole(8_000, 40_000)]),
        );
    };
    process.fate ??= { after: random.whole(0, most), befall };
  }

  #kill(process: Process): void {
    this.#world.kill(process);
    this.#disk.died(process);
    for (const tab of this.#judge.tabs) if (tab.process === process) this.#judge.tabs.delete(tab);
    if (this.#world.random.chance(0.8)) this.#start(this.#world.random.whole(100, 8_000), 4);
    this.#gone(process);
  }

  #jump(): void {
    const { random } = this.#world;
    const ms = random.pick([1_000, 10_000, 3_600_000]) * (random.chance(0.5) ? 1 : -1);
    this.#jumped += ms;
    this.#world.note(`the wall clock jumps by ${ms} ms`);
  }

  #wallClock(): number {
    return 1_800_000_000_000 + this.#world.now + this.#jumped;
  }

  /** A person who agrees, or does not, or is not there. */
  #person(process: Process): RedirectHook {
    return async (request, signal) => {
      const { random } = this.#world;
      const tab = this.#judge.opens(process, request);
      const mood = this.#world.now >= this.#calmAt ? 0 : random.next();
      try {
        const aborted = new Promise<never>((_, reject) => {
          // The reason is what the owner of the signal gave.
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        });
        aborted.catch(() => undefined);
        const issuer = this.#issuers.find(({ origin }) => origin === request.issuer)!;
        const takes = mood >= 0.93 || issuer.isDeadEnd(new URL(request.url)) ? 1_000_000 : random.whole(300, 12_000);
        await Promise.race([sleep(this.#world, process, takes), aborted]);
        if (mood > 0.9) throw new AuthorizationError('denied', 'the window was closed');
        return issuer.agreed(new URL(request.url), mood < 0.85);
      } finally {
        this.#judge.tabs.delete(tab);
      }
    };
  }
}
