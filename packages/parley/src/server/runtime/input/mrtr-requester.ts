import { isObject } from '../../../jsonrpc/message.ts';
import { after } from '../../../jsonrpc/timeout.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { quiet, RoundEnded, unnamed, type Ask, type ClientRequester } from '../../../connection/client-request.ts';
import type { Call } from '../call.ts';
import { requireCapabilities } from '../../../connection/required-capabilities.ts';
import { digestOf } from '../../../connection/digest.ts';
import { newSeed, MemoizedSteps, type Effect } from '../../../connection/memoized-steps.ts';
import { readAnswer } from '../../../connection/read-answer.ts';
import type { Reports } from '../reports.ts';
import { tooLate } from './too-late.ts';
import type { RoundAnswer, RoundState } from './request-state.ts';

/** One question of this run that has no answer yet. */
interface Open {
  readonly method: string;
  readonly params: JsonObject;
  readonly digest: string;
  readonly reject: (reason: unknown) => void;
}

/** Questions of a run, and the state with which it asks them. */
export interface RoundQuestions {
  readonly inputRequests: JsonObject;
  readonly state: RoundState;
}

/**
 * Asks as 2026-07-28 does: the run ends with its open questions, and the client's retry runs the handler again from
 * the top, with the answers so far. (Spec 2026-07-28, MRTR.)
 */
export class MrtrRequester implements ClientRequester {
  readonly #call: Call;
  readonly #state: RoundState;
  readonly #answers: Map<string, RoundAnswer>;
  /**
   * Answers that came with a request without a state. They answer questions that have a key, if the handler asks them.
   */
  readonly #early: JsonObject;
  readonly #open = new Map<string, Open>();
  readonly #once: MemoizedSteps;
  readonly #reports: Reports;
  readonly #onEnd: () => void;
  #order = 0;
  #over = false;

  /**
   * @param responses The client's answers to the questions that the state lists; any other answer is ignored. Without a
   * state, they may answer questions to come. (Spec 2026-07-28, MRTR: servers that keep
   * nothing get no state back.)
   * @param onEnd Called when the run ended with questions.
   */
  constructor(
    call: Call,
    {
      state,
      responses,
      reports,
    }: { readonly state: RoundState; readonly responses: JsonObject; readonly reports: Reports },
    onEnd: () => void,
  ) {
    this.#call = call;
    this.#onEnd = onEnd;
    this.#state = state;
    this.#reports = reports;
    // The state carries it, so that every run that follows from this one has it.
    const seed = (call.seed ??= newSeed());
    this.#once = new MemoizedSteps(state.once, () => seed);
    this.#answers = new Map(Object.entries(state.answers));
    this.#early = state.rounds === 0 ? responses : {};
    for (const [key, digest] of Object.entries(state.asked)) {
      const answer = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (isObject(answer)) this.#answers.set(key, { digest, answer });
    }
  }

  ask<T>(ask: Ask<T>): Promise<T> {
    return quiet(this.#ask(ask));
  }

  async #ask<T>({ method, params, key, accept }: Ask<T>): Promise<T> {
    if (this.#over) throw new RoundEnded();
    if (this.#call.over) throw tooLate(method, this.#call.aborted);
    requireCapabilities(method, params, this.#call.facts, this.#call.client.capabilities);
    const name = key ?? unnamed(++this.#order);
    const digest = digestOf([method, params]);
    if (key !== undefined) this.#takeEarly(key, digest);
    const known = this.#answers.get(name);
    // If the handler asks a different question this time, the client is asked again. It does not get the answer to the
    // other question.
    if (known?.digest === digest) {
      // An answer that does not have the type for its question counts as missing.
      const answer = readAnswer(this.#call.facts, method, known.answer);
      const accepted = answer === undefined ? undefined : await accept(answer);
      if (accepted !== undefined && accepted.problem === undefined) {
        this.#reports.answered();
        return accepted.value;
      }
      this.#answers.delete(name);
    }
    return this.#wait(name, { method, params, digest });
  }

  once<T>(key: string, run: Effect<T>): Promise<T> {
    if (this.#over) return quiet(Promise.reject(new RoundEnded()));
    if (this.#call.aborted) return quiet(Promise.reject(this.#call.signal.reason as Error));
    return this.#once.run(key, (id) => this.#reports.during(() => run(id)));
  }

  /** Outcomes of the effects that ran, including those that are still running. */
  effects(): Promise<RoundState['once']> {
    return this.#once.settled();
  }

  /**
   * The state for the next round of a handler that manages its rounds itself and logs only new messages.
   *
   * @param own The handler's own state.
   */
  async stateByHand(asked: Readonly<Record<string, string>>, own: unknown): Promise<RoundState> {
    return { ...(await this.#nextState(asked)), logs: [], ...(own === undefined ? {} : { own }) };
  }

  async #nextState(asked: Readonly<Record<string, string>>): Promise<RoundState> {
    // Messages of the effects that still run are included: this waits for them.
    const once = await this.#once.settled();
    const { lastProgress, seed } = this.#call;
    return {
      ...(seed === undefined ? {} : { seed }),
      rounds: this.#state.rounds + 1,
      answers: Object.fromEntries(this.#answers),
      asked,
      once,
      logs: this.#reports.sent,
      ...(lastProgress === undefined ? {} : { progress: lastProgress }),
    };
  }

  #takeEarly(key: string, digest: string): void {
    const answer = Object.hasOwn(this.#early, key) ? this.#early[key] : undefined;
    if (isObject(answer) && !this.#answers.has(key)) this.#answers.set(key, { digest, answer });
  }

  #wait<T>(name: string, open: Omit<Open, 'reject'>): Promise<T> {
    const other = this.#open.get(name);
    if (other !== undefined) {
      throw new TypeError(`two questions wait under the key ${JSON.stringify(name)}; give each a key of its own`);
    }
    // All questions of this turn belong to the same round.
    if (this.#open.size === 0) after(0, () => this.#endRun(), true);
    return new Promise<T>((_, reject) => this.#open.set(name, { ...open, reject }));
  }

  #endRun(): void {
    // The handler ended before its questions could be sent, and will not run again.
    if (this.#call.over) {
      for (const { method, reject } of this.#open.values()) reject(tooLate(method, this.#call.aborted));
      return this.#open.clear();
    }
    this.#over = true;
    this.#call.hold(true);
    this.#onEnd();
    for (const { reject } of this.#open.values()) reject(new RoundEnded());
  }

  /** Waits for the running effects, which do not run again: their messages are sent. */
  async #close(asked: Readonly<Record<string, string>>): Promise<RoundState> {
    if (this.#once.isRunning) {
      // By then the handler has seen the end of its run, and its messages were dropped. No effect could continue
      // meanwhile.
      for (let microtask = 0; microtask < 100; microtask++) await Promise.resolve();
      this.#call.hold(false);
    }
    const state = await this.#nextState(asked);
    this.#call.finish();
    return state;
  }

  /** The questions with which the run ended. */
  async asks(): Promise<RoundQuestions> {
    const entries = [...this.#open];
    const state = await this.#close(Object.fromEntries(entries.map(([key, { digest }]) => [key, digest])));
    const inputRequests = Object.fromEntries(entries.map(([key, { method, params }]) => [key, { method, params }]));
    return { inputRequests, state };
  }
}
