import { Call, type CallFace } from '../runtime/call.ts';
import type { AuthInfo } from '../runtime/request-handler.ts';
import type { ServerSession } from '../runtime/server-core.ts';
import { McpError } from '../../protocol/error.ts';
import type { LoggingLevel } from '../../protocol/features/logging.ts';
import { revisionOf } from '../../protocol/revision.ts';
import { isRoundEnd, unnamed, type Ask, type ClientRequester } from '../../connection/client-request.ts';
import { digestOf } from '../../connection/digest.ts';
import { newSeed, MemoizedSteps, type Effect, type Ran } from '../../connection/memoized-steps.ts';
import { progressWords } from '../../connection/progress.ts';
import type { TaskContext } from '../definition/task-definition.ts';
import { leave } from './left.ts';
import { TaskRequester } from '../../tasks/task-requester.ts';
import type { TaskAnswer, TaskRecord } from '../../tasks/record.ts';
import type { TaskRun } from '../../tasks/run.ts';

/** Voice of a task beside its status, in the revisions that have that. */
export interface TaskNotifier {
  progress(done: number, total: number | undefined, message: string | undefined): void;
  log(level: LoggingLevel, data: unknown, logger: string | undefined): void;
}

/**
 * A call of a tool that is a task, or may become one. Its handler sees the same interface before and after. Until then
 * it sends messages and questions through its exchange, and ends with it. From then on it uses the task.
 */
export class TaskCall implements CallFace, ClientRequester {
  inputResponses: Readonly<Record<string, unknown>> | undefined;
  requestState: unknown;
  lackedScopes: readonly string[] | undefined;
  unanswered = 0;
  /** Makes a task of the call; set while that is possible. */
  become: (() => Promise<void>) | undefined;
  readonly #call: Call;
  readonly #controller = new AbortController();
  readonly #once: MemoizedSteps;
  readonly #answers = new Map<string, TaskAnswer>();
  readonly #ran = new Map<string, Ran>();
  #order = 0;
  /** Number of questions of the exchange that wait, or that end it. */
  #asking = 0;
  #becoming: Promise<void> | undefined;
  #task:
    | { readonly run: TaskRun; readonly requester: TaskRequester; readonly notifier: TaskNotifier | undefined }
    | undefined;

  constructor(call: Call, known: Readonly<Record<string, Ran>> = {}) {
    this.#call = call;
    const seed = (call.seed ??= newSeed());
    this.#once = new MemoizedSteps(known, () => seed);
    this.inputResponses = call.inputResponses;
    this.requestState = call.requestState;
    call.onAbort(() => {
      if (this.#task === undefined) this.#controller.abort(call.signal.reason);
    });
  }

  /** The task that it is by now. */
  get run(): TaskRun | undefined {
    return this.#task?.run;
  }

  /** Answers and effects from before it was a task, for runs to come. */
  get learned(): Pick<TaskRecord, 'answers' | 'once' | 'seed'> {
    const { seed } = this.#call;
    return {
      answers: Object.fromEntries(this.#answers),
      once: Object.fromEntries(this.#ran),
      ...(seed === undefined ? {} : { seed }),
    };
  }

  /** Tells whether it ends its exchange with questions, so that it becomes no task any more. */
  get asks(): boolean {
    return this.#asking > 0;
  }

  /** The task, as its handler sees it. */
  get task(): TaskContext | undefined {
    const run = this.#task?.run;
    if (run === undefined) return undefined;
    return { id: run.id, attempt: run.record.attempt, say: (message) => run.say(message), leave };
  }

  /** Makes a task of the call now, if that is possible. */
  async background(): Promise<void> {
    await this.become?.();
  }

  /** Waits with questions until it is known whether it is a task. */
  hold(becoming: Promise<void>): void {
    this.#becoming = becoming;
  }

  /** Continues as a task. */
  goOn(run: TaskRun, notifier: TaskNotifier | undefined): void {
    const { facts: revision, client } = this.#call;
    const requester = new TaskRequester(run, { revision, capabilities: client.capabilities }, this.#once, this.#order);
    this.#task = { run, requester, notifier };
    const abort = (): void => this.#controller.abort(run.signal.reason);
    if (run.signal.aborted) abort();
    else run.signal.addEventListener('abort', abort, { once: true });
    // Effects that ended while it was made are not in its record yet.
    for (const [key, ran] of this.#ran)
      if (!Object.hasOwn(run.record.once, key)) void run.keep(key, ran).catch(() => undefined);
  }

  get auth(): AuthInfo | undefined {
    return this.#call.auth;
  }

  get requestId(): Call['requestId'] {
    return this.#call.requestId;
  }

  get method(): string {
    return this.#call.method;
  }

  get facts(): Call['facts'] {
    return this.#call.facts;
  }

  get revision(): Call['revision'] {
    return this.#call.revision;
  }

  get continues(): string | undefined {
    return this.#call.continues;
  }

  get meta(): Call['meta'] {
    return this.#call.meta;
  }

  get client(): Call['client'] {
    return this.#call.client;
  }

  get network(): string | undefined {
    return this.#call.network;
  }

  get address(): string | undefined {
    return this.#call.address;
  }

  get session(): ServerSession | undefined {
    return this.#call.session;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get aborted(): boolean {
    return this.#task === undefined ? this.#call.aborted : this.#task.run.over !== undefined;
  }

  get requester(): ClientRequester {
    return this;
  }

  progress(done: number, total?: number, message?: string): void {
    if (this.#task === undefined) return this.#call.progress(done, total, message);
    for (const value of [done, total ?? 0])
      if (typeof value !== 'number') throw new TypeError(`progress takes numbers, not ${JSON.stringify(value)}`);
    const { run, notifier } = this.#task;
    if (notifier !== undefined) return notifier.progress(done, total, message);
    // Spec ext-tasks: tasks report by their status message alone.
    run.say(
      progressWords({
        progress: done,
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message }),
      }),
    );
  }

  log(level: LoggingLevel, data: unknown, logger?: string): void {
    if (this.#task === undefined) this.#call.log(level, data, logger);
    else this.#task.notifier?.log(level, data, logger);
  }

  closeStream(retryMs?: number): void {
    if (this.#task === undefined) this.#call.closeStream(retryMs);
  }

  async ask<T>(ask: Ask<T>): Promise<T> {
    await this.#becoming;
    if (this.#task !== undefined) return await this.#task.requester.ask(ask);
    const { method, params, key } = ask;
    const name = key ?? unnamed(++this.#order);
    this.#asking++;
    let ends = false;
    try {
      return await this.#call.requester.ask<T>({
        ...ask,
        accept: async (given) => {
          const accepted = await ask.accept(given);
          if (accepted.problem === undefined)
            this.#answers.set(name, { digest: digestOf([method, params]), answer: given });
          return accepted;
        },
      });
    } catch (error) {
      ends = isRoundEnd(error);
      throw error;
    } finally {
      // What could not be asked ends nothing.
      if (!ends) this.#asking--;
    }
  }

  async once<T>(key: string, effect: Effect<T>): Promise<T> {
    await this.#becoming;
    // The rounds of the exchange store it too. Both have the same outcome.
    const task = this.#task?.run;
    const run: Effect<T> =
      task === undefined ? () => this.#call.requester.once(key, effect) : (id) => task.begin(() => effect(id));
    return await this.#once.run(key, run, async (ran) => {
      this.#ran.set(key, ran);
      await this.#task?.run.keep(key, ran);
    });
  }
}

/** The call of a run that begins from stored state. No client waits for it. */
export function callOf(
  { id, request, seed }: TaskRecord,
  live: { auth?: AuthInfo | undefined; session?: ServerSession | undefined },
): Call {
  const revision = revisionOf(request.revision);
  if (revision === undefined) throw new McpError('internalError', `revision ${request.revision} is not known here`);
  const { info, capabilities } = request.client;
  const link = { lasting: true, send: () => undefined, network: request.network };
  const facts = { revision, client: { info, capabilities }, link, session: live.session, logLevel: () => undefined };
  const auth = live.auth ?? (request.auth as AuthInfo | undefined);
  const call = new Call(facts, { jsonrpc: '2.0', id, method: 'tools/call', params: request.params }, auth);
  call.seed = seed;
  return call;
}
