import type { Call } from '../../host/call.ts';
import { passedOn } from '../../host/extension-result.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { after } from '../../jsonrpc/timeout.ts';
import { toWire } from '../../protocol/compile/to-wire.ts';
import { errorFromWire, errorToWire, McpError } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import {
  createTaskResultShape,
  type CancelTaskResult,
  type GetTaskResult,
  type ListTasksResult,
  type UpdateTaskRequestParams,
} from '../../protocol/features/tasks.ts';
import { metaKey } from '../../protocol/meta.ts';
import type { CallToolRequestParams } from '../../protocol/features/tools.ts';
import { hasEnded, type TaskRecord } from '../../tasks/record.ts';
import type { HeldTask } from '../../tasks/keeper.ts';
import type { Tasks } from '../../tasks/tasks.ts';
import type { ToolEntry } from '../offer/tools.ts';
import type { Runner } from './runner.ts';
import { TaskCall } from './task-call.ts';
import { detailedTask, looksAlike, resultOf, taskView } from './views.ts';
import { relatedTo } from './voices.ts';
import { hasExtension, requireExtension, callWay } from './call-way.ts';

/** Time after which an optional call of a client with the extension becomes a task, in milliseconds. */
const defaultAfterMs = 500;

/** Serves tools that may be tasks, and the tasks. */
export class TaskServing {
  readonly tasks: Tasks;
  readonly #runner: Runner;
  /** Requests that wait for results, by principal; of nobody's by conversation. */
  readonly #results = new Map<unknown, number>();

  constructor(tasks: Tasks, runner: Runner) {
    this.tasks = tasks;
    this.#runner = runner;
  }

  /**
   * Runs `tools/call` of a server that has tasks.
   *
   * @param plain Runs it as a call.
   */
  call(params: CallToolRequestParams, call: Call, plain: (face?: TaskCall) => unknown): unknown {
    const entry = this.#runner.find(params.name, call);
    // What there is no tool for is told by who runs calls.
    if (entry === undefined) return plain();
    switch (callWay(entry.task, params.task, call)) {
      case 'call':
        return plain();
      case 'task':
        return this.#atOnce(entry, params, call);
      case 'later':
        return this.#later(entry, params, { call, plain });
    }
  }

  /** Serves `tasks/get`. */
  async get(taskId: string, call: Call): Promise<GetTaskResult> {
    const { record } = await this.#own(taskId, call);
    return call.facts.tasks === 'core' ? taskView(record, call.facts) : detailedTask(record, call.facts);
  }

  /** Serves `tasks/update`: what is not open is ignored. (Spec ext-tasks, Providing input.) */
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
    if (hadEnded)
      throw new McpError('invalidParams', `the task has ended: it is ${taskView(kept.record, call.facts).status}`);
    return taskView(kept.record, call.facts);
  }

  /** Serves `tasks/result` of 2025-11-25: waits for the end, and puts what the task asks to the client meanwhile. */
  async result(taskId: string, call: Call): Promise<unknown> {
    const kept = await this.#own(taskId, call);
    const leave = this.#enter(kept.record, call);
    try {
      const ended = hasEnded(kept.record) ? kept : await this.#runner.ended(kept, call);
      if (ended === undefined) throw unknownTask();
      const { outcome } = ended.record;
      if (outcome?.result !== undefined) {
        const result = resultOf(outcome.result, call.facts);
        const meta = result['_meta'] as JsonObject | undefined;
        return passedOn({ ...result, _meta: { ...meta, ...relatedTo(taskId) } });
      }
      if (outcome?.error === undefined) throw new McpError('internalError', 'the task was cancelled');
      throw errorFromWire(outcome.error);
    } finally {
      leave();
    }
  }

  /** Serves `tasks/list` of 2025-11-25. */
  async list(cursor: string | undefined, call: Call, pageSize: number): Promise<ListTasksResult> {
    const owner = taskOwner(call);
    const from = cursor === undefined ? undefined : await this.#runner.openCursor(cursor, owner);
    const records = await this.tasks.list(owner, from, pageSize);
    const last = records.length < pageSize ? undefined : records.at(-1)?.id;
    return {
      tasks: records.map((record) => taskView(record, call.facts)),
      ...(last === undefined ? {} : { nextCursor: await this.#runner.sealCursor(last, owner) }),
    };
  }

  /**
   * Follows tasks for a `subscriptions/listen`. (Spec ext-tasks, Notifications.)
   *
   * @param tell Tells the client of one.
   * @returns The ids that it follows, and how to end it.
   * @throws McpError missingRequiredClientCapability where the client did not declare the extension.
   */
  async follow(
    ids: readonly string[],
    call: Call,
    tell: (params: JsonObject) => void,
  ): Promise<{ readonly taskIds: readonly string[]; begin(): void; end(): void }> {
    requireExtension(call, 'following tasks');
    const found = await Promise.all([...new Set(ids)].map(async (id) => await this.tasks.get(id, taskOwner(call))));
    const known = found.filter((kept) => kept !== undefined);
    const ends: (() => void)[] = [];
    const begin = (): void => {
      for (const kept of known)
        ends.push(this.#follow(kept, (record) => tell({ ...detailedTask(record, call.facts) })));
    };
    return { taskIds: known.map(({ record }) => record.id), begin, end: () => ends.forEach((end) => end()) };
  }

  /** Ends a task that its handler left, by what that would have returned. */
  async finish(id: string, returned: unknown): Promise<boolean> {
    const kept = await this.tasks.keeper.read(id);
    if (kept === undefined) return false;
    return await this.tasks.end(id, { result: await this.#runner.resultOf(kept.record, returned) });
  }

  /** Ends a task that its handler left, by an error. */
  async fail(id: string, error: McpError): Promise<boolean> {
    return await this.tasks.end(id, { error: errorToWire(undefined, error) });
  }

  #follow(kept: HeldTask, tell: (record: TaskRecord) => void): () => void {
    const { id } = kept.record;
    let told: HeldTask | undefined;
    const see = (next: HeldTask | undefined): void => {
      if (next === undefined || (told !== undefined && next.version <= told.version)) return;
      const isNews = told === undefined || !looksAlike(told.record, next.record);
      told = next;
      if (isNews) tell(next.record);
    };
    const look = (): void => void this.tasks.keeper.read(id).then(see, () => undefined);
    const unhear = this.tasks.keeper.hear(id, (next) => (next === undefined ? look() : see(next)));
    see(kept);
    // It may have changed since it was read.
    look();
    return unhear;
  }

  /** Makes a task of a call before anything runs. */
  async #atOnce(entry: ToolEntry, params: CallToolRequestParams, call: Call): Promise<unknown> {
    const checked = await entry.input.validate(params.arguments ?? {});
    // The same words as those of a call, which nothing runs for.
    await this.#runner.requireScopes(params, call);
    if (checked.problems !== undefined) return this.#runner.plain(params, call);
    if (!this.#runner.mayCall(call))
      throw new McpError('busy', 'too many tool calls in a short time; wait a moment before the next');
    const kept = await this.tasks.create(requestOf(params, call), this.#wishesOf(entry, params, call));
    if (await this.#isGone(kept, call)) return {};
    this.#runner.remember(kept, call);
    this.tasks.begin(kept);
    return created(kept.record, entry, call);
  }

  /** Runs a call that becomes a task when it takes long, or when its handler says so. */
  #later(
    entry: ToolEntry,
    params: CallToolRequestParams,
    { call, plain }: { readonly call: Call; plain(face: TaskCall): unknown },
  ): Promise<unknown> {
    const face = new TaskCall(call);
    return new Promise((resolve, reject) => {
      let isOver = false;
      const work = Promise.resolve().then(() => plain(face));
      const become = async (): Promise<void> => {
        if (isOver || face.asks || call.over || face.run !== undefined) return;
        const result = await this.#become(entry, params, { call, face, work, isOver: () => isOver }).catch(
          () => undefined,
        );
        if (result === undefined) return;
        isOver = true;
        resolve(result);
      };
      let becoming: Promise<void> | undefined;
      face.become = () => {
        if (becoming === undefined) face.hold((becoming = become()));
        return becoming;
      };
      const { after: afterMs = defaultAfterMs } = entry.task ?? {};
      const cancel = after(afterMs === 'background' ? Infinity : afterMs, () => void face.become?.());
      const settle = (end: () => void): void => {
        cancel();
        if (isOver) return;
        isOver = true;
        end();
      };
      work.then(
        (value) => settle(() => resolve(value)),
        (error: unknown) => settle(() => reject(error)),
      );
    });
  }

  /** @returns What answers the call; `undefined` where it stays a call: it ended meanwhile, or there is no room for a task. */
  async #become(
    entry: ToolEntry,
    params: CallToolRequestParams,
    {
      call,
      face,
      work,
      isOver,
    }: { readonly call: Call; readonly face: TaskCall; readonly work: Promise<unknown>; isOver(): boolean },
  ): Promise<unknown> {
    if (this.tasks.isDraining) return undefined;
    const wishes = { ...this.#wishesOf(entry, params, call), ...face.learned, runs: true };
    // Kept as one that runs: nobody else begins it, whatever becomes of this process and its way to the store.
    const kept = await this.tasks.create(requestOf(params, call), wishes);
    if (isOver() || (await this.#isGone(kept, call))) {
      await this.tasks.forget(kept.record.id);
      return undefined;
    }
    face.goOn(
      this.tasks.adopt(kept, (one) => this.#runner.ending(one, face, work)),
      undefined,
    );
    return created(kept.record, entry, call);
  }

  #wishesOf(entry: ToolEntry, { task }: CallToolRequestParams, call: Call): Parameters<Tasks['create']>[1] {
    const { ttlMs, pollIntervalMs, attempts } = entry.task ?? {};
    const { annotations = {} } = entry.tool;
    const repeats = annotations.readOnlyHint === true || annotations.idempotentHint === true;
    return {
      owner: taskOwner(call),
      ttlMs: (call.facts.tasks === 'core' ? task?.ttl : undefined) ?? ttlMs,
      pollIntervalMs,
      attempts: attempts ?? (repeats ? 3 : 1),
    };
  }

  /** Nobody can know of a task whose client is gone before it heard of it. */
  async #isGone(kept: HeldTask, call: Call): Promise<boolean> {
    if (!call.aborted) return false;
    await this.tasks.forget(kept.record.id);
    return true;
  }

  async #own(taskId: string, call: Call): Promise<HeldTask> {
    const isCore = call.facts.tasks === 'core';
    // A client that had its tasks in 2025-11-25 may still ask for those. (ext-tasks, Capabilities: SHOULD.)
    const mayBeCore = !isCore && !hasExtension(call) && declaresCoreTasks(call);
    if (!isCore && !mayBeCore) requireExtension(call, call.method);
    const kept = await this.tasks.get(taskId, taskOwner(call));
    if (mayBeCore && (kept === undefined || !this.#runner.isCore(kept.record))) requireExtension(call, call.method);
    if (kept === undefined) throw unknownTask();
    return kept;
  }

  #enter({ id, owner }: TaskRecord, call: Call): () => void {
    // Nobody's requests are told apart by their conversations, so that none takes the room of others.
    const whose = owner === '' ? (call.session ?? '') : owner;
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

/** Owner of the tasks of a request: its principal, else nobody. */
export function taskOwner({ auth }: Call): string {
  return auth?.principal ?? '';
}

/** Tells whether a client of the extension's revision declares the tasks of 2025-11-25, which mean nothing else there. */
function declaresCoreTasks({ meta }: Call): boolean {
  const declared = meta[metaKey.clientCapabilities];
  return isObject(declared) && isObject(declared['tasks']);
}

/** The same for an id that nobody has, one that expired and one of somebody else. */
function unknownTask(): McpError {
  return new McpError('invalidParams', 'there is no such task');
}

function requestOf({ task: _, ...params }: CallToolRequestParams, call: Call): TaskRecord['request'] {
  const { auth, client, network, revision } = call;
  const { info, capabilities } = client;
  const { exchange: __, ...kept } = auth ?? {};
  return {
    name: params.name,
    params: { ...params },
    revision,
    client: { ...(info === undefined ? {} : { info }), capabilities },
    ...(auth === undefined ? {} : { auth: kept }),
    network,
  };
}

/** The result that stands for a task. (Spec 2025-11-25, Tasks, Creating Tasks; ext-tasks, Creating a task.) */
function created(record: TaskRecord, { task }: ToolEntry, call: Call): unknown {
  const { facts } = call;
  const view = taskView(record, facts);
  if (facts.tasks !== 'core') return passedOn(toWire(facts, createTaskResultShape, { ...view, resultType: 'task' }));
  const immediate = task?.immediate;
  const meta =
    immediate === undefined ? {} : { _meta: { 'io.modelcontextprotocol/model-immediate-response': immediate } };
  return passedOn(toWire(facts, createTaskResultShape, { task: view, ...meta }));
}
