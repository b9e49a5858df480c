import { after, monotonicNow, settledWithin } from '../jsonrpc/timeout.ts';
import { hasEnded } from '../protocol/task-status.ts';
import type { Keeper, HeldTask } from './keeper.ts';
import type { TaskTurn } from './executor.ts';
import { readClocks } from './lease.ts';
import { finished, givenBack, leaseEnded, left } from './machine.ts';
import { TaskPlaces, runOwner, type WaitingTask } from './places.ts';
import { expiryOf, type TaskRecord } from './record.ts';
import { TaskRun } from './run.ts';
import { begunBy, takenUp, turnOf } from './turn.ts';
import type { RunEnding, TaskParts } from './tasks.ts';

/** Interval of checks for tasks without a worker, in milliseconds. */
const lookMs = 2000;

/** Time that the maker of a task has to claim it, in milliseconds. */
export const makerMs = 2000;

/** Limit of remembered tasks that had no room when they were made here. Other processes claim further ones. */
const maxMine = 1000;

/** Number of claims of one look at the store. */
const maxTakes = 64;

/** Time between sweeps of what expired, in milliseconds; the most that one call of the store takes, and the most calls. */
const sweepMs = 30_000;
const maxSwept = 1000;
const maxSweeps = 100;

/** Time that the store has at least for each of the last writes during a drain, in milliseconds. */
const lastWordsMs = 1000;

/** Time for which a task is put back if this process does not have its tool, in milliseconds. */
const putBackMs = 5000;

interface Conducted {
  readonly run: TaskRun;
  readonly done: Promise<void>;
  /** Settles at the end of the work, or when the task was taken from it, whatever it still does. */
  readonly over: Promise<void>;
  /** Forgets the end of the task's life. */
  readonly unclock: () => void;
  waitsSince: number | undefined;
}

/** Works on tasks in this process: claims them, renews their leases while they run, and commits their outcomes. */
export class Worker {
  readonly #keeper: Keeper;
  readonly #parts: TaskParts;
  readonly #node = crypto.randomUUID();
  readonly #running = new Set<Conducted>();
  /** Claims under way, each of which may be a run soon, with its owner. */
  readonly #claims = new Map<Promise<void>, string | undefined>();
  /** Tasks that were made or claimed here when there was no room. */
  readonly #mine = new Map<string, WaitingTask>();
  readonly #places: TaskPlaces;
  #stops: (() => void)[] = [];
  #draining = false;
  #looking = false;
  #wanted = false;

  constructor(keeper: Keeper, parts: TaskParts) {
    this.#keeper = keeper;
    this.#parts = parts;
    const { engine, now, times } = parts;
    const { leaseTtlMs } = times;
    this.#places = new TaskPlaces(parts.limits.running, () => [
      ...[...this.#running].filter(({ run }) => !run.waits).map(({ run }) => runOwner(run.record)),
      ...this.#claims.values(),
    ]);
    if (engine === undefined) this.#each(lookMs, () => this.#look());
    else
      this.#each(engine.everyMs, () => engine.tellDue(keeper, { node: this.#node, now, isOver: () => this.#draining }));
    this.#each(leaseTtlMs / 3, () => this.#renew());
    // A bus reports the answers that come to other processes, unless it was down at that moment.
    this.#each(keeper.store.bus === undefined ? lookMs : Math.max(lookMs, leaseTtlMs / 3), () =>
      this.#lookForAnswers(),
    );
    this.#each(sweepMs, () => this.#sweep());
  }

  /**
   * Begins to work on a new task, at once or when there is room. If there is no room in time, another process claims
   * it. With an engine, the engine begins it.
   */
  begin(kept: HeldTask): void {
    if (this.#isLed || this.#draining) return;
    const owner = runOwner(kept.record);
    if (this.#places.hasRoomFor(owner)) void this.#claiming(owner, () => this.#claim(kept, kept.epoch));
    else this.#remember(kept);
  }

  /** Remembers a task that no other process begins for a while, to begin it when there is room. */
  #remember({ record, epoch }: HeldTask): void {
    if (this.#mine.size < maxMine)
      this.#mine.set(record.id, { owner: runOwner(record), epoch, until: monotonicNow() + makerMs });
  }

  /** Renews the lease of a running run, whose task was stored as a running one. */
  adopt(kept: HeldTask, work: (run: TaskRun) => Promise<RunEnding>): TaskRun {
    const run = this.#runOf(kept);
    this.#conduct(run, work);
    return run;
  }

  /**
   * Runs a task now, for an engine, and waits until its run is over here. How many run at once is the engine's to limit.
   *
   * @throws Error where this process cannot: it has no such tool, or begins nothing more.
   */
  async run(id: string): Promise<TaskTurn> {
    if (this.#draining) throw new Error('this process drains: it begins no more runs of tasks');
    const kept = await this.#keeper.demand(id);
    if (kept === undefined) return 'unknown';
    if (!hasEnded(kept.record) && !this.#parts.knows(kept.record))
      throw new Error(`this process has no tool ${JSON.stringify(kept.record.request.name)}, of which the task is`);
    const { now, times } = this.#parts;
    let seen: TaskRecord = kept.record;
    let begun: Conducted | undefined;
    const claim = async (): Promise<void> => {
      const next = await this.#keeper.change(
        kept,
        (held) => {
          seen = held.record;
          return takenUp(held, now());
        },
        times.leaseTtlMs,
      );
      if (typeof next !== 'object') return;
      seen = next.record;
      if (seen.hand === 'running') begun = await this.#start(this.#runOf(next));
    };
    const claiming = claim();
    this.#claimed(
      undefined,
      claiming.catch(() => undefined),
    );
    await claiming;
    await begun?.over;
    return turnOf(begun?.run.record ?? seen);
  }

  /** Removes expired tasks: there may be more than a thousand in half a minute, and leftovers slow claims down. */
  async #sweep(): Promise<void> {
    for (let swept = maxSwept, sweeps = 0; swept >= maxSwept && sweeps < maxSweeps && !this.#draining; sweeps++)
      swept = await this.#keeper.store.sweep(maxSwept);
  }

  /** Tells whether nothing more begins here. */
  get isDraining(): boolean {
    return this.#draining;
  }

  /** Looks for work now, since new work arrived. */
  wake(): void {
    if (this.#isLed) return;
    this.#beginMine();
    void this.#trying('claiming tasks', () => this.#look());
  }

  #beginMine(): void {
    for (const [id, { owner, epoch, until }] of this.#mine) {
      if (this.#draining || this.#places.free <= 0) return;
      const isLate = monotonicNow() >= until;
      if (!isLate && !this.#places.hasRoomFor(owner)) continue;
      this.#mine.delete(id);
      if (!isLate) void this.#claiming(owner, () => this.#claim(id, epoch));
    }
  }

  /** Begins nothing more, and waits for running work, but for no store longer than a second after the time is over. */
  async drain(timeoutMs: number): Promise<void> {
    this.#draining = true;
    const until = monotonicNow() + timeoutMs;
    const within = async (work: Promise<unknown>, leastMs = 0): Promise<unknown> =>
      await settledWithin(Math.max(until - monotonicNow(), leastMs), work);
    // The code that is claiming a task gives it back itself.
    await within(Promise.all(this.#claims.keys()), lastWordsMs);
    // A run that waits for an answer starts again in another process.
    const waiting = [...this.#running].filter(({ run }) => run.waits);
    await within(Promise.all(waiting.map((one) => this.#giveBack(one))), lastWordsMs);
    await within(Promise.all([...this.#running].map(({ done }) => done)));
    for (const stop of this.#stops) stop();
    this.#stops = [];
    const left = [...this.#running];
    await within(Promise.all(left.map((one) => this.#abandon(one))), lastWordsMs);
    for (const { run } of left) run.lose();
  }

  #claiming(owner: string | undefined, claim: () => Promise<void>): Promise<void> {
    const claiming = this.#trying('a task', claim);
    this.#claimed(owner, claiming);
    return claiming;
  }

  /** Counts a claim as a run until it settles or its lease would have ended, so that a hanging store frees the room. */
  #claimed(owner: string | undefined, claim: Promise<void>): void {
    const settled = this.#untilLate(claim);
    this.#claims.set(settled, owner);
    void settled.then(() => {
      this.#claims.delete(settled);
      this.#beginMine();
    });
  }

  async #look(): Promise<void> {
    // Only one check at a time. A request during a check causes another one.
    if (this.#looking) return void (this.#wanted = true);
    this.#looking = true;
    try {
      do {
        this.#wanted = false;
        await this.#untilLate(this.#trying('claiming tasks', () => this.#take()));
      } while (this.#wanted);
    } finally {
      this.#looking = false;
    }
  }

  async #take(): Promise<void> {
    // Tasks of an owner that used up its share may hide tasks of others.
    for (let tries = 0; tries < maxTakes; tries++) {
      const room = this.#places.free;
      if (this.#draining || room <= 0) return;
      const all = await this.#keeper.claim(this.#node, this.#parts.times.leaseTtlMs, room);
      let isAside = false;
      for (const kept of all) {
        const owner = runOwner(kept.record);
        // Other runs may have begun meanwhile. A process with room should get the task at once.
        if (this.#draining || this.#places.free <= 0) await this.#putBack(kept, 0);
        else if (this.#places.hasRoomFor(owner) || !this.#parts.knows(kept.record))
          await this.#claiming(owner, () => this.#begun(kept));
        else {
          isAside = true;
          this.#remember(kept);
          await this.#putBack(kept, makerMs);
        }
      }
      if (!isAside || all.length < room) return;
    }
  }

  /** Begins to run a task that the store gave to this process. */
  async #begun(kept: HeldTask): Promise<void> {
    const { now, knows } = this.#parts;
    const { record } = kept;
    if (hasEnded(record) || record.hand === 'left') return;
    if (!knows(record)) return await this.#putBack(kept, putBackMs);
    const next = await this.#keeper.change(kept, (held) =>
      held.epoch === kept.epoch ? begunBy(held.record, now()) : 'fenced',
    );
    if (typeof next !== 'object' || next.record.hand !== 'running') return;
    const { heldSince } = kept;
    await this.#start(this.#runOf(heldSince === undefined ? next : { ...next, heldSince }));
  }

  /** Releases a task that could not be used, for other processes. */
  async #putBack({ record, epoch }: HeldTask, forMs: number): Promise<void> {
    await this.#keeper.store.renew([{ id: record.id, epoch }], forMs);
  }

  /** @param mine The epoch under which it is still unclaimed. */
  async #claim(kept: HeldTask | string, mine: number): Promise<void> {
    const { times } = this.#parts;
    const next = await this.#keeper.change(
      kept,
      ({ record, epoch }) => (epoch === mine ? begunBy(record, this.#parts.now()) : 'fenced'),
      times.leaseTtlMs,
    );
    if (typeof next === 'object' && next.record.hand === 'running') await this.#start(this.#runOf(next));
  }

  /** Tells whether an engine decides what runs here. */
  get #isLed(): boolean {
    return this.#parts.engine !== undefined;
  }

  /** Starts a run that was claimed, unless nothing begins here any more, or it was claimed too long ago. */
  async #start(run: TaskRun): Promise<Conducted | undefined> {
    // The process may have stood still since it claimed the task. Then the next process that claims it begins it.
    if (!this.#draining && !run.isLate) return this.#conduct(run, (one) => this.#parts.perform(one));
    await run.change((record, holder) => givenBack(record, holder));
    run.lose();
    return undefined;
  }

  #runOf(kept: HeldTask): TaskRun {
    const { now, times, limits, onError } = this.#parts;
    return new TaskRun(this.#keeper, kept, {
      now,
      leaseTtlMs: times.leaseTtlMs,
      textLength: limits.textLength,
      onError,
    });
  }

  #conduct(run: TaskRun, work: (run: TaskRun) => Promise<RunEnding>): Conducted {
    const expiry = expiryOf(run.record);
    const unclock = after(expiry === undefined ? Infinity : expiry - this.#parts.now(), () => run.lose());
    const done = work(run).then((ending) => this.#commit(run, ending));
    const ended = done
      .catch((error: unknown) => this.#parts.onError(error, `task ${run.id}`))
      .then(() => {
        unclock();
        run.done();
        this.#running.delete(conducted);
        this.wake();
      });
    const over = new Promise<void>((resolve) => {
      run.signal.addEventListener('abort', () => resolve());
      void ended.then(resolve);
    });
    const conducted: Conducted = { run, done: ended, over, unclock, waitsSince: undefined };
    this.#running.add(conducted);
    return conducted;
  }

  /** Commits the outcome of a run, unless the task has been taken from it. */
  async #commit(run: TaskRun, ending: RunEnding): Promise<void> {
    if (run.over !== undefined) return;
    await run.insist((record, holder, now) =>
      ending === 'left' ? left(record, holder, now) : finished(record, ending, holder, now),
    );
  }

  /** Finds answers that were given to other processes, for runs that wait for them here. */
  async #lookForAnswers(): Promise<void> {
    const waiting = [...this.#running].filter(({ run }) => run.over === undefined && run.waits);
    await Promise.all(waiting.map(({ run }) => run.look()));
  }

  async #renew(): Promise<void> {
    const { times, now, limits } = this.#parts;
    const held = [...this.#running].filter(({ run }) => run.over === undefined);
    if (held.length === 0) return;
    const leases = held.map(({ run }) => ({ id: run.id, epoch: run.epoch }));
    const since = readClocks(now);
    const lost = new Set(await this.#keeper.store.renew(leases, times.leaseTtlMs));
    for (const { run } of held) if (!lost.has(run.id)) run.renewed(since);
    for (const { run } of held) if (lost.has(run.id)) await run.look().then(() => run.lose());
    const waiting = held.filter(({ run }) => run.waits);
    for (const one of waiting) one.waitsSince ??= now();
    for (const one of held) if (!one.run.waits) one.waitsSince = undefined;
    const oldest = waiting.toSorted((a, b) => (a.waitsSince ?? 0) - (b.waitsSince ?? 0));
    const tooMany = oldest.slice(0, Math.max(0, oldest.length - limits.waiting));
    const tooLong = oldest.filter(({ waitsSince = now() }) => now() - waitsSince >= times.waitTimeoutMs);
    await Promise.all([...new Set([...tooMany, ...tooLong])].map((one) => this.#giveBack(one)));
  }

  /** Ends a run that only waits: a process with room begins it again when the answer is there. */
  async #giveBack({ run, unclock }: Conducted): Promise<void> {
    const outcome = await run
      .change((record, holder) => (record.status === 'input_required' ? givenBack(record, holder) : 'ignored'))
      .catch(() => 'ignored');
    // The answer came meanwhile, and the run continues with it. Or the store is down, and the run finds out later.
    if (outcome === 'ignored') return;
    unclock();
    run.lose();
  }

  /** Releases a run that did not end in time, as if this process had died. */
  async #abandon({ run, unclock }: Conducted): Promise<void> {
    await run
      .change((record, { epoch, by }, now) => (epoch === by ? leaseEnded(record, now) : 'fenced'))
      .catch(() => undefined);
    unclock();
    run.lose();
  }

  #each(ms: number, run: () => Promise<void>): void {
    let stop: () => void = () => undefined;
    let stopped = false;
    const again = (): void => {
      // Processes that began together do not go on together.
      stop = after(ms * (0.9 + Math.random() * 0.2), () => {
        void this.#untilLate(this.#trying('keeping tasks', run)).then(() => (stopped ? undefined : again()));
      });
    };
    again();
    this.#stops.push(() => {
      stopped = true;
      stop();
    });
  }

  /** Waits for work with the store, which may hang, for as long as a lease lasts; it keeps no process alive. */
  #untilLate(work: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = after(this.#parts.times.leaseTtlMs, resolve);
      void work.then(() => {
        cancel();
        resolve();
      });
    });
  }

  async #trying(where: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.#parts.onError(error, where);
    }
  }
}
