/** Plays one schedule with processes of the machine, and judges it. */

import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileCredentialStore } from '../../../packages/parley/src/transports/node/credentials/file-credentials.ts';
import type { CredentialStore } from '../../../packages/parley/src/storage/credentials.ts';
import { Cast, type Player } from '../../support/cast.ts';
import { randomOf } from '../../support/random.ts';
import { Authority, type Use } from './authority.ts';
import { isDeath } from './deaths.ts';
import type { Orders, Said, Told } from './messages.ts';
import { planOf, type Fate, type Plan, type Step } from './plan.ts';

/** The longest that a request may wait for something else than a person, in milliseconds. */
const maxMs = 25_000;
/** A process that stood still for so long may have been taken for dead, in milliseconds. */
const takenForDeadMs = 4_500;
/** The longest that a schedule may take from when all is calm, in milliseconds. */
const limitMs = 120_000;

const worker = fileURLToPath(new URL('./worker.ts', import.meta.url));

/** What came of a schedule. */
export interface Outcome {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly processes: number;
  /** The steps at which processes were ended. */
  readonly deaths: readonly Step[];
  readonly calls: number;
  readonly renewals: number;
  readonly logins: number;
  /** How often a refresh token came again, all of whose uses were lost. */
  readonly repeated: number;
  /** The longest wait of a request, in milliseconds. */
  readonly maxMs: number;
  readonly log: readonly string[];
}

/** Plays the schedule of a seed, or what is changed of it. */
export async function play(seed: number, changes: Partial<Plan> = {}): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-processes-'));
  await mkdir(join(folder, 'claims'));
  const playing = new Play({ ...planOf(seed), ...changes }, folder);
  try {
    return await playing.run();
  } finally {
    await playing.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Own {
  readonly tabs: Set<number>;
  through: boolean;
}

type Living = Player & Own;

class Play {
  readonly #plan: Plan;
  readonly #orders: Omit<Orders, 'name' | 'seed' | 'calm' | 'url'>;
  readonly #store: CredentialStore;
  readonly #random;
  readonly #authority: Authority;
  readonly #cast = new Cast<Own, Said, Told>(worker, {
    heard: (living, said) => void this.#heard(living, said),
    gone: (living, how) => this.#gone(living, how),
  });
  readonly #counts = { calls: 0, logins: 0, repeated: 0, maxMs: 0 };
  #calm = false;
  #over: () => void = () => {};

  constructor(plan: Plan, folder: string) {
    this.#plan = plan;
    const credentials = join(folder, 'credentials');
    this.#orders = { folder: credentials, claims: join(folder, 'claims'), deaths: plan.deaths, began: Date.now() };
    this.#store = fileCredentialStore({ folder: credentials });
    this.#random = randomOf(plan.seed * 7 + 3);
    this.#authority = new Authority({ used: (use, before) => this.#used(use, before) });
  }

  async run(): Promise<Outcome> {
    const { seed, starts, calmAt, stops } = this.#plan;
    await this.#authority.listen();
    const over = new Promise<void>((resolve) => (this.#over = resolve));
    for (const at of starts) this.#cast.later(at, () => this.#start());
    for (const { which, at, ms } of stops) this.#cast.later(at, () => this.#stop(which, ms));
    this.#cast.later(calmAt, () => this.#calmed());
    this.#cast.later(calmAt + limitMs, () => this.#over());
    await over;
    for (const { name, ended, through } of this.#cast.all)
      if (!ended) this.#cast.violated(`${name} never ends`);
      else if (!through) this.#cast.violated(`${name} does not get through when all is well`);
    const { renewals } = this.#authority;
    const deaths = (await readdir(this.#orders.claims)).map((number) => this.#plan.deaths[Number(number)]!.step);
    const outcome = { ...this.#counts, renewals, deaths, violations: this.#cast.violations, log: this.#cast.log };
    return { seed, processes: this.#cast.all.length, ...outcome };
  }

  async close(): Promise<void> {
    await this.#cast.close();
    await this.#authority.close();
  }

  #start(): void {
    const name = `p${this.#cast.all.length}`;
    const url = `${this.#authority.origin}/mcp`;
    const seed = this.#plan.seed * 100 + this.#cast.all.length;
    const orders: Orders = { ...this.#orders, name, url, seed, calm: this.#calm };
    this.#cast.start(orders, { tabs: new Set(), through: false });
  }

  #gone(living: Living, how: string): void {
    living.tabs.clear();
    if (how === 'SIGKILL') {
      // Who was ended need not get through; somebody takes its place.
      living.through = true;
      this.#cast.later(this.#random.whole(100, 3_000), () => this.#start());
    } else if (how !== '0') this.#cast.violated(`${living.name} fails with ${how}`);
    this.#check();
  }

  #check(): void {
    const isOver =
      this.#calm && this.#cast.all.every(({ ended }) => ended) && this.#cast.all.length >= this.#plan.starts.length;
    // One may be about to take the place of another.
    if (isOver && this.#cast.waiting <= 1) this.#over();
  }

  #calmed(): void {
    this.#calm = true;
    this.#cast.note('all is calm');
    for (const living of this.#cast.all) this.#cast.tell(living, { kind: 'calm' });
    this.#check();
  }

  #dies(step: Step): boolean {
    return !this.#calm && isDeath(this.#orders, step);
  }

  #stop(which: number, ms: number): void {
    const living = this.#cast.all[which];
    if (living !== undefined) this.#cast.stop(living, ms);
  }

  #stoodStill({ stopped }: Living | undefined = { stopped: undefined } as Living): boolean {
    return stopped !== undefined && stopped.to - stopped.from >= takenForDeadMs;
  }

  async #heard(living: Living, said: Said): Promise<void> {
    const { name } = living;
    if (said.kind === 'through') living.through = true;
    else if (said.kind === 'asks no longer') living.tabs.delete(said.id);
    else if (said.kind === 'asks') await this.#asked(living, said);
    else {
      this.#counts.calls++;
      if (said.outcome !== '200' || said.ms > 1_000) this.#cast.note(`${name} has ${said.outcome} after ${said.ms} ms`);
      if (said.outcome.startsWith('unexpected')) this.#cast.violated(`${name} fails: ${said.outcome}`);
      if (this.#stoodStill(living)) return;
      this.#counts.maxMs = Math.max(this.#counts.maxMs, said.ms);
      if (said.ms > maxMs) this.#cast.violated(`${name} waits ${said.ms} ms for ${said.outcome}`);
    }
  }

  /** A person is asked. */
  async #asked(living: Living, { id, url, reason }: Said & { kind: 'asks' }): Promise<void> {
    const { name, tabs } = living;
    this.#counts.logins++;
    this.#cast.note(`${name} asks a person`);
    for (const other of this.#cast.all)
      if (other.tabs.size > 0 && !this.#stoodStill(other))
        this.#cast.violated(`${name} opens a page beside that of ${other.name}`);
    tabs.add(id);
    const kept = reason === 'login' ? await this.#kept() : undefined;
    if (kept !== undefined && this.#authority.isGood(kept) && !this.#cast.all.some((one) => this.#stoodStill(one)))
      this.#cast.violated(`${name} asks for a login though ${kept} is good`);
    if (this.#dies('asking a person')) {
      this.#cast.later(300, () => living.child.kill('SIGKILL'));
      return;
    }
    const agrees = this.#calm || this.#random.chance(0.92);
    const callback = this.#authority.agreed(new URL(url), agrees);
    this.#cast.later(this.#random.whole(100, 2_500), () =>
      this.#cast.tell(living, { kind: 'callback', id, url: callback }),
    );
  }

  /** The refresh token that is kept. */
  async #kept(): Promise<string | undefined> {
    const [key] = await this.#store.keys('grant');
    const text = key === undefined ? undefined : (await this.#store.read(key))?.text;
    // The text of the keeper.
    return text === undefined ? undefined : (JSON.parse(text) as { readonly refreshToken?: string }).refreshToken;
  }

  /** A refresh token comes: once from all who live, unless nobody can have heard what came of it. */
  #used(use: Use, before: readonly Use[]): Fate {
    const living = this.#cast.all.find(({ name }) => name === use.process);
    this.#cast.note(`${use.process} renews by ${use.token}`);
    if (before.length > 0) this.#counts.repeated++;
    for (const { process, state } of before) {
      const other = this.#cast.all.find(({ name }) => name === process);
      const isKnown = state !== 'lost' && other?.ended === false && !this.#stoodStill(other);
      if (isKnown && !this.#authority.isLast(use.token))
        this.#cast.violated(`${use.process} uses ${use.token} again, which ${process} used (${state})`);
    }
    if (this.#calm) return 'answered';
    if (living !== undefined && this.#dies('when the request arrived')) {
      living.child.kill('SIGKILL');
      return this.#random.pick(['lost before', 'lost after']);
    }
    if (!this.#random.chance(this.#plan.trouble)) return 'answered';
    return this.#random.pick(['lost before', 'lost after', 'lost after', 'silence after', 'busy']);
  }
}
