import { handlerRounds } from '../runtime/input/requesting.ts';
import type { Call } from '../runtime/call.ts';
import type { AuthInfo } from '../runtime/request-handler.ts';
import type { ServerSession } from '../runtime/server-core.ts';
import type { MaybePromise } from '../../storage/maybe-promise.ts';
import { requireScopes } from '../runtime/protection.ts';
import { after } from '../../jsonrpc/timeout.ts';
import { isManual, isRoundEnd, quiet, type HeldQuestion } from '../../connection/client-request.ts';
import { mayBeAsked } from '../../connection/required-capabilities.ts';
import { hasClientCapability } from '../../protocol/capability.ts';
import { errorToWire, McpError } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { LoggingLevel } from '../../protocol/features/logging.ts';
import type { CallToolRequestParams } from '../../protocol/features/tools.ts';
import { revisionOf } from '../../protocol/revision.ts';
import { hasEnded } from '../../protocol/task-status.ts';
import type { Seal } from '../../sealing/seal.ts';
import { relatedTo, taskView } from '../../tasks/core.ts';
import type { HeldTask } from '../../tasks/keeper.ts';
import { expiryOf, type OpenQuestion, type TaskRecord, type TaskReply, type TaskRequest } from '../../tasks/record.ts';
import type { TaskRun } from '../../tasks/run.ts';
import { cut, maxWords } from '../../tasks/status-text.ts';
import type { RunEnding, Tasks } from '../../tasks/tasks.ts';
import type { ToolEntry } from '../features/tools.ts';
import { isLeft } from './left.ts';
import { callOf, TaskCall, type TaskNotifier } from './task-call.ts';
import { Voices } from './voices.ts';

/** Knowledge of a task that no store can keep: the session that asked for it, and its sender whole. */
interface Live {
  readonly auth: AuthInfo | undefined;
  readonly session: ServerSession | undefined;
  /** Tells whether the session wants log messages of a level. */
  admits(level: LoggingLevel): boolean;
  /**
   * Tasks that the client created for questions, by the key of the question. Another request of the client continues to
   * wait for them.
   */
  readonly held: Map<string, HeldQuestion>;
  /** The session that was asked last. */
  asked?: ServerSession;
}

/** The needs of running tools as tasks. */
export interface RunnerParts {
  /** Runs a tool, as a call or as a task. */
  run(params: CallToolRequestParams, face: TaskCall | Call): unknown;
  /** The tool under a name, if the caller may see it. */
  find(name: string, auth: AuthInfo | undefined): ToolEntry | undefined;
  /** Counts one call of a tool. Returns the message for a rejected call. Without it, there is no limit. */
  callRefusal?(tool: string, call: Call): Promise<string | undefined>;
  /** The scopes that a call of a tool needs. */
  scopes(params: CallToolRequestParams, auth: AuthInfo | undefined): MaybePromise<readonly string[]>;
  /**
   * Makes a result from a handler's return value. @throws TypeError for an invalid value, and if the tool does not
   * exist.
   */
  resultOf(request: TaskRequest, returned: unknown): object | Promise<object>;
  readonly maxRounds: number;
  now(): number;
  readonly maxTextLength: number;
  seal(): Promise<Seal>;
  onError(error: unknown, where: string): void;
}

/** Runs the tools of tasks, and sends their questions to clients that wait for their results. */
export class Runner {
  readonly voices: Voices = new Voices();
  readonly #parts: RunnerParts;
  readonly #live = new Map<string, Live>();
  readonly #tasks: () => Tasks;
  /** The tasks whose questions are being sent to a client, by the request that carries them. */
  readonly #asking = new Set<string>();

  constructor(parts: RunnerParts, tasks: () => Tasks) {
    this.#parts = parts;
    this.#tasks = tasks;
  }

  find(name: string, { auth }: Call): ToolEntry | undefined {
    return this.#parts.find(name, auth);
  }

  /** Counts a call that becomes a task. Returns the message for a call that exceeds the limit. */
  async callRefusal(tool: string, call: Call): Promise<string | undefined> {
    return await this.#parts.callRefusal?.(tool, call);
  }

  /** @throws McpError invalidRequest that names the scopes which the sender of a call lacks. */
  async requireScopes(params: CallToolRequestParams, call: Call): Promise<void> {
    requireScopes(call, await this.#parts.scopes(params, call.auth));
  }

  /** Reports why a call could not become a task. A limit is not reported to the operator. A failing store is. */
  tellUnbegun(error: unknown): undefined {
    if (!(error instanceof McpError)) this.#parts.onError(error, 'the store of tasks');
  }

  /** Runs a tool as a call. */
  plain(params: CallToolRequestParams, call: Call): unknown {
    return this.#parts.run(params, call);
  }

  /** Keeps for a new task what no store can, until it ends. */
  remember(begun: HeldTask, call: Call): void {
    const { record } = begun;
    const { auth, session } = call;
    const { id } = record;
    this.#live.set(id, { auth, session, admits: (level) => call.admits(level), held: new Map() });
    const { keeper } = this.#tasks();
    const expiry = expiryOf(record);
    const forget = (): void => {
      unclock();
      unwatch();
      this.#release(id);
    };
    const unclock = after(expiry === undefined ? Infinity : expiry - this.#parts.now(), forget);
    const revision = session?.revision;
    const tellsOf = revision?.tasks === 'core' ? revision : undefined;
    let told = tellsOf && JSON.stringify(taskView(record, tellsOf));
    const see = (kept: HeldTask | undefined): void => {
      if (kept === undefined) return forget();
      // Spec 2025-11-25, Tasks, Task Status Notification: the requestor may be notified.
      const view = tellsOf && taskView(kept.record, tellsOf);
      const text = view && JSON.stringify(view);
      if (view !== undefined && text !== told && this.#live.has(id))
        session?.notify('notifications/tasks/status', { ...view });
      told = text;
      if (hasEnded(kept.record)) forget();
    };
    const unwatch = keeper.watch(begun, see);
  }

  /** Makes the result of a task's tool from the handler's return value. */
  async resultOf({ request }: TaskRecord, returned: unknown): Promise<JsonObject> {
    return { ...(await this.#parts.resultOf(request, returned)) };
  }

  /** Runs the request of a task from its beginning, with the stored answers and effects. */
  async perform(run: TaskRun): Promise<RunEnding> {
    const { record } = run;
    const live = this.#live.get(record.id);
    try {
      const call = callOf(record, { auth: live?.auth, session: live?.session });
      const face = new TaskCall(call, record.once);
      face.goOn(run, live && this.#voiceOf(record.id, live, call));
      return await this.ending(run, face, this.#run(record, face));
    } catch (error) {
      return this.#failed(record, error);
    }
  }

  #voiceOf(id: string, { session, admits }: Live, { meta }: Call): TaskNotifier | undefined {
    return session && this.voices.of(id, session, { meta, admits });
  }

  /** Makes the end of a task of what its tool came to; it never rejects. */
  async ending(run: TaskRun, face: TaskCall, work: unknown): Promise<RunEnding> {
    try {
      let value = await work;
      if (isManual(value)) {
        const { continueManual } = await handlerRounds();
        const { maxRounds } = this.#parts;
        value = await continueManual(value, { call: face, maxRounds, again: () => this.#run(run.record, face) });
      }
      if (isLeft(value)) return 'left';
      return this.#kept(value as JsonObject);
    } catch (error) {
      return this.#failed(run.record, error);
    }
  }

  /**
   * Waits for the end of a task for a request of 2025-11-25, and sends the task's questions to its client, one request
   * at a time.
   *
   * @returns `undefined` if the task is gone.
   */
  async ended(kept: HeldTask, call: Call): Promise<HeldTask | undefined> {
    const { id, owner } = kept.record;
    const { signal, session } = call;
    // A client that cannot answer is not asked: another request of the owner answers.
    const asks = ({ status, open }: TaskRecord): boolean =>
      status === 'input_required' && !this.#asking.has(id) && questionsFor(session, open).length > 0;
    let latest: HeldTask | undefined = kept;
    while (latest !== undefined && !hasEnded(latest.record) && !signal.aborted) {
      if (session !== undefined && asks(latest.record)) await this.#ask(latest.record, call, session);
      const tasks = this.#tasks();
      latest = await tasks.until(
        (await tasks.get(id, owner)) ?? kept,
        (record) => hasEnded(record) || asks(record),
        signal,
      );
    }
    return latest;
  }

  /** Tells whether a task was made by a client of 2025-11-25. */
  isCore({ request }: TaskRecord): boolean {
    return revisionOf(request.revision)?.tasks === 'core';
  }

  /** Makes a cursor that is good for one owner. */
  async sealCursor(id: string, owner: string): Promise<string> {
    return await (await this.#parts.seal()).seal(id, `tasks of ${owner}`);
  }

  /** @throws McpError invalidParams for one that was not made here for this owner. */
  async openCursor(cursor: string, owner: string): Promise<string> {
    const id = cursor.length > 4096 ? undefined : await (await this.#parts.seal()).open(cursor, `tasks of ${owner}`);
    if (id === undefined) throw new McpError('invalidParams', 'the cursor is not one of this list');
    return id;
  }

  async #run({ request }: TaskRecord, face: TaskCall): Promise<unknown> {
    // The parameters were read by the row of `tools/call` when they came.
    return await this.#parts.run(request.params as unknown as CallToolRequestParams, face);
  }

  /** Puts the open questions that a client of 2025-11-25 may be asked to it, on the stream of its request, until each has a reply or waits no more. */
  async #ask({ id, owner, open }: TaskRecord, call: Call, session: ServerSession): Promise<void> {
    this.#asking.add(id);
    const tasks = this.#tasks();
    const { keeper } = tasks;
    const asked = questionsFor(session, open).map(([key, question]) => ({
      key,
      question,
      gone: new AbortController(),
    }));
    const see = (kept: HeldTask | undefined): void => {
      for (const { key, gone } of asked) if (kept === undefined || !Object.hasOwn(kept.record.open, key)) gone.abort();
    };
    const look = (): void => void keeper.read(id).then(see, () => undefined);
    const unhear = keeper.hear(id, (kept) => (kept === undefined ? look() : see(kept)));
    look();
    try {
      await Promise.all(
        asked.map(async ({ key, question, gone }) => {
          const reply = await this.#put(question, { id, key, call, session, gone: gone.signal });
          if (reply !== undefined) await tasks.answer(id, owner, { [key]: reply });
        }),
      );
    } finally {
      unhear();
      this.#asking.delete(id);
      // If this request was cancelled, another request for the result takes over the questions.
      if (call.signal.aborted) keeper.lookAgain(id);
    }
  }

  /**
   * Sends one question. @returns `undefined` if it was cancelled. The next request for the result sends it again, if it
   * is still open.
   */
  async #put(
    { method, params, task }: OpenQuestion,
    {
      id,
      key,
      call,
      session,
      gone,
    }: { id: string; key: string; call: Call; session: ServerSession; gone: AbortSignal },
  ): Promise<TaskReply | undefined> {
    const meta = { ...(params['_meta'] as JsonObject | undefined), ...relatedTo(id) };
    const signal = AbortSignal.any([call.signal, gone]);
    const { signal: ends, requestId } = call;
    const on = { signal: ends, requestId, task: task && { ...task, held: this.#held(id, key, { session, gone }) } };
    try {
      return { answer: await session.ask(method, { ...params, _meta: meta }, signal, on) };
    } catch (error) {
      if (signal.aborted) return undefined;
      const failure =
        error instanceof McpError ? error : new McpError('internalError', 'the question could not be put');
      return { error: errorToWire(call.facts, failure) };
    }
  }

  /** Forgets a task that has ended, and cancels the client's tasks whose answers are no longer awaited. */
  #release(id: string): void {
    const { asked, held } = this.#live.get(id) ?? {};
    this.#live.delete(id);
    if (asked === undefined || !hasClientCapability(asked.client.capabilities, 'tasks.cancel')) return;
    for (const one of held?.values() ?? []) {
      const { taskId } = one;
      if (taskId === undefined) continue;
      // A caller that still waits must not cancel it again.
      one.taskId = undefined;
      void quiet(asked.ask('tasks/cancel', { taskId }, new AbortController().signal));
    }
  }

  /** A task that a client created for a question, stored while the question waits. */
  #held(
    id: string,
    key: string,
    { session, gone }: { session: ServerSession; gone: AbortSignal },
  ): HeldQuestion | undefined {
    const live = this.#live.get(id);
    const all = live?.held;
    if (live !== undefined) live.asked = session;
    const held: HeldQuestion | undefined = all?.get(key) ?? (all && {});
    if (held === undefined) return undefined;
    all?.set(key, held);
    held.isWanted = () => !gone.aborted && this.#live.has(id);
    return held;
  }

  #kept(result: JsonObject): RunEnding {
    const { length } = JSON.stringify(result);
    const { maxTextLength } = this.#parts;
    if (length <= maxTextLength) return { result };
    return {
      error: { code: -32603, message: `the result has ${length} characters of JSON; a task keeps ${maxTextLength}` },
    };
  }

  #failed({ request }: TaskRecord, error: unknown): RunEnding {
    // The error of a run that was ended for its questions, or by a cancel, is dropped.
    const masked =
      error instanceof McpError
        ? error
        : new McpError('internalError', isRoundEnd(error) ? 'the run was ended' : 'internal error');
    if (!(error instanceof McpError) && !isRoundEnd(error))
      this.#parts.onError(error, `tool ${JSON.stringify(request.name)}`);
    const wire = errorToWire(revisionOf(request.revision), masked);
    if (JSON.stringify(wire).length <= this.#parts.maxTextLength) return { error: wire };
    return { error: { code: wire.code, message: cut(wire.message, maxWords) } };
  }
}

/**
 * The open questions of a task that may be sent to a session: none without a session, and only those that its client
 * declared support for.
 */
function questionsFor(
  session: ServerSession | undefined,
  open: TaskRecord['open'],
): readonly (readonly [string, OpenQuestion])[] {
  if (session === undefined || session.passing === true) return [];
  const { revision, client } = session;
  return Object.entries(open).filter(([, question]) => mayBeAsked(question, revision, client.capabilities));
}
