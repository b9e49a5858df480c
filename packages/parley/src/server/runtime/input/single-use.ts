/** Runs a round once, however often its request is delivered: a repeated delivery gets the outcome of the first. */

import { jsonText } from '../../../json/exact-number.ts';
import { parseExactJson } from '../../../json/parse-exact.ts';
import { after, monotonicNow } from '../../../jsonrpc/timeout.ts';
import { quiet } from '../../../connection/client-request.ts';
import type { Ran } from '../../../connection/memoized-steps.ts';
import { packResult, unpackResult, type PackedResult } from '../extension-result.ts';
import { mayHaveRun, tooOld } from './refused-state.ts';
import type { RoundStore } from './state-store.ts';

/** Outcomes of effects, by key. */
type Effects = Readonly<Record<string, Ran>>;

/** One delivery of a request that brings a state. */
export interface RoundDelivery {
  /** Name of the state. */
  readonly id: string;
  /** Digest of the answers in the request. */
  readonly answers: string;
  /** Remaining lifetime of the state in milliseconds. Negative if it has expired: then no run begins. */
  readonly leftMs: number;
  /** The owner that pays for its room; see `ownerOf`. */
  readonly owner?: string | undefined;
  /** Its request. Once it is aborted, its outcome is not awaited any more. */
  readonly call: { readonly aborted: boolean };
}

/** A run of the handler of a round. */
export interface RoundRun {
  outcome(): Promise<unknown>;
  /** Tells whether a value is a failure, after which the round may run again. */
  hasFailed(value: unknown): boolean;
  /** Outcomes of the effects that ran, including those that are still running. */
  effects(): Promise<Effects>;
}

/** The stored outcome of a run: a result, or the effects of a run that failed. */
type Kept =
  | { readonly answers: string; readonly result: PackedResult; readonly effects?: undefined }
  | { readonly answers: string; readonly result?: undefined; readonly effects: Effects };

/** End of a run. */
interface End {
  /** Returns its value, or throws its error. */
  settle(): unknown;
  /** True if it failed after its client had disconnected. Other deliveries still want an outcome. */
  readonly isLeft: boolean;
}

/** Time for which an outcome is kept, in milliseconds. It may be kept after its state expired. */
export const outcomeMs = 600_000;

/** The longest outcome that is kept, in characters. */
const maxKeptLength = 1024 * 1024;

/** Number of runs of one round. Each run after the first follows a failed one. */
const maxRuns = 32;

/** Pause between two polls for an outcome of another process, in milliseconds: at first and at most. */
const [firstPauseMs, maxPauseMs] = [20, 1000];

/** Rounds that may run once. */
export class SingleUse {
  readonly #marks: RoundStore;
  readonly #outcomes: RoundStore;
  readonly #elsewhereMs: number;
  readonly #running = new Map<string, { readonly answers: string; readonly end: Promise<End> }>();

  /**
   * @param marks Keeps the marks of used states.
   * @param outcomes Keeps outcomes.
   * @param elsewhereMs Time limit for the outcome of another process, in milliseconds; 0 if no process shares the
   *   store.
   */
  constructor(marks: RoundStore, outcomes: RoundStore, elsewhereMs: number) {
    this.#marks = marks;
    this.#outcomes = outcomes;
    this.#elsewhereMs = elsewhereMs;
  }

  /**
   * Returns the outcome of a round. The round runs if it did not run before.
   *
   * @param run Runs it, with the effects of earlier runs.
   * @throws McpError invalidParams if the state was used with other answers, its outcome is not kept, or it expired
   * before a run began.
   */
  async outcome(delivery: RoundDelivery, run: (known: Effects) => RoundRun): Promise<unknown> {
    for (;;) {
      const running = this.#running.get(delivery.id);
      const end = running === undefined ? await this.#begin(delivery, run) : await same(running, delivery).end;
      if (!end.isLeft || delivery.call.aborted) return end.settle();
    }
  }

  async #begin(delivery: RoundDelivery, run: (known: Effects) => RoundRun): Promise<End> {
    const { id, answers } = delivery;
    const end = this.#end(delivery, run).catch((error: unknown) => failed(error, false));
    this.#running.set(id, { answers, end });
    const ended = await end;
    this.#running.delete(id);
    return ended;
  }

  async #end(delivery: RoundDelivery, run: (known: Effects) => RoundRun): Promise<End> {
    const { id, leftMs, owner } = delivery;
    let known: Effects = {};
    for (let runs = 0; runs < maxRuns; runs++) {
      const name = runs === 0 ? id : `${id} ${runs}`;
      // The clock of the state may be set back. A mark must outlive its state, or the round would run again.
      const isNew = leftMs >= 0 && (await this.#marks.add(`used ${name}`, '', leftMs + outcomeMs, owner));
      if (isNew) return await this.#run(name, delivery, run(known));
      const { result, effects = {} } = same(await this.#kept(name, leftMs < 0), delivery);
      if (result !== undefined) return { settle: () => unpackResult(result), isLeft: false };
      known = effects;
    }
    throw mayHaveRun(`its round failed ${maxRuns} times`);
  }

  async #run(name: string, { answers, call, owner }: RoundDelivery, round: RoundRun): Promise<End> {
    const keep = (kept: () => Kept): void =>
      void quiet(
        Promise.resolve().then(async () => {
          const text = jsonText(kept());
          if (text.length <= maxKeptLength) await this.#outcomes.add(`outcome ${name}`, text, outcomeMs, owner);
        }),
      );
    const keepEffects = async (): Promise<void> => {
      const effects = await round.effects();
      keep(() => ({ answers, effects }));
    };
    try {
      const value = await round.outcome();
      const hasFailed = round.hasFailed(value);
      if (hasFailed) await keepEffects();
      else keep(() => ({ answers, result: packResult(value) }));
      return { settle: () => value, isLeft: hasFailed && call.aborted };
    } catch (error) {
      await keepEffects();
      return failed(error, call.aborted);
    }
  }

  /**
   * The outcome of a run, which may still be running in another process. For an expired state this does not wait, since
   * there may be none.
   */
  async #kept(name: string, isOld: boolean): Promise<Kept> {
    const until = monotonicNow() + (isOld ? 0 : this.#elsewhereMs);
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      const text = await this.#outcomes.get(`outcome ${name}`);
      // This process wrote it in this shape.
      if (text !== undefined) return parseExactJson(text, Number.POSITIVE_INFINITY) as Kept;
      if (monotonicNow() + pauseMs > until) throw isOld ? tooOld() : mayHaveRun(unknownOutcome);
      await new Promise<void>((resolve) => void after(pauseMs, resolve, true));
    }
  }
}

function failed(error: unknown, isLeft: boolean): End {
  const settle = (): never => {
    throw error;
  };
  return { settle, isLeft };
}

/** @throws McpError invalidParams if a delivery has other answers than the previous one. */
function same<T extends { readonly answers: string }>(before: T, { answers }: RoundDelivery): T {
  if (before.answers === answers) return before;
  throw mayHaveRun('it was used before, with other answers, and its call went on with those');
}

const unknownOutcome =
  'it was used before, and its outcome is not known here: it is no longer kept, or the round still runs';
