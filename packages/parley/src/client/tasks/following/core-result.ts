import { settledWithin } from '../../../jsonrpc/timeout.ts';
import type { CallToolResult } from '../../../protocol/features/tools.ts';
import { backoffMs } from '../../connection/backoff.ts';
import type { TaskRequests, TaskSent } from './task-requests.ts';

/** Time for the server to answer once the task has ended, if no limit is set, in milliseconds. */
const usualMs = 60_000;

/** Answer to a request for the result, or the error. */
export type ArrivedResult = { readonly result: CallToolResult } | { readonly error: unknown };

/** Parts that waiting for the result of a task of 2025-11-25 needs. */
export interface CoreResultOptions {
  readonly taskId: string;
  readonly sent: TaskSent;
  /** An answer is there. */
  arrived(): void;
}

/** The request that waits for the result of a task, in 2025-11-25: `tasks/result`, one at a time. */
export class CoreResult {
  readonly #requests: TaskRequests;
  readonly #options: CoreResultOptions;
  #pending: { readonly stop: AbortController; readonly done: Promise<void> } | undefined;
  #arrived: ArrivedResult | undefined;
  #notBefore = Number.NEGATIVE_INFINITY;
  #tries = 0;

  constructor(requests: TaskRequests, options: CoreResultOptions) {
    this.#requests = requests;
    this.#options = options;
  }

  /** Number of requests in a row that brought no result. */
  get tries(): number {
    return this.#tries;
  }

  /** Waits for the result without a time limit. Does nothing if it waits already. */
  wait(now: number): void {
    if (this.#pending === undefined && this.#arrived === undefined && now >= this.#notBefore) void this.#send(0);
  }

  /** Resolves when the answer is there, of a task that has ended. */
  async settled(timeoutMs: number): Promise<void> {
    const ms = timeoutMs === 0 ? usualMs : timeoutMs;
    if (this.#pending !== undefined && !(await settledWithin(ms, this.#pending.done))) this.stop();
    if (this.#arrived === undefined) await this.#send(this.#options.sent.timeoutMs);
  }

  /** Takes the answer, if there is one. */
  take(): ArrivedResult | undefined {
    const arrived = this.#arrived;
    this.#arrived = undefined;
    return arrived;
  }

  /** Waits longer before the next request, since this one failed. */
  delay(now: number, random: number): void {
    this.#notBefore = now + backoffMs(this.#tries++, random);
  }

  /** Waits no more. */
  stop(): void {
    this.#pending?.stop.abort();
    this.#pending = undefined;
    this.#arrived = undefined;
  }

  #send(timeoutMs: number | undefined): Promise<void> {
    const { taskId, sent, arrived } = this.#options;
    const stop = new AbortController();
    const limits = { ...sent, timeoutMs, ...(timeoutMs === 0 ? { maxTotalTimeoutMs: 0 } : {}) };
    const settle = (outcome: ArrivedResult): void => {
      if (stop.signal.aborted) return;
      this.#pending = undefined;
      this.#arrived = outcome;
      arrived();
    };
    const done = this.#requests.result(taskId, { ...limits, signal: stop.signal }).then(
      (result) => settle({ result }),
      (error: unknown) => settle({ error }),
    );
    this.#pending = { stop, done };
    return done;
  }
}
