import { isObject } from '../../../jsonrpc/message.ts';
import { isUnknown } from '../../../client/tasks/following/patience.ts';
import { after } from '../../../jsonrpc/timeout.ts';
import { unlessAborted } from '../../../storage/turns.ts';
import type { AskMethod } from '../../../connection/client-request.ts';
import { PollInterval } from '../../../connection/poll-interval.ts';
import { fromWire } from '../../../protocol/compile/from-wire.ts';
import { errorFromWire, McpError } from '../../../protocol/error.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { getTaskResultShape, type GetTaskResult } from '../../../protocol/features/tasks.ts';
import { hasEnded } from '../../../protocol/task-status.ts';
import { questionLimits } from '../../../tasks/machine.ts';
import { malformedTask, objectOf } from '../attempt.ts';
import type { KeptWork } from '../stored/stored-work.ts';
import { Outage } from './outage.ts';

/** Time after which the bridge subscribes to a running task, and after which it subscribes again, in milliseconds. */
const hearAfterMs = 2_000;
const hearAgainMs = 30_000;

/** Time for which notifications of a server are collected before the task is polled, in milliseconds. */
const gatheringMs = 100;

/**
 * Follows a task of the extension to its end by polling, at the interval that its server names. Questions of the task
 * go to the client meanwhile, and closed ones are withdrawn.
 */
export class UpstreamTask {
  readonly #work: KeptWork;
  readonly #taskId: string;
  readonly #pace = new PollInterval();
  readonly #over = new AbortController();
  readonly #questions = new Map<string, AbortController>();
  #fail: (error: unknown) => void = () => undefined;
  #seen: string | undefined;
  readonly #outage = new Outage();
  #wake: () => void = () => undefined;
  #isTold = false;

  constructor(work: KeptWork, taskId: string) {
    this.#work = work;
    this.#taskId = taskId;
  }

  /**
   * Waits for its end.
   *
   * @param firstMs Interval until the first poll, from the server.
   * @returns The result of the call.
   * @throws McpError that the call failed with.
   */
  async ended(firstMs: number | undefined): Promise<JsonObject> {
    const failed = new Promise<never>((_, reject) => (this.#fail = reject));
    failed.catch(() => undefined);
    try {
      void this.#hearing();
      return await Promise.race([this.#looking(firstMs), failed]);
    } finally {
      this.#over.abort(new DOMException('the task is not followed any more', 'AbortError'));
      for (const question of this.#questions.values()) question.abort();
    }
  }

  async #looking(firstMs: number | undefined): Promise<JsonObject> {
    const signal = AbortSignal.any([this.#work.face.signal, this.#over.signal]);
    let intervalMs = firstMs;
    for (;;) {
      await this.#untilNext(intervalMs, signal);
      const task = await this.#look(signal);
      if (task === undefined) continue;
      intervalMs = task.pollIntervalMs;
      this.#saw(task);
      if (hasEnded(task)) return outcomeOf(task);
      const open = task.status === 'input_required' ? (task.inputRequests ?? {}) : {};
      this.#withdraw(open);
      for (const [key, question] of Object.entries(open)) this.#ask(key, question);
    }
  }

  /**
   * Waits until the next poll, which comes sooner if the server reports a change. Changes at the start cause a poll at
   * once.
   */
  async #untilNext(intervalMs: number | undefined, signal: AbortSignal): Promise<void> {
    const changed = new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#isTold) this.#wake();
    await rest(this.#pace.next(intervalMs, Math.random()), signal, changed);
    if (this.#isTold) await rest(gatheringMs, signal);
    this.#isTold = false;
  }

  /** Subscribes to changes, if the server supports that. The task is polled in any case. */
  async #hearing(): Promise<void> {
    const signal = AbortSignal.any([this.#work.face.signal, this.#over.signal]);
    const changed = (): void => {
      this.#isTold = true;
      this.#wake();
    };
    for (let ms = hearAfterMs; !signal.aborted; ms = hearAgainMs)
      try {
        await rest(ms, signal);
        await this.#work.hear(this.#taskId, changed, signal);
      } catch {
        // Notifications are optional: a failure is retried.
      }
  }

  /** Polls once. @returns `undefined` if the server could not be reached, and may be next time. */
  async #look(signal: AbortSignal): Promise<GetTaskResult | undefined> {
    let got: JsonObject;
    try {
      got = await this.#work.request('tasks/get', { taskId: this.#taskId }, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      this.#outage.failed(error, 'tasks/get');
      return undefined;
    }
    this.#outage.over();
    try {
      return fromWire(this.#work.revision, getTaskResultShape, got);
    } catch (error) {
      throw malformedTask(error);
    }
  }

  #saw({ status, statusMessage, lastUpdatedAt }: GetTaskResult): void {
    const seen = JSON.stringify([status, statusMessage, lastUpdatedAt]);
    if (seen !== this.#seen) this.#pace.changed();
    this.#seen = seen;
    if (statusMessage !== undefined) this.#work.face.task?.say(statusMessage);
  }

  /** Spec ext-tasks, Input requests: each key is answered once. */
  #ask(key: string, question: { readonly method: AskMethod; readonly params?: object }): void {
    if (this.#questions.has(key)) return;
    if (this.#questions.size >= questionLimits.ever)
      throw new McpError(
        'internalError',
        `the upstream server asks more than ${questionLimits.ever} questions for a task`,
      );
    const gone = new AbortController();
    this.#questions.set(key, gone);
    const answering = async (): Promise<void> => {
      const answer = await this.#work.ask(`task:${key}`, question, gone.signal);
      if (!gone.signal.aborted) await this.#deliver(key, answer, gone.signal);
      this.#pace.changed();
    };
    answering().catch((error: unknown) => {
      if (!gone.signal.aborted) this.#fail(error);
    });
  }

  /** Sends an answer of the client to the server, and retries if it could not be reached. */
  async #deliver(key: string, answer: JsonObject, gone: AbortSignal): Promise<void> {
    const outage = new Outage();
    const pace = new PollInterval();
    const signal = AbortSignal.any([gone, this.#over.signal]);
    const update = async (): Promise<true> => {
      const inputResponses = { [key]: answer };
      await this.#work.request('tasks/update', { taskId: this.#taskId, inputResponses }, this.#over.signal);
      return true;
    };
    for (;;) {
      try {
        await this.#work.face.once(`answered:${key}`, update);
        return;
      } catch (error) {
        if (signal.aborted) return;
        // It may have ended, or taken the question back, meanwhile.
        if (isUnknown(error) && !(await this.#wants(key, signal))) return;
        outage.failed(error, 'tasks/update');
      }
      await rest(pace.next(undefined, Math.random()), signal);
    }
  }

  /** Tells whether the task still waits for an answer, as far as the server can be asked. */
  async #wants(key: string, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      const task = await this.#look(signal);
      if (task !== undefined) return task.status === 'input_required' && Object.hasOwn(task.inputRequests ?? {}, key);
      await rest(this.#pace.next(undefined, Math.random()), signal);
    }
  }

  #withdraw(open: Readonly<Record<string, unknown>>): void {
    for (const [key, question] of this.#questions) if (!Object.hasOwn(open, key)) question.abort();
  }
}

function outcomeOf({ status, result, error }: GetTaskResult): JsonObject {
  if (status === 'completed') return objectOf(result, 'its result');
  if (status === 'cancelled') throw new McpError('internalError', 'the upstream server cancelled the task of the call');
  if (!isObject(error)) throw new McpError('internalError', 'the upstream server sent a failed task without its error');
  throw errorFromWire(error);
}

async function rest(ms: number, signal: AbortSignal, sooner?: Promise<void>): Promise<void> {
  let cancel = (): void => undefined;
  const over = new Promise<void>((resolve) => (cancel = after(ms, resolve)));
  try {
    await unlessAborted(sooner === undefined ? over : Promise.race([over, sooner]), signal);
  } finally {
    cancel();
  }
}
