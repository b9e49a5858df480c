import { ownerOf } from '../../auth/common/owner.ts';
import type { Call } from '../runtime/call.ts';
import { passedOn } from '../runtime/extension-result.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { after } from '../../jsonrpc/timeout.ts';
import { toWire } from '../../protocol/compile/to-wire.ts';
import { McpError } from '../../protocol/error.ts';
import { createTaskResultShape } from '../../protocol/features/tasks.ts';
import type { CallToolRequestParams } from '../../protocol/features/tools.ts';
import type { TaskRecord } from '../../tasks/record.ts';
import type { HeldTask } from '../../tasks/keeper.ts';
import type { Tasks } from '../../tasks/tasks.ts';
import type { ToolEntry } from '../features/tools.ts';
import { callWay } from './call-way.ts';
import type { Runner } from './runner.ts';
import { TaskCall } from './task-call.ts';
import { taskView } from '../../tasks/core.ts';

/** Time after which an optional call of a client with the extension becomes a task, in milliseconds. */
const defaultAfterMs = 500;

/** Runs tools whose calls may be tasks, and makes the tasks. */
export class TaskCalls {
  readonly #tasks: Tasks;
  readonly #runner: Runner;

  constructor(tasks: Tasks, runner: Runner) {
    this.#tasks = tasks;
    this.#runner = runner;
  }

  /**
   * Runs `tools/call` of a server that has tasks.
   *
   * @param plain Runs it as a call.
   */
  run(params: CallToolRequestParams, call: Call, plain: (face?: TaskCall) => unknown): unknown {
    const entry = this.#runner.find(params.name, call);
    // The code that runs calls reports an unknown tool.
    if (entry === undefined) return plain();
    switch (callWay(entry.task, params.task, call)) {
      case 'call':
        return plain();
      case 'task':
        return this.#atOnce(entry, params, { call, plain });
      case 'later':
        return this.#later(entry, params, { call, plain });
    }
  }

  /** Makes a task of a call before anything runs. */
  async #atOnce(
    entry: ToolEntry,
    params: CallToolRequestParams,
    { call, plain }: { readonly call: Call; plain(): unknown },
  ): Promise<unknown> {
    const checked = await entry.input.validate(params.arguments ?? {});
    // This is the same error as for a call. No run has begun.
    await this.#runner.requireScopes(params, call);
    if (checked.problems !== undefined) return this.#runner.plain(params, call);
    const refusal = await this.#runner.callRefusal(params.name, call);
    if (refusal !== undefined) throw new McpError('busy', refusal);
    // What its client did not ask for as a task can be a call as well.
    const isCallToo = call.facts.tasks === 'extension' && entry.task?.support === 'optional';
    const creating = this.#tasks.create(requestOf(params, call), this.#wishesOf(entry, params, call));
    const kept = await (isCallToo ? creating.catch(noRoom) : creating);
    if (kept === undefined) return await plain();
    if (await this.#isGone(kept, call)) return {};
    this.#runner.remember(kept, call);
    await this.#tasks.handOver(kept);
    if (await this.#isGone(kept, call)) return {};
    this.#tasks.begin(kept);
    return created(kept.record, entry, call);
  }

  /** Runs a call that becomes a task if it takes long, or if its handler decides so. */
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
          (error: unknown) => this.#runner.tellUnbegun(error),
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

  /**
   * @returns The answer to the call; `undefined` if it stays a call, because it ended meanwhile or there is no room for
   * a task.
   */
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
    if (this.#tasks.isDraining) return undefined;
    const wishes = { ...this.#wishesOf(entry, params, call), ...face.learned, runs: true };
    // Stored as a running task, so that no other process starts it, whatever happens to this process and its connection
    // to the store.
    const kept = await this.#tasks.create(requestOf(params, call), wishes);
    await this.#tasks.handOver(kept);
    if (isOver() || (await this.#isGone(kept, call))) {
      await this.#tasks.forget(kept.record.id);
      return undefined;
    }
    face.goOn(
      this.#tasks.adopt(kept, (one) => this.#runner.ending(one, face, work)),
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
      share: taskShare(call),
      ttlMs: (call.facts.tasks === 'core' ? task?.ttl : undefined) ?? ttlMs,
      pollIntervalMs,
      attempts: attempts ?? (repeats ? 3 : 1),
    };
  }

  /** A client that disconnected before it learned of the task can never use it. */
  async #isGone(kept: HeldTask, call: Call): Promise<boolean> {
    if (!call.aborted) return false;
    await this.#tasks.forget(kept.record.id);
    return true;
  }
}

/** @throws Any error except that there is no room for a task. */
function noRoom(error: unknown): undefined {
  const data = error instanceof McpError ? error.data : undefined;
  if (!(isObject(data) && ('limit' in data || 'full' in data))) throw error;
}

/** Owner of the tasks of a request: its principal, or an empty string. */
export function taskOwner({ auth }: Call): string {
  return auth?.principal ?? '';
}

/**
 * Name under which a store counts the tasks of a client without a principal; `undefined` if it has one, or if no
 * address is known.
 */
export function taskShare({ auth, address }: Call): string | undefined {
  return auth === undefined ? ownerOf(undefined, address) : undefined;
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

/** The result that announces a task. (Spec 2025-11-25, Tasks, Creating Tasks; ext-tasks, Creating a task.) */
function created(record: TaskRecord, { task }: ToolEntry, call: Call): unknown {
  const { facts } = call;
  const view = taskView(record, facts);
  if (facts.tasks !== 'core') return passedOn(toWire(facts, createTaskResultShape, { ...view, resultType: 'task' }));
  const immediate = task?.immediate;
  const meta =
    immediate === undefined ? {} : { _meta: { 'io.modelcontextprotocol/model-immediate-response': immediate } };
  return passedOn(toWire(facts, createTaskResultShape, { task: view, ...meta }));
}
