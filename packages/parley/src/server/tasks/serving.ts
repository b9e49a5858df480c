import type { Call } from '../runtime/call.ts';
import { passedOn } from '../runtime/extension-result.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { errorToWire, McpError } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type {
  CancelTaskResult,
  GetTaskResult,
  ListTasksResult,
  UpdateTaskRequestParams,
} from '../../protocol/features/tasks.ts';
import { metaKey } from '../../protocol/meta.ts';
import { hasEnded } from '../../protocol/task-status.ts';
import { endedAlready, retrieved, taskView, unknownTask } from '../../tasks/core.ts';
import type { TaskOutcome, TaskRecord } from '../../tasks/record.ts';
import type { HeldTask } from '../../tasks/keeper.ts';
import type { Tasks } from '../../tasks/tasks.ts';
import type { ServerTasks } from '../definition/task-definition.ts';
import type { TaskTurn } from '../../tasks/executor.ts';
import type { Runner } from './runner.ts';
import { detailedTask, looksAlike, resultOf } from './views.ts';
import { taskOwner } from './calls.ts';
import { hasExtension, requireExtension } from './call-way.ts';

/** Serves the tasks that there are. */
export class TaskServing implements ServerTasks {
  readonly tasks: Tasks;
  readonly #runner: Runner;
  /** Requests that wait for results, by principal. Without a principal by session, or by address. */
  readonly #results = new Map<unknown, number>();

  constructor(tasks: Tasks, runner: Runner) {
    this.tasks = tasks;
    this.#runner = runner;
  }

  /** Serves `tasks/get`. */
  async get(taskId: string, call: Call): Promise<GetTaskResult> {
    const { record } = await this.#own(taskId, call);
    const isWhole = call.facts.tasks !== 'core' && hasEnded(record);
    if (isWhole) this.tasks.retrieved(record, taskOwner(call));
    return call.facts.tasks === 'core' ? taskView(record, call.facts) : detailedTask(record, call.facts);
  }

  /** Serves `tasks/update`. Answers to questions that are not open are ignored. (Spec ext-tasks, Providing input.) */
  async update({ taskId, inputResponses }: UpdateTaskRequestParams, call: Call): Promise<JsonObject> {
    const { record } = await this.#own(taskId, call);
    const given = Object.entries(inputResponses).filter(([, answer]) => isObject(answer));
    const replies = given.map(([key, answer]) => [key, { answer: { ...answer } }] as const);
    await this.tasks.answer(record.id, record.owner, Object.fromEntries(replies));
    return {};
  }

  /** Serves `tasks/cancel`. In 2025-11-25 a task that has ended cannot be cancelled; in the extension that is no error. */
  async cancel(taskId: string, call: Call): Promise<CancelTaskResult> {
    const { record } = await this.#own(taskId, call);
    const outcome = await this.tasks.cancel(record.id, record.owner);
    if (outcome === undefined) throw unknownTask();
    if (call.facts.tasks !== 'core') return {};
    const { kept, hadEnded } = outcome;
    if (hadEnded) throw endedAlready(kept.record, call.facts);
    return taskView(kept.record, call.facts);
  }

  /** Serves `tasks/result` of 2025-11-25: waits for the end, and meanwhile sends the task's questions to the client. */
  async result(taskId: string, call: Call): Promise<unknown> {
    const kept = await this.#own(taskId, call);
    // A task that has ended needs no place in the waiting list.
    const leave = hasEnded(kept.record) ? () => undefined : this.#enter(kept.record, call);
    try {
      const ended = hasEnded(kept.record) ? kept : await this.#runner.ended(kept, call);
      if (ended === undefined) throw unknownTask();
      this.tasks.retrieved(ended.record, taskOwner(call));
      return passedOn(retrieved(ended.record, (result) => resultOf(result, call.facts)));
    } finally {
      leave();
    }
  }

  /** Serves `tasks/list` of 2025-11-25. */
  async list(cursor: string | undefined, call: Call, pageSize: number): Promise<ListTasksResult> {
    const owner = taskOwner(call);
    const from = cursor === undefined ? undefined : await this.#runner.openCursor(cursor, owner);
    const { records, next } = await this.tasks.list(owner, from, pageSize);
    return {
      tasks: records.map((record) => taskView(record, call.facts)),
      ...(next === undefined ? {} : { nextCursor: await this.#runner.sealCursor(next, owner) }),
    };
  }

  /**
   * Follows tasks for a `subscriptions/listen`. (Spec ext-tasks, Notifications.)
   *
   * @param tell Notifies the client of one task.
   * @returns The ids that it follows, and a function that ends it.
   * @throws McpError missingRequiredClientCapability if the client did not declare the extension.
   */
  async follow(
    ids: readonly string[],
    call: Call,
    tell: (params: JsonObject) => void,
  ): Promise<{ readonly taskIds: readonly string[]; begin(): void; end(): void }> {
    requireExtension(call, 'following tasks');
    const found = await Promise.all([...new Set(ids)].map(async (id) => await this.tasks.sought(id, taskOwner(call))));
    const known = found.filter((kept) => kept !== undefined);
    const ends: (() => void)[] = [];
    const begin = (): void => {
      for (const kept of known)
        ends.push(
          this.#follow(kept, (record) => {
            if (hasEnded(record)) this.tasks.retrieved(record, taskOwner(call));
            tell({ ...detailedTask(record, call.facts) });
          }),
        );
    };
    return { taskIds: known.map(({ record }) => record.id), begin, end: () => ends.forEach((end) => end()) };
  }

  /**
   * Ends a task that its handler left to an external system. The value is the one that the handler would have returned.
   */
  async finish(id: string, returned: unknown): Promise<boolean> {
    const kept = await this.tasks.keeper.read(id);
    if (kept === undefined) return false;
    return await this.#end(id, { result: await this.#runner.resultOf(kept.record, returned) });
  }

  /** Ends a task that its handler left, by an error. */
  async fail(id: string, error: McpError): Promise<boolean> {
    return await this.#end(id, { error: errorToWire(undefined, error) });
  }

  /** Reports the progress of a task that its handler left to an external system. */
  async say(id: string, message: string): Promise<boolean> {
    return await this.tasks.say(id, message);
  }

  /** Runs a task for an engine. */
  async run(id: string): Promise<TaskTurn> {
    return await this.tasks.run(id);
  }

  /** Begins no new run, and waits for running ones. */
  async drain({ timeoutMs = 10_000 }: { readonly timeoutMs?: number } = {}): Promise<void> {
    await this.tasks.drain(timeoutMs);
  }

  async close(): Promise<void> {
    await this.tasks.close();
  }

  async #end(id: string, outcome: TaskOutcome): Promise<boolean> {
    const { length } = JSON.stringify(outcome.result ?? outcome.error);
    const { textLength } = this.tasks.limits;
    if (length > textLength)
      throw new TypeError(`the outcome has ${length} characters of JSON; a task keeps ${textLength}`);
    return await this.tasks.end(id, outcome);
  }

  #follow(kept: HeldTask, tell: (record: TaskRecord) => void): () => void {
    let told = kept.record;
    tell(told);
    const see = (next: HeldTask | undefined): void => {
      if (next === undefined || looksAlike(told, next.record)) return;
      told = next.record;
      tell(told);
    };
    return this.tasks.keeper.watch(kept, see, true);
  }

  async #own(taskId: string, call: Call): Promise<HeldTask> {
    const isCore = call.facts.tasks === 'core';
    // A client that had its tasks in 2025-11-25 may still ask for those. (ext-tasks, Capabilities: SHOULD.)
    const mayBeCore = !isCore && !hasExtension(call) && declaresCoreTasks(call);
    if (!isCore && !mayBeCore) requireExtension(call, call.method);
    const kept = await this.tasks.sought(taskId, taskOwner(call));
    if (mayBeCore && (kept === undefined || !this.#runner.isCore(kept.record))) requireExtension(call, call.method);
    if (kept === undefined) throw unknownTask();
    return kept;
  }

  #enter({ id, owner }: TaskRecord, call: Call): () => void {
    const whose = ownerOfRoom(owner, call);
    const waiting = this.#results.get(whose) ?? 0;
    const { results } = this.tasks.limits;
    if (waiting >= results)
      throw new McpError('internalError', `too many requests wait for results of tasks; the limit is ${results}`, {
        data: { limit: results },
      });
    this.#results.set(whose, waiting + 1);
    const leave = this.#runner.voices.enter(id, call);
    return () => {
      leave();
      const left = (this.#results.get(whose) ?? 1) - 1;
      if (left > 0) this.#results.set(whose, left);
      else this.#results.delete(whose);
    };
  }
}

/** Tells whether a client of the extension's revision declares the tasks of 2025-11-25, which have no meaning there. */
function declaresCoreTasks({ meta }: Call): boolean {
  const declared = meta[metaKey.clientCapabilities];
  return isObject(declared) && isObject(declared['tasks']);
}

/**
 * Requests without a principal are separated by their sessions, so that no client takes the room of another. If each
 * request has its own session, they are separated by address.
 */
function ownerOfRoom(owner: string, { session, address }: Call): unknown {
  if (owner !== '') return `principal ${owner}`;
  return session === undefined || session.passing === true ? `address ${address ?? ''}` : session;
}
