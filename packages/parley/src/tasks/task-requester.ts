import { errorFromWire, McpError } from '../protocol/error.ts';
import type { ClientCapabilities } from '../protocol/capability.ts';
import type { Revision } from '../protocol/revision.ts';
import { quiet, unnamed, type Ask, type ClientRequester } from '../connection/client-request.ts';
import { digestOf } from '../connection/digest.ts';
import type { Effect, MemoizedSteps } from '../connection/memoized-steps.ts';
import { readAnswer } from '../connection/read-answer.ts';
import { requireCapabilities } from '../connection/required-capabilities.ts';
import type { TaskRun } from './run.ts';

/** Times that a question is put before an answer that does not fit is the end of it. */
const maxAttempts = 3;

/** Client of a task, as the request that began it declared it. */
export interface TaskClient {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
}

/**
 * Asks as a task does: the question waits among those of the task until the client answers it. A run that begins again finds
 * the answers of the one before.
 */
export class TaskRequester implements ClientRequester {
  readonly #run: TaskRun;
  readonly #client: TaskClient;
  readonly #once: MemoizedSteps;
  /**
   * Number of keys that this run used for each name: a handler that manages its rounds may repeat a question under the
   * same name.
   */
  readonly #turns = new Map<string, number>();
  #order = 0;

  /** @param order Number of questions without a key that it asked before it was a task. */
  constructor(run: TaskRun, client: TaskClient, once: MemoizedSteps, order = 0) {
    this.#run = run;
    this.#client = client;
    this.#once = once;
    this.#order = order;
  }

  ask<T>(ask: Ask<T>): Promise<T> {
    return quiet(this.#ask(ask));
  }

  once<T>(key: string, effect: Effect<T>): Promise<T> {
    return this.#once.run(
      key,
      (id) => this.#run.begin(() => effect(id)),
      (ran) => this.#run.keep(key, ran),
    );
  }

  async #ask<T>({ method, params, key, signal, task, accept }: Ask<T>): Promise<T> {
    const { revision, capabilities } = this.#client;
    requireCapabilities(method, params, revision, capabilities);
    const name = key ?? unnamed(++this.#order);
    const digest = digestOf([method, params]);
    let problem = '';
    for (let attempt = 0; attempt < maxAttempts;) {
      const turn = (this.#turns.get(name) ?? 0) + 1;
      this.#turns.set(name, turn);
      // Spec ext-tasks, Input: a key is used once in the life of a task.
      const key = turn === 1 ? name : `${name}~${turn}`;
      const { answers, open } = this.#run.record;
      const answered = Object.hasOwn(answers, key) ? answers[key] : undefined;
      const known = answered ?? (Object.hasOwn(open, key) ? open[key] : undefined);
      // It belongs to another question: the handler changed its mind between two runs.
      if (known !== undefined && known.digest !== digest) continue;
      const { answer, error } =
        answered ?? (await this.#run.ask(key, { method, params, digest, ...(task && { task }) }, signal));
      if (error !== undefined) throw errorFromWire(error);
      const read = readAnswer(revision, method, answer);
      const accepted = read === undefined ? { problem: 'it is not of the type of the question' } : await accept(read);
      if (accepted.problem === undefined) return accepted.value;
      problem = accepted.problem;
      attempt++;
    }
    throw new McpError('invalidParams', `the client's answer to ${method} does not fit: ${problem}`);
  }
}
