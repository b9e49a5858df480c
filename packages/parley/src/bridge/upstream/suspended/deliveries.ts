/** Deliveries of one round of a suspended call: the first runs it, and every one gets its outcome. */

import { jsonText } from '../../../json/exact-number.ts';
import { after } from '../../../jsonrpc/timeout.ts';
import { mayHaveRun } from '../../../server/runtime/input/refused-state.ts';
import type { SuspendedState, CallResumer } from './suspended-call.ts';
import { FinishedCalls, type FinishedCall } from './finished.ts';

/** One delivery of a request that brings answers. */
export interface AnswerDelivery {
  /** Digest of its answers. */
  readonly answers: string;
  readonly resumer: CallResumer;
}

/** A running round, or one whose outcome is stored. */
interface Round extends FinishedCall {
  readonly answers: string;
  /** Present while it runs. */
  readonly resumers: CallResumers | undefined;
  readonly outcome: Promise<SuspendedState>;
  /** Stops the timer that drops its outcome. */
  readonly stop: () => void;
  readonly onDropped: () => void;
}

/** The first delivery of a round. */
interface FirstDelivery extends AnswerDelivery {
  /** The owner that its outcome counts for. */
  readonly owner: string | undefined;
  /** Called when its outcome is dropped. */
  readonly onDropped: () => void;
}

/** Time for which an outcome is stored, in milliseconds, and limit of the characters that all have: those of a server. */
const outcomeTtlMs = 600_000;
const maxCharacters = 16 * 1024 * 1024;

/** The rounds that were delivered in this process. */
export class Deliveries {
  readonly #rounds = new Map<string, Round>();
  readonly #stored = new FinishedCalls(maxCharacters);

  /**
   * The outcome of a round that was delivered before; `undefined` if it is not known here.
   *
   * @throws McpError invalidParams for other answers than before.
   */
  again(id: string, { answers, resumer }: AnswerDelivery): Promise<SuspendedState> | undefined {
    const round = this.#rounds.get(id);
    if (round === undefined) return undefined;
    if (round.answers !== answers) throw mayHaveRun(otherAnswers);
    round.resumers?.add(resumer);
    return round.outcome;
  }

  /** Runs a round for its first delivery and for those that come while it runs. */
  first(
    id: string,
    { answers, resumer, owner, onDropped }: FirstDelivery,
    run: (resumers: CallResumer) => Promise<SuspendedState>,
  ): Promise<SuspendedState> {
    const resumers = new CallResumers(resumer);
    const outcome = run(resumers).catch((error: unknown) => {
      throw resumers.signal.aborted ? mayHaveRun('it was cancelled, since its client left') : error;
    });
    const giveUp = (): void => this.#drop(id);
    const round: Round = { owner, size: 0, answers, resumers, outcome, giveUp, stop: () => undefined, onDropped };
    this.#rounds.set(id, round);
    const store = (standing?: SuspendedState): void => this.#store(id, round, standing);
    outcome.then(store, () => store());
    return outcome;
  }

  #store(id: string, round: Round, standing: SuspendedState | undefined): void {
    if (!this.#rounds.has(id)) return;
    const size = standing === undefined ? 0 : jsonText(standing).length;
    const ended: Round = { ...round, resumers: undefined, size, stop: after(outcomeTtlMs, () => this.#drop(id)) };
    this.#rounds.set(id, ended);
    this.#stored.add(ended);
  }

  /** Drops every outcome. */
  close(): void {
    for (const id of this.#rounds.keys()) this.#drop(id);
  }

  #drop(id: string): void {
    const round = this.#rounds.get(id);
    if (round === undefined) return;
    this.#rounds.delete(id);
    this.#stored.delete(round);
    round.stop();
    round.onDropped();
  }
}

/** The deliveries that wait for one run. The last one gets its notifications, and it is cancelled when all have left. */
class CallResumers implements CallResumer {
  readonly #present: CallResumer[] = [];
  readonly #left = new AbortController();
  #last: CallResumer;

  constructor(first: CallResumer) {
    this.#last = first;
    this.add(first);
  }

  get signal(): AbortSignal {
    return this.#left.signal;
  }

  get meta(): CallResumer['meta'] {
    return this.#last.meta;
  }

  get logLevel(): CallResumer['logLevel'] {
    return this.#last.logLevel;
  }

  admits(...level: Parameters<CallResumer['admits']>): boolean {
    return this.#last.admits(...level);
  }

  send(...message: Parameters<CallResumer['send']>): void {
    this.#last.send(...message);
  }

  add(resumer: CallResumer): void {
    const { signal } = resumer;
    this.#present.push(resumer);
    this.#last = resumer;
    const leave = (): void => {
      this.#present.splice(this.#present.indexOf(resumer), 1);
      const last = this.#present.at(-1);
      if (last === undefined) this.#left.abort(signal.reason);
      else this.#last = last;
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  }
}

const otherAnswers = 'it was used before, with other answers, and its call went on with those';
