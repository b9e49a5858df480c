import { unawaited } from '../../requests/reconnecting.ts';
import { mayPass } from '../../connection/retry.ts';
import { McpError } from '../../../protocol/error.ts';
import type { InputResponses } from '../../../protocol/features/rounds.ts';
import { Pauses } from '../../connection/backoff.ts';
import { CoreResult } from './core-result.ts';
import { TaskCancelledError, TaskGoneError, TaskInputRequiredError } from '../../api/task-errors.ts';
import type { NudgedTask, FollowedTaskOptions, FollowParts, TaskWatcher } from './follow-parts.ts';
import { baseOf, PollInterval } from '../../../connection/poll-interval.ts';
import { hasEnded } from '../../../protocol/task-status.ts';
import { isUnknown, Patience } from './patience.ts';
import type { TaskReference } from '../../api/task-handle.ts';
import { TaskInputs } from './task-inputs.ts';
import { failureInCore, isBare, outcomeOf, type TaskEnd } from './task-outcome.ts';
import type { TaskSent } from './task-requests.ts';
import { isUnchanged, type TaskState } from './task-state.ts';

/** Waiting time after which the client subscribes to the task's changes, in milliseconds. */
const listenAfterMs = 2_000;

/** Poll interval despite a subscription. */
const netMs = 60_000;

/** Limit of requests in a row that fail to bring the result of a task which has one. */
const maxTries = 10;

/** Follows one task while a caller waits for it: polls its state, answers its questions, and finds its outcome. */
export class FollowedTask implements NudgedTask {
  readonly #parts: FollowParts;
  readonly #options: FollowedTaskOptions;
  readonly #watchers = new Set<TaskWatcher>();
  readonly #inputs: TaskInputs;
  readonly #core: CoreResult;
  readonly #pause = new Pauses();
  readonly #pace = new PollInterval();
  #state: TaskState | undefined;
  #wanting: TaskInputRequiredError | undefined;
  #outcome: TaskEnd | undefined;
  #broken: { readonly error: unknown } | undefined;
  #isRunning = false;
  #round = new AbortController();
  /** Time at which the current wait began. */
  #since = 0;
  #askedAt = Number.NEGATIVE_INFINITY;
  #isTold = false;
  #isNudged = false;
  /** Number of polls since the server sends changes. */
  #covered = 0;
  readonly #patience: Patience;

  constructor(parts: FollowParts, options: FollowedTaskOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#state = options.state;
    this.#patience = new Patience(parts.settings);
    const { inputs } = parts.settings;
    this.#inputs = new TaskInputs({
      inputs,
      capabilities: options.sent.capabilities,
      answered: options.reference.answered,
      revision: () => parts.requests.revision,
      ready: () => this.#tell(),
      asks: (isAsking) => this.#watchers.forEach((watcher) => watcher.asks?.(isAsking)),
      failed: (error) => this.#break(error),
    });
    options.progress?.became();
    this.#core = new CoreResult(parts.requests, {
      taskId: this.taskId,
      sent: options.sent,
      arrived: () => this.#tell(),
    });
  }

  get taskId(): string {
    return this.#options.reference.taskId;
  }

  /** The last known state of the task. */
  get state(): TaskState | undefined {
    return this.#state;
  }

  get reference(): TaskReference {
    const { reference } = this.#options;
    const { createdAt = reference.createdAt, ttlMs = reference.ttlMs } = this.#state ?? {};
    return { ...reference, createdAt, ttlMs, answered: [...this.#inputs.answered] };
  }

  get answered(): ReadonlySet<string> {
    return this.#inputs.answered;
  }

  /** Joins the callers that wait already. Returns a function that ends this wait. */
  watch(watcher: TaskWatcher): () => void {
    if (this.#state !== undefined) watcher.told?.(this.#state);
    this.#watchers.add(watcher);
    if (this.#inputs.isAsking) watcher.asks?.(true);
    if (!this.#isRunning) void this.#follow();
    else if (this.#wanting !== undefined) watcher.wants?.(this.#wanting);
    return () => {
      if (this.#watchers.delete(watcher) && this.#watchers.size === 0) this.#rest();
    };
  }

  /** Another request read the state, or the server sent a notification, which may lack the outcome. */
  heard(state: TaskState): void {
    if (this.#isPart(state)) return this.nudge();
    this.#take(state);
    this.#tell();
  }

  /** The task may have changed: it is polled as soon as allowed. */
  nudge(): void {
    if (this.#isNudged) return;
    this.#isNudged = true;
    this.#pause.wake();
  }

  /** From now on the server sends changes. */
  covered(): void {
    this.#covered = 0;
  }

  /** Gives answers that were found in another way. */
  async give(responses: InputResponses, sent: TaskSent): Promise<void> {
    await this.#parts.requests.update(this.taskId, responses, { ...this.#options.sent, ...sent });
    for (const key of Object.keys(responses)) this.#inputs.delivered(key);
    this.#wanting = undefined;
    this.#pace.changed();
    this.nudge();
  }

  /** Asks once how the task stands. */
  async poll(sent: TaskSent): Promise<TaskState> {
    const state = await this.#parts.requests
      .get(this.taskId, { ...this.#options.sent, ...sent })
      .catch((error: unknown) => {
        throw this.#explained(error);
      });
    this.heard(state);
    return state;
  }

  /** Cancels the task; one that has ended stays as it is. */
  async cancel(sent: TaskSent): Promise<void> {
    if (this.#outcome !== undefined || (this.#state !== undefined && hasEnded(this.#state))) return;
    try {
      const state = await this.#parts.requests.cancel(this.taskId, { ...this.#options.sent, ...sent });
      // Spec 2025-11-25, Tasks, Task Cancellation: a cancelled task may be removed at once. [tasks-040]
      if (state?.status === 'cancelled') this.heard(state);
      this.nudge();
    } catch (error) {
      // Spec 2025-11-25, Tasks, Task Cancellation: one that has ended gets the error of one that is unknown.
      const isEnded = isUnknown(error) && hasEnded(await this.poll(sent));
      if (!isEnded) throw error;
    }
  }

  /** Cancels the task because no caller wants it any more. Failures are ignored. */
  abandon(): void {
    if (this.#parts.over() === undefined) this.cancel(unawaited).catch(() => undefined);
  }

  async #follow(): Promise<void> {
    const { settings, listener, following } = this.#parts;
    this.#isRunning = true;
    this.#since = settings.clock();
    following(this, true);
    try {
      while (this.#watchers.size > 0 && this.#outcome === undefined) await this.#attempt();
      if (this.#outcome !== undefined) this.#end(this.#outcome, true);
    } catch (error) {
      this.#end({ error }, false);
    } finally {
      this.#isRunning = false;
      following(this, false);
      this.#inputs.stop();
      this.#core.stop();
      listener.drop(this.taskId);
    }
  }

  /** Continues until the task has ended, or until no caller waits. */
  async #attempt(): Promise<void> {
    const { signal } = (this.#round = new AbortController());
    try {
      // After a pause without callers, another client may have given the input that it wanted.
      const isStale = this.#state === undefined || this.#wanting !== undefined || this.#isBare(this.#state);
      this.#wanting = undefined;
      if (isStale) await this.#ask(signal);
      while (this.#outcome === undefined && !signal.aborted) await this.#turn(signal);
    } catch (error) {
      // A caller that joined after the last one left starts a new round.
      if (!signal.aborted) throw error;
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const state = this.#state;
    if (this.#broken !== undefined) throw this.#taken().error;
    if (state !== undefined) {
      this.#options.progress?.say(state.statusMessage, state.status);
      const outcome = await this.#outcomeOf(state, signal);
      if (outcome !== undefined) return this.#settle(outcome);
      this.#answer(state);
      await this.#deliver(signal);
    }
    await this.#wait();
    const isTold = this.#isTold;
    this.#isTold = false;
    const isOver = this.#state !== undefined && hasEnded(this.#state);
    if (!isTold && !isOver && !signal.aborted) await this.#ask(signal);
  }

  async #wait(): Promise<void> {
    const { settings, listener } = this.#parts;
    const isLong = settings.clock() - this.#since >= listenAfterMs;
    if (isLong && this.#parts.requests.revision.tasks === 'extension') listener.want(this.taskId, this);
    if (this.#isTold || this.#round.signal.aborted) return;
    if (!this.#isNudged) await this.#pause.wait(this.#delay());
    if (this.#isTold || this.#round.signal.aborted || !this.#isNudged) return;
    // Never sooner than the server allows.
    const left = this.#askedAt + baseOf(this.#state?.pollMs) - settings.clock();
    if (left > 0) await this.#pause.wait(left);
  }

  #delay(): number {
    const { settings, listener } = this.#parts;
    const random = settings.random();
    const { retryMs } = this.#patience;
    if (retryMs !== undefined) return retryMs;
    const delay = this.#pace.next(this.#state?.pollMs, random);
    // What changed before the server began to tell is found by one more question.
    const isCovered = listener.covers(this.taskId) && this.#covered++ > 0;
    return isCovered ? Math.max(delay, netMs * (1 + random / 10)) : delay;
  }

  /** Polls the task. Temporary failures are retried. */
  async #ask(signal: AbortSignal): Promise<void> {
    const { requests, turns, settings } = this.#parts;
    this.#isNudged = false;
    try {
      const state = await turns.take(() => requests.get(this.taskId, { ...this.#options.sent, signal }));
      this.#patience.answered();
      this.#take(state);
    } catch (error) {
      if (signal.aborted) throw error;
      this.#failed(error);
    } finally {
      this.#askedAt = settings.clock();
    }
  }

  /** @throws What cannot be waited out. */
  #failed(error: unknown): void {
    this.#patience.failed(error, this.reference, this.#parts.over());
  }

  /**
   * Tells whether a state lacks the task's outcome, which only the result of `tasks/get` has. (Spec ext-tasks,
   * CreateTaskResult.)
   */
  #isBare(state: TaskState): boolean {
    return this.#parts.requests.revision.tasks === 'extension' && isBare(state);
  }

  /** Tells whether a state lacks the task's outcome or its questions, which `tasks/get` returns. */
  #isPart(state: TaskState): boolean {
    const isAsking = state.status === 'input_required' && state.inputRequests === undefined;
    return this.#isBare(state) || (isAsking && this.#parts.requests.revision.tasks === 'extension');
  }

  #take(state: TaskState): void {
    const before = this.#state;
    if (this.#outcome !== undefined || (before !== undefined && hasEnded(before) && !this.#isBare(before))) return;
    this.#state = state;
    if (before !== undefined && isUnchanged(before, state)) return;
    this.#pace.changed();
    for (const watcher of this.#watchers) watcher.told?.(state);
  }

  /** Something is known that the next turn is about. */
  #tell(): void {
    this.#isTold = true;
    this.#pause.wake();
  }

  #break(error: unknown): void {
    this.#broken = { error };
    this.#tell();
  }

  #taken(): { readonly error: unknown } {
    const broken = this.#broken ?? { error: undefined };
    this.#broken = undefined;
    return broken;
  }

  /** Runs the handlers for the input that the task wants. */
  #answer(state: TaskState): void {
    if (this.#parts.requests.revision.tasks !== 'extension') return;
    const open = state.status === 'input_required' ? (state.inputRequests ?? {}) : {};
    const why = this.#inputs.take(open);
    if (why === undefined) return;
    const isNew = this.#wanting === undefined;
    this.#wanting ??= new TaskInputRequiredError(this.reference, open, why);
    if (isNew) for (const watcher of this.#watchers) watcher.wants?.(this.#wanting);
  }

  async #deliver(signal: AbortSignal): Promise<void> {
    if (!this.#inputs.hasReady) return;
    const { requests } = this.#parts;
    try {
      await this.#inputs.deliver((responses) =>
        requests.update(this.taskId, responses, { ...this.#options.sent, signal }),
      );
      this.#pace.changed();
    } catch (error) {
      if (signal.aborted) throw error;
      if (!(error instanceof McpError) || mayPass(error)) return this.#failed(error);
      // It may have ended, or expired, meanwhile.
      await this.#ask(signal);
      if (this.#state !== undefined && !hasEnded(this.#state)) throw error;
      this.#inputs.discard();
    }
  }

  /** The outcome of a task that has ended; `undefined` for a running task. */
  async #outcomeOf(state: TaskState, signal: AbortSignal): Promise<TaskEnd | undefined> {
    if (state.status === 'cancelled') return { error: new TaskCancelledError(this.reference, state.statusMessage) };
    const { requests, learned } = this.#parts;
    if (requests.revision.tasks === 'core') return await this.#outcomeInCore(state, signal);
    return outcomeOf(state, { revision: requests.revision, learned });
  }

  /**
   * The outcome in 2025-11-25, where a separate request waits for it. Questions come while it waits. So it is sent when
   * the task wants input, and when it has ended.
   */
  async #outcomeInCore(state: TaskState, signal: AbortSignal): Promise<TaskEnd | undefined> {
    const { settings } = this.#parts;
    if (hasEnded(state)) await this.#core.settled(settings.timeoutMs);
    else if (state.status === 'input_required' || this.#options.progress !== undefined)
      this.#core.wait(settings.clock());
    const arrived = this.#core.take();
    if (arrived === undefined || 'result' in arrived) return arrived;
    return await this.#outcomeOfError(arrived.error, signal);
  }

  /** An error is the task's own, or is about the request: which one is known by how the task stands. */
  async #outcomeOfError(error: unknown, signal: AbortSignal): Promise<TaskEnd | undefined> {
    signal.throwIfAborted();
    const { settings } = this.#parts;
    this.#core.delay(settings.clock(), settings.random());
    const isAnswer = error instanceof McpError;
    if (isAnswer && this.#state !== undefined && !hasEnded(this.#state)) {
      await this.#ask(signal);
      this.#isTold = hasEnded(this.#state);
    }
    const failure = this.#state && failureInCore(this.#state, error);
    if (failure !== undefined) return { error: this.#parts.learned(failure) };
    if (this.#state?.status === 'cancelled') return undefined;
    const isOver = this.#state !== undefined && hasEnded(this.#state);
    if (isOver && this.#core.tries >= maxTries) throw error;
    if (isOver) {
      this.#failed(error);
      // What arrived is taken: the next request waits for its time.
      this.#isTold = false;
    } else if (!mayPass(error)) throw error;
    return undefined;
  }

  /** No caller waits any more. */
  #rest(): void {
    this.#round.abort();
    this.#inputs.stop();
    this.#core.stop();
    this.#pause.wake();
  }

  #settle(outcome: TaskEnd): void {
    const state = this.#state;
    if (state !== undefined && !hasEnded(state) && 'result' in outcome)
      // In 2025-11-25 the result may be there before its status is.
      this.#take({ ...state, status: outcome.result.isError === true ? 'failed' : 'completed' });
    this.#outcome = outcome;
    this.#options.release?.();
  }

  #end(outcome: TaskEnd, isOwn: boolean): void {
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    for (const watcher of watchers) watcher.ended(outcome, isOwn);
  }

  #explained(error: unknown): unknown {
    return isUnknown(error) ? new TaskGoneError(this.reference, 'unknown', error) : error;
  }
}
