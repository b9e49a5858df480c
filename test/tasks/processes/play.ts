/** Has clients begin tasks at three processes that share one store, lets misfortune befall them, and judges what became of the tasks. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Cast, type Player } from '../../support/cast.ts';
import { randomOf } from '../../support/random.ts';
import { ask, type Answer, type Json } from './client.ts';
import { counted, entriesOf, judge, type Counts } from './judge.ts';
import { Life, type Lived, type World } from './life.ts';
import { permitOf, type Orders, type Said } from './messages.ts';
import { placeOf, type Kind, type Place } from './places.ts';
import { steps, type Misfortune, type Plan } from './plan.ts';

const worker = fileURLToPath(new URL('./worker.ts', import.meta.url));
const processes = 3;
/** The longest that a client waits for an answer, in milliseconds. */
const limitMs = 5_000;
/** The longest that no task may end, in milliseconds. */
const maxMs = 120_000;

/** What came of a course. */
export interface Outcome extends Counts {
  readonly violations: readonly string[];
  readonly log: readonly string[];
  /** Tasks of which a client was told. */
  readonly tasks: number;
  /** Processes that were started. */
  readonly processes: number;
  readonly killed: number;
  readonly stoodStill: number;
  readonly restarts: number;
  readonly seconds: number;
}

/** Plays a plan with one kind of store. */
export async function play(kind: Kind, plan: Plan): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-tasks-'));
  mkdirSync(join(folder, 'permits'));
  writeFileSync(join(folder, 'journal'), '');
  const place = await placeOf(kind, folder);
  const playing = new Play(plan, folder, { kind, place });
  try {
    return await playing.run();
  } finally {
    await playing.close();
    await place.engine?.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Own {
  /** Where it serves, once it does. */
  url: string | undefined;
}

type Living = Player & Own;

class Play {
  readonly #plan: Plan;
  readonly #orders: Omit<Orders, 'name'>;
  readonly #place: Place;
  readonly #random;
  readonly #over = new AbortController();
  readonly #cast = new Cast<Own, Said, never>(worker, {
    heard: (living, { url }) => (living.url = url),
    gone: (living, how) => this.#gone(living, how),
  });
  readonly #began = performance.now();
  readonly #misfortunes: Misfortune[];
  readonly #lived: Lived[] = [];
  readonly #counts = { killed: 0, stoodStill: 0, restarts: 0 };
  #restarting: Promise<unknown> = Promise.resolve();
  #endedAt = performance.now();

  constructor(plan: Plan, folder: string, { kind, place }: { readonly kind: Kind; readonly place: Place }) {
    this.#plan = plan;
    this.#place = place;
    const { leaseTtlMs } = plan;
    const permits = join(folder, 'permits');
    this.#orders = { kind, place: place.place, leaseTtlMs, permits, journal: join(folder, 'journal') };
    this.#random = randomOf(plan.seed * 31 + 7);
    this.#misfortunes = [...plan.misfortunes];
  }

  async run(): Promise<Outcome> {
    for (let at = 0; at < processes; at++) this.#start();
    this.#watch();
    const waiting = this.#plan.tasks.map((way, number) => ({ way, number }));
    const client = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const lived = await new Life(next.way, next.number, this.#world).live();
        if (lived === undefined) this.#cast.violated(`task ${next.number} (${next.way}) does not end`);
        else this.#ended(lived);
      }
    };
    await Promise.all(Array.from({ length: this.#plan.atOnce }, client));
    await this.#restarting;
    await this.#lookAgain();
    const entries = entriesOf(readFileSync(this.#orders.journal, 'utf8'));
    const { violations, log, all } = this.#cast;
    return {
      ...counted(entries, this.#lived),
      ...this.#counts,
      violations: [...violations, ...judge(entries, this.#lived)],
      log,
      tasks: this.#lived.length,
      processes: all.length,
      seconds: Math.round((performance.now() - this.#began) / 1000),
    };
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#cast.close();
  }

  get #world(): World {
    return {
      ask: (method, params) => this.#ask(method, params),
      pause: (ms) => new Promise((resolve) => this.#cast.later(ms, resolve)),
      violated: (words) => this.#cast.violated(words),
      random: this.#random,
      over: this.#over.signal,
    };
  }

  #start(): void {
    const name = `p${this.#cast.all.length}`;
    this.#cast.start({ name, ...this.#orders }, { url: undefined });
  }

  #gone({ name }: Living, how: string): void {
    if (this.#over.signal.aborted) return;
    if (how === 'SIGKILL') this.#counts.killed++;
    else this.#cast.violated(`${name} ends by itself: ${how}`);
    this.#cast.later(this.#random.whole(50, 500), () => this.#start());
  }

  get #living(): readonly Living[] {
    return this.#cast.all.filter(({ url, ended }) => url !== undefined && !ended);
  }

  async #ask(method: string, params: Json): Promise<Answer> {
    const [one] = this.#living.length > 0 ? [this.#random.pick(this.#living)] : [];
    return one?.url === undefined ? undefined : await ask(one.url, method, params, limitMs);
  }

  #ended(lived: Lived): void {
    this.#lived.push(lived);
    this.#endedAt = performance.now();
    while ((this.#misfortunes[0]?.after ?? Infinity) <= this.#lived.length) {
      const next = this.#misfortunes.shift();
      if (next !== undefined) this.#befall(next);
    }
  }

  #befall({ at, ends }: Misfortune): void {
    this.#cast.note(`${ends ? 'an end' : 'a standstill'} at ${at}`);
    if (at === 'the database') return this.#restart();
    if (at !== 'any time') return writeFileSync(join(this.#orders.permits, permitOf(steps.indexOf(at), ends)), '');
    const [one] = this.#living.length > 0 ? [this.#random.pick(this.#living)] : [];
    if (one === undefined) return;
    if (ends) one.child.kill('SIGKILL');
    else {
      this.#counts.stoodStill++;
      this.#cast.stop(one, this.#plan.leaseTtlMs * 1.7);
    }
  }

  #restart(): void {
    const { engine } = this.#place;
    if (engine === undefined) return;
    this.#counts.restarts++;
    this.#restarting = this.#restarting.then(() => engine.restart());
  }

  /** Ends all when nothing ends any more. */
  #watch(): void {
    if (performance.now() - this.#endedAt > maxMs) return this.#over.abort();
    this.#cast.later(1_000, () => this.#watch());
  }

  /** What ended stays as it is, whoever is asked. */
  async #lookAgain(): Promise<void> {
    for (const { taskId, label, end } of this.#lived) {
      let answer: Answer;
      for (let tries = 0; answer?.result === undefined && tries < 20; tries++)
        answer = await this.#ask('tasks/get', { taskId });
      const [then, now] = [end, answer?.result ?? answer?.error].map((one) => JSON.stringify(one));
      if (then !== now) this.#cast.violated(`task ${label} was ${then} and is ${now}`);
    }
  }
}
