import { runOnAbort } from '../jsonrpc/run-on-abort.ts';
import { after, monotonicNow } from '../jsonrpc/timeout.ts';
import { McpError } from '../protocol/error.ts';
import { quiet, RoundEnded } from '../connection/client-request.ts';
import type { Keeper, HeldTask } from './keeper.ts';
import { Lease, readClocks, type ClockReading } from './lease.ts';
import {
  asked,
  kept as keptOnce,
  questionLimits,
  resumed,
  said,
  withdrawn,
  type Next,
  type Unchanged,
} from './machine.ts';
import { cut, maxWords } from './status-text.ts';
import type { OpenQuestion, TaskAnswer, TaskRecord } from './record.ts';
import type { Ran } from '../connection/memoized-steps.ts';
import { hasEnded } from '../protocol/task-status.ts';

const tooMany = `a task may have ${questionLimits.open} questions that wait, and ask ${questionLimits.ever}`;

/** Bounds of a run. */
export interface RunBounds {
  now(): number;
  /** Time for which it holds the task without renewing, in milliseconds. */
  readonly leaseTtlMs: number;
  /** Characters of JSON that all questions have which wait, and all that `once` keeps. */
  readonly textLength: number;
  /** Reports an effect that did not begin because the lease may have ended. */
  onError(error: unknown, where: string): void;
}

/** One run of a task in this process: it speaks under its epoch, and is over once another has a newer one. */
export class TaskRun {
  readonly #keeper: Keeper;
  readonly #controller = new AbortController();
  readonly #epoch: number;
  readonly #bounds: RunBounds;
  readonly #lease: Lease;
  readonly #waits = new Map<string, Waiting>();
  readonly #unhear: () => void;
  #kept: HeldTask;
  #turn: Promise<unknown> = Promise.resolve();
  /** Status message that goes with the next change. */
  #words: string | undefined;
  #saidAt = Number.NEGATIVE_INFINITY;
  #unsay: (() => void) | undefined;
  #resuming = false;
  /** Reason why its further changes are ignored. */
  #over: 'ended' | 'elsewhere' | undefined;
  #asking: { readonly questions: Map<string, OpenQuestion>; readonly done: Promise<void> } | undefined;

  /** @param kept The task, claimed for this run. */
  constructor(keeper: Keeper, kept: HeldTask, bounds: RunBounds) {
    this.#keeper = keeper;
    this.#kept = kept;
    this.#epoch = kept.epoch;
    this.#bounds = bounds;
    this.#lease = new Lease(bounds.leaseTtlMs, bounds.now, kept.heldSince);
    this.#unhear = keeper.hear(kept.record.id, (changed) => {
      if (changed === undefined) void this.look();
      else this.#saw(changed);
    });
  }

  get id(): string {
    return this.#kept.record.id;
  }

  get epoch(): number {
    return this.#epoch;
  }

  get record(): TaskRecord {
    return this.#kept.record;
  }

  /** Aborted by cancel, expiry and a lost lease. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Reason why its further changes are ignored: it ended, or another process runs it. */
  get over(): 'ended' | 'elsewhere' | undefined {
    return this.#over;
  }

  /** Tells whether all that it does is wait for answers. */
  get waits(): boolean {
    return this.#waits.size > 0;
  }

  /** Changes the task as this run. Changes are applied in sequence, each on the result of the previous one. */
  change(
    step: (record: TaskRecord, holder: { epoch: number; by: number }, now: number) => Next,
  ): Promise<HeldTask | Unchanged | 'unknown'> {
    const turn = this.#turn.then(async () => {
      const words = this.#words;
      const outcome = await this.#keeper.change(this.#kept, ({ record, epoch }) => {
        const [holder, now] = [{ epoch, by: this.#epoch }, this.#bounds.now()] as const;
        const spoken = words === undefined ? 'ignored' : said(record, words, holder, now);
        if (typeof spoken === 'string') return step(record, holder, now);
        const next = step(spoken, holder, now);
        return next === 'ignored' ? spoken : next;
      });
      if (this.#words === words && typeof outcome === 'object') this.#words = undefined;
      if (typeof outcome === 'object') this.#saw(outcome);
      else if (outcome === 'fenced' || outcome === 'unknown') this.lose();
      else if (outcome === 'terminal') this.#end();
      return outcome;
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /**
   * Sets the status message, with the next change of the task or after the poll interval for clients. Only the latest
   * message counts. If it cannot be stored, it is retried later, or dropped.
   */
  say(message: string): void {
    this.#words = cut(message, maxWords);
    if (this.#over !== undefined || this.#unsay !== undefined) return;
    const speak = (): void => {
      this.#unsay = undefined;
      if (this.#words === undefined) return;
      this.#saidAt = monotonicNow();
      void quiet(this.change(() => 'ignored'));
    };
    const waitTimeoutMs = this.#saidAt + this.record.pollIntervalMs - monotonicNow();
    if (waitTimeoutMs <= 0) speak();
    else this.#unsay = after(waitTimeoutMs, speak);
  }

  /**
   * Changes the task as this run. It retries while the store is down or hangs, and the lease may last. After that the
   * run is over, and another process takes the task.
   */
  async insist(step: Parameters<TaskRun['change']>[0]): ReturnType<TaskRun['change']> {
    return await this.#insisting(() => this.change(step));
  }

  async #insisting<T>(work: () => Promise<T>): Promise<T> {
    const until = monotonicNow() + this.#bounds.leaseTtlMs;
    for (let wait = 100; ; wait *= 2) {
      try {
        return await answeredBy(until, work());
      } catch (error) {
        if (this.#over !== undefined || monotonicNow() + wait >= until) {
          this.lose();
          throw error;
        }
        await new Promise<void>((resolve) => void after(wait, resolve, true));
      }
    }
  }

  /**
   * Begins a side effect if the task is still this run's: the store renews the lease first, and answers before that lease may have ended.
   *
   * @throws RoundEnded if the task has ended, or another run may have it.
   */
  async begin<T>(effect: () => T): Promise<Awaited<T>> {
    this.#refuseLate();
    await this.#insisting(() => this.#renew());
    // The process may have stood still while the answer of the store was on its way.
    this.#refuseLate();
    return await effect();
  }

  /** Tells whether the lease may have ended: another run may have the task. */
  get isLate(): boolean {
    return this.#lease.mayHaveEnded;
  }

  /** The store renewed the lease of this run; it was asked when the clocks stood at `since`. */
  renewed(since: ClockReading): void {
    this.#lease.renewed(since);
  }

  async #renew(): Promise<void> {
    const { leaseTtlMs, now } = this.#bounds;
    const since = readClocks(now);
    const lost = await this.#keeper.store.renew([{ id: this.id, epoch: this.#epoch }], leaseTtlMs);
    if (lost.length === 0) return this.renewed(since);
    await this.look();
    this.lose();
  }

  /** @throws RoundEnded if the run is over, or its lease may have ended, which ends the run. */
  #refuseLate(): void {
    if (this.#over === undefined && this.isLate) {
      const { leaseTtlMs, onError } = this.#bounds;
      const why = `the process stood still, or the store was down, for the whole lease of ${leaseTtlMs} ms`;
      onError(new Error(`an effect of ctx.once did not begin: ${why}`), `task ${this.id}`);
      this.lose();
    }
    if (this.#over !== undefined) throw this.#ended();
  }

  /**
   * Stores the outcome of a side effect. @throws RoundEnded if it cannot be stored, since another process runs the task
   * or it has ended.
   */
  async keep(key: string, ran: Ran): Promise<void> {
    this.#refuseTooLong('what ctx.once keeps', { ...this.record.once, [key]: ran });
    const outcome = await this.insist((record, holder) => keptOnce(record, { [key]: ran }, holder));
    if (typeof outcome === 'string') throw this.#ended();
  }

  /** Asks under a key, and waits for the reply. All that is asked in one turn is asked at once. */
  async ask(key: string, question: OpenQuestion, signal: AbortSignal | undefined): Promise<TaskAnswer> {
    if (this.#over !== undefined) throw this.#ended();
    const reply = new Promise<TaskAnswer>((resolve, reject) => this.#waits.set(key, { resolve, reject }));
    void quiet(reply);
    const givenUp = (): void => this.#giveUp(key, signal?.reason);
    const unlistened = signal && runOnAbort(signal, givenUp);
    try {
      await this.#askSoon(key, question);
      if (signal?.aborted === true) givenUp();
      return await reply;
    } finally {
      unlistened?.();
      this.#waits.delete(key);
    }
  }

  /** Checks whether others changed the task. */
  async look(): Promise<void> {
    try {
      const kept = await this.#keeper.read(this.id);
      if (kept === undefined) this.lose();
      else this.#saw(kept);
    } catch {
      // The lease decides whether the run continues. A short outage of the store ends nothing.
    }
  }

  /** Ends the run here: the next process that claims the task starts it again. */
  lose(): void {
    this.#stop('elsewhere');
    // Its end may be committed for it while it still works.
    this.#abort('another process runs the task, or it is gone');
  }

  /** Stops listening: its outcome is stored. */
  done(): void {
    this.#over ??= 'ended';
    this.#unsay?.();
    this.#unhear();
  }

  #ended(): RoundEnded {
    return new RoundEnded(
      this.#over === 'elsewhere'
        ? 'this run ended: the task is gone, or another process runs it'
        : 'this run ended: the task was cancelled or has its outcome',
    );
  }

  #end(): void {
    if (this.#over === undefined) this.#abort('the task was cancelled');
    this.#stop('ended');
  }

  #abort(why: string): void {
    this.#controller.abort(new DOMException(why, 'AbortError'));
  }

  #stop(why: 'ended' | 'elsewhere'): void {
    if (this.#over !== undefined) return;
    this.#over = why;
    this.#unsay?.();
    this.#unhear();
    for (const { reject } of this.#waits.values()) reject(this.#ended());
    this.#waits.clear();
  }

  #saw(kept: HeldTask): void {
    if (this.#over !== undefined || kept.version < this.#kept.version) return;
    this.#kept = kept;
    if (kept.epoch !== this.#epoch) return this.lose();
    // Work that came to its own end is not aborted.
    if (hasEnded(kept.record)) return kept.record.status === 'cancelled' ? this.#end() : this.#stop('ended');
    if (kept.record.replays === true && kept.record.status === 'working') void this.#resume();
    else this.#settle();
  }

  /** Delivers answers to the waiting questions. */
  #settle(): void {
    const { answers } = this.record;
    for (const [key, { resolve }] of this.#waits) {
      const answer = Object.hasOwn(answers, key) ? answers[key] : undefined;
      if (answer !== undefined) resolve(answer);
    }
  }

  /** Records that the run continues after an answer, before it does: later steps must not run twice. */
  async #resume(): Promise<void> {
    if (this.#resuming) return;
    this.#resuming = true;
    try {
      await this.insist((record, holder) => resumed(record, holder));
      if (this.#over === undefined) this.#settle();
    } catch {
      // The store was down for the whole lease: the run is over.
    } finally {
      this.#resuming = false;
    }
  }

  async #askSoon(key: string, question: OpenQuestion): Promise<void> {
    if (this.#asking === undefined) {
      // A question may have any key, as `__proto__`.
      const questions = new Map<string, OpenQuestion>();
      // Promises of this turn have asked by then.
      const turn = new Promise<void>((resolve) => void after(0, resolve, true));
      const done = turn.then(async () => {
        this.#asking = undefined;
        const all = Object.fromEntries(questions);
        this.#refuseTooLong('the questions that wait', { ...this.record.open, ...all });
        const outcome = await this.insist((record, holder, now) => asked(record, all, holder, now));
        if (outcome === 'used-key') throw new TypeError('a question was asked under a key that was used before');
        if (outcome === 'too-many') throw new McpError('internalError', tooMany);
        if (typeof outcome === 'string' && outcome !== 'ignored') throw this.#ended();
        this.#saw(this.#kept);
      });
      void quiet(done);
      this.#asking = { questions, done };
    }
    const { questions, done } = this.#asking;
    questions.set(key, question);
    await done;
  }

  /** @throws McpError internalError with `data.limit` */
  #refuseTooLong(what: string, value: object): void {
    const { textLength: limit } = this.#bounds;
    if (JSON.stringify(value).length <= limit) return;
    throw new McpError('internalError', `${what} of a task may have ${limit} characters of JSON`, { data: { limit } });
  }

  #giveUp(key: string, reason: unknown): void {
    const wait = this.#waits.get(key);
    if (wait === undefined) return;
    wait.reject(reason);
    void quiet(this.change((record, holder, now) => withdrawn(record, [key], holder, now)));
  }
}

/** Waits for a store, which may hang, until a moment of the clock that never jumps. */
function answeredBy<T>(until: number, change: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new Error('the store of tasks did not answer for as long as the lease lasted'));
    const cancel = after(until - monotonicNow(), late);
    change.then(resolve, reject).finally(cancel);
  });
}

/** One question that waits in this process. */
interface Waiting {
  readonly resolve: (answer: TaskAnswer) => void;
  readonly reject: (reason: unknown) => void;
}
