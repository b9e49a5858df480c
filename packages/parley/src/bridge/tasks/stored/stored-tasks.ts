import type { Call } from '../../../server/runtime/call.ts';
import { passedOn } from '../../../server/runtime/extension-result.ts';
import { parseExactJson } from '../../../json/parse-exact.ts';
import { harmless } from '../../../options/harmless.ts';
import { notFound } from '../../../connection/gate.ts';
import { toWire } from '../../../protocol/compile/to-wire.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { createTaskResultShape } from '../../../protocol/features/tasks.ts';
import type { CallToolRequestParams } from '../../../protocol/features/tools.ts';
import { createSeal, type Seal } from '../../../sealing/seal.ts';
import { taskOwner, taskShare } from '../../../server/tasks/calls.ts';
import { Runner } from '../../../server/tasks/runner.ts';
import { TaskServing } from '../../../server/tasks/serving.ts';
import type { TaskCall } from '../../../server/tasks/task-call.ts';
import type { TaskStore } from '../../../storage/tasks.ts';
import { memoryTasks } from '../../../storage/memory-tasks.ts';
import { taskView, unknownTask } from '../../../tasks/core.ts';
import { taskLimits, taskTimes, withGiven } from '../../../tasks/limits.ts';
import type { TaskRecord } from '../../../tasks/record.ts';
import { Tasks } from '../../../tasks/tasks.ts';
import type { UpstreamTools } from '../../known-tools.ts';
import type { BridgeTasks } from '../../options.ts';
import type { Pool } from '../../upstream/pool.ts';
import { ToldTasks, type FollowTasks } from '../extension/reported-tasks.ts';
import { KeptWork } from './stored-work.ts';

/** Parts that keeping tasks needs. */
export interface KeptTasksOptions {
  readonly pool: Pool;
  readonly tools: UpstreamTools;
  readonly seal: Seal;
  /** Name of the server among several; empty for the only one. */
  readonly member: string;
  /** The single principal of all calls. */
  readonly principal: string | undefined;
  readonly tasks: BridgeTasks;
  /** Subscribes to tasks at the server. */
  readonly follow: FollowTasks;
  onError(error: unknown, where: string): void;
}

/** Number of tasks of a page of a list. */
const pageSize = 100;

/** A wait costs no more than a timer: limits of tasks that have not ended bound how many there are. */
const maxRunning = 10_000;

/** Number of processes that may take a task up, one after the other; the call itself is made by the first alone. */
const maxAttempts = 1_000;

/** Stores in memory, by the options of their bridges. They outlive the bridge of one principal. */
const memories = new WeakMap<BridgeTasks, TaskStore>();

function memoryOf(tasks: BridgeTasks): TaskStore {
  const store = memories.get(tasks) ?? memoryTasks();
  memories.set(tasks, store);
  return store;
}

/** The tasks that a bridge keeps for clients of 2025-11-25, before a server that has tasks of the extension. */
export class StoredTasks {
  readonly #tasks: Tasks;
  readonly #runner: Runner;
  readonly #serving: TaskServing;
  readonly #member: string;
  readonly #principal: string | undefined;
  #running = 0;

  constructor({ pool, tools, seal, member, principal, tasks, follow, onError }: KeptTasksOptions) {
    const parts = { pool, told: new ToldTasks(follow), lasts: tasks.store !== undefined };
    const { store = memoryOf(tasks), queue = 'bridge', limits, keys, onAudit, ...times } = tasks;
    const allLimits = withGiven({ ...taskLimits, running: maxRunning, waiting: maxRunning }, limits);
    // Other processes read the times of tasks.
    const now = (): number => Date.now();
    this.#member = member;
    this.#principal = principal;
    this.#runner = new Runner(
      {
        run: async (params, face) => {
          // Only tasks run here.
          const task = face as TaskCall;
          const once = task.run?.record.once ?? {};
          const work = new KeptWork(task, parts);
          this.#running++;
          try {
            const result = await work.run({ ...params }, (key) => Object.hasOwn(once, key));
            return tools.fitted(result, params.name, task.facts);
          } finally {
            this.#running--;
          }
        },
        find: () => undefined,
        scopes: () => [],
        resultOf: (_, returned) => Object(returned),
        maxRounds: 0,
        now,
        maxTextLength: allLimits.textLength,
        seal: () => Promise.resolve(seal),
        onError,
      },
      () => this.#tasks,
    );
    this.#tasks = new Tasks({
      store,
      queue: JSON.stringify([queue, member, principal ?? null]),
      seal: keys && createSeal(keys, { purpose: 'tasks' }),
      // Numbers pass a bridge in their spelling.
      parse: (text) => parseExactJson(text, Number.POSITIVE_INFINITY),
      onAudit: onAudit && harmless(onAudit),
      limits: allLimits,
      times: withGiven({ ...taskTimes, waitTimeoutMs: taskTimes.maxTtlMs ?? taskTimes.waitTimeoutMs }, times),
      now,
      perform: (run) => this.#runner.perform(run),
      knows: (record) => this.#isHere(record),
      onError,
    });
    this.#serving = new TaskServing(this.#tasks, this.#runner);
  }

  /** Tells whether no task is worked on. */
  get idle(): boolean {
    return this.#running === 0;
  }

  /** Makes a task of a call: its client receives the task before the server answers. */
  async created({ task, ...params }: CallToolRequestParams, call: Call): Promise<unknown> {
    const { auth, client, network, revision, facts } = call;
    const { info, capabilities } = client;
    const { exchange: _, ...kept } = auth ?? {};
    const request = {
      name: params.name,
      params: { ...params },
      revision,
      client: { ...(info === undefined ? {} : { info }), capabilities },
      ...(auth === undefined ? {} : { auth: kept }),
      network,
      member: this.#member,
    };
    const wishes = { owner: taskOwner(call), share: taskShare(call), ttlMs: task?.ttl, attempts: maxAttempts };
    const held = await this.#tasks.create(request, wishes);
    if (call.aborted) {
      await this.#tasks.forget(held.record.id);
      return {};
    }
    this.#runner.remember(held, call);
    this.#tasks.begin(held);
    return passedOn(toWire(facts, createTaskResultShape, { task: taskView(held.record, facts) }));
  }

  /**
   * Serves a request about a task.
   *
   * @throws McpError invalidParams for a task that is not stored here, or that belongs to another client.
   */
  async about(params: JsonObject, call: Call): Promise<unknown> {
    const { method } = call;
    if (method === 'tasks/list') {
      const { cursor } = params;
      // An empty cursor comes from no page of this list, so that it means the first one.
      return await this.#serving.list(typeof cursor === 'string' && cursor !== '' ? cursor : undefined, call, pageSize);
    }
    const taskId = String(params['taskId']);
    if (!(await this.has(taskId, call))) throw unknownTask();
    if (method === 'tasks/get') return await this.#serving.get(taskId, call);
    if (method === 'tasks/cancel') return await this.#serving.cancel(taskId, call);
    if (method === 'tasks/result') return await this.#serving.result(taskId, call);
    throw notFound(method, 'is not served here');
  }

  /** Tells whether a task of a tool of this server is stored for the client of a request. */
  async has(taskId: string, call: Call): Promise<boolean> {
    const held = await this.#tasks.get(taskId, taskOwner(call));
    return held !== undefined && this.#isHere(held.record);
  }

  /** Ends the work here. With a durable store, another process continues it. */
  async close(): Promise<void> {
    await this.#tasks.close();
  }

  #isHere({ request, owner }: TaskRecord): boolean {
    return request.member === this.#member && (this.#principal === undefined || owner === this.#principal);
  }
}
