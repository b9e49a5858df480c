import { isObject } from '../../jsonrpc/message.ts';
import { after } from '../../jsonrpc/timeout.ts';
import { quiet, type AskMethod } from '../../connection/client-request.ts';
import { notFound } from '../../connection/gate.ts';
import { hasClientCapability, hostsTasksOf, type ClientCapabilities } from '../../protocol/capability.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import { projectClientCapabilities } from '../../protocol/compile/capabilities.ts';
import { fromWire } from '../../protocol/compile/from-wire.ts';
import { toWire } from '../../protocol/compile/to-wire.ts';
import { errorToWire, McpError } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { createTaskResultShape } from '../../protocol/features/tasks.ts';
import { revisionOf, type Revision } from '../../protocol/revision.ts';
import { hasEnded } from '../../protocol/task-status.ts';
import { memoryTasks } from '../../storage/memory-tasks.ts';
import { endedAlready, retrieved, taskView, unknownTask } from '../../tasks/core.ts';
import type { HeldTask } from '../../tasks/keeper.ts';
import { isTaskId, taskLimits, taskTimes } from '../../tasks/limits.ts';
import { expiryOf } from '../../tasks/record.ts';
import type { TaskRun } from '../../tasks/run.ts';
import { Tasks, type RunEnding } from '../../tasks/tasks.ts';
import { readQuestion } from '../input/answering.ts';
import type { InboundContext, InboundHandler } from '../middleware/inbound.ts';
import type { ClientSettings } from '../requests/settings.ts';

/** Parts that the hosting of tasks needs. */
export interface HostedTasksParts {
  readonly settings: ClientSettings;
  /** Names the server, which alone may see its tasks. */
  readonly server: string;
  /** Notifies the server of a task, if possible. */
  tell(params: JsonObject): Promise<void>;
}

/** The requests that a client may be asked to answer as tasks. */
const hostable: readonly AskMethod[] = ['elicitation/create', 'sampling/createMessage'];

const maxPerPage = 100;

/**
 * Tasks that a client runs for its server. A request to the user or the model is answered at once with a task, and the
 * server fetches the answer when it is ready. The tasks belong to the server, across all its connections. (Spec
 * 2025-11-25, Tasks.)
 */
export class HostedTasks {
  /** The answers to requests of the server. */
  readonly handlers: ReadonlyMap<string, InboundHandler>;
  readonly #parts: HostedTasksParts;
  /** Created for the first task, or if a store may have some. */
  #tasks: Tasks | undefined;
  #waiting = 0;
  /** Ends what tells the server of a task. */
  readonly #followed = new Set<() => void>();

  constructor(parts: HostedTasksParts) {
    this.#parts = parts;
    this.handlers = new Map<string, InboundHandler>([
      ...parts.settings.inputs.handlers,
      ...hostable.map((method): [string, InboundHandler] => [
        method,
        (params, context) => this.#answer(method, params, context),
      ]),
      ...this.#about(),
    ]);
  }

  /** Begins to work on stored tasks. */
  begin(): void {
    if (this.#parts.settings.clientTasks?.store !== undefined) void this.#all;
  }

  /** Aborts what runs, and begins nothing more. */
  async close(): Promise<void> {
    for (const end of this.#followed) end();
    await this.#tasks?.close();
  }

  get #all(): Tasks {
    if (this.#tasks !== undefined) return this.#tasks;
    const { settings, server } = this.#parts;
    return (this.#tasks = new Tasks({
      store: settings.clientTasks?.store ?? memoryTasks(),
      queue: `hosted by ${settings.info.name} for ${server}`,
      // Each waits for a person or a model, as any number of plain questions would.
      limits: { ...taskLimits, running: taskLimits.perOwner },
      times: taskTimes,
      now: () => settings.now(),
      perform: (run) => this.#perform(run),
      knows: ({ request }) => hostable.some((method) => method === request.name),
      onError: (error, where) => settings.failed(`${where} failed`, error),
    }));
  }

  /** Answers a question: with a task if the server wants one and the client declared it, otherwise directly. */
  async #answer(method: AskMethod, params: JsonObject, context: InboundContext): Promise<JsonObject> {
    const { inputs } = this.#parts.settings;
    const { revision, signal } = context;
    const { task, ...request } = params;
    // Spec 2025-11-25, Tasks, Task Support and Handling: if support was not declared, answer as if no task were
    // requested.
    if (!isObject(task) || !hostsTasksOf(method, this.#declared(revision)))
      return await plainly(inputs.handlers, method, params, context);
    // An invalid question is rejected with the same error as without a task.
    readQuestion(inputs, { method, params }, revision);
    const wishes = { owner: this.#parts.server, ttlMs: task['ttl'] as number | undefined };
    const client = { capabilities: {} };
    const kept = await this.#all.create({ name: method, params: request, revision: revision.date, client }, wishes);
    if (signal.aborted) {
      await this.#all.forget(kept.record.id);
      return {};
    }
    this.#follow(kept, revision);
    this.#all.begin(kept);
    return asJson(toWire(revision, createTaskResultShape, { task: taskView(kept.record, revision) }));
  }

  #about(): readonly (readonly [string, InboundHandler])[] {
    return [
      this.#served('tasks/get', async ({ taskId }, { revision }) => {
        const { record } = await this.#own(taskId);
        return { ...taskView(record, revision) };
      }),
      this.#served('tasks/result', ({ taskId }, context) => this.#result(taskId, context)),
      this.#served('tasks/list', ({ cursor }, { revision }) => this.#list(cursor, revision)),
      this.#served('tasks/cancel', async ({ taskId }, { revision }) => {
        const { record } = await this.#own(taskId);
        const outcome = await this.#all.cancel(record.id, record.owner);
        if (outcome === undefined) throw unknownTask();
        if (outcome.hadEnded) throw endedAlready(outcome.kept.record, revision);
        return { ...taskView(outcome.kept.record, revision) };
      }),
    ];
  }

  /** Serves a method by its row. A server that did not see the capability gets the answer of a client without it. */
  #served(
    method: string,
    serve: (params: JsonObject, context: InboundContext) => Promise<JsonObject>,
  ): readonly [string, InboundHandler] {
    const row = methodOf(method);
    return [
      method,
      async (params, context) => {
        const { revision } = context;
        if (row?.params === undefined || !hasClientCapability(this.#declared(revision), row.needs ?? ''))
          throw notFound(method, 'is not answered by this client');
        // The rows of a method name the types of its params and its result, which are JSON objects.
        const result = await serve(asJson(fromWire(revision, row.params, params)), context);
        return row.result === undefined ? result : asJson(toWire(revision, row.result, result as never));
      },
    ];
  }

  async #result(taskId: unknown, { signal }: InboundContext): Promise<JsonObject> {
    const kept = await this.#own(taskId);
    // It was converted when it was stored. The result of an ended task needs no wait.
    if (hasEnded(kept.record)) return retrieved(kept.record, (result) => result);
    const { results } = this.#all.limits;
    if (this.#waiting >= results)
      throw new McpError('internalError', `too many requests wait for results of tasks; the limit is ${results}`, {
        data: { limit: results },
      });
    this.#waiting++;
    try {
      const ended = await this.#all.until(kept, hasEnded, signal);
      if (ended === undefined) throw unknownTask();
      return retrieved(ended.record, (result) => result);
    } finally {
      this.#waiting--;
    }
  }

  async #list(cursor: unknown, revision: Revision): Promise<JsonObject> {
    const from = typeof cursor === 'string' ? cursor : undefined;
    // The ids of its own tasks tell the server nothing.
    if (from !== undefined && !isTaskId(from))
      throw new McpError('invalidParams', 'the cursor is not one of this list');
    const { records, next } = await this.#all.list(this.#parts.server, from, maxPerPage);
    return {
      tasks: records.map((record) => taskView(record, revision)),
      ...(next === undefined ? {} : { nextCursor: next }),
    };
  }

  async #own(taskId: unknown): Promise<HeldTask> {
    const kept = await this.#all.get(String(taskId), this.#parts.server);
    if (kept === undefined) throw unknownTask();
    return kept;
  }

  /** Lets the handler of the client answer. */
  async #perform({ record, signal }: TaskRun): Promise<RunEnding> {
    const { settings } = this.#parts;
    const { name, params, revision: date } = record.request;
    const revision = revisionOf(date);
    const stopped = AbortSignal.any([signal, settings.inputs.stopped]);
    try {
      if (revision === undefined) throw new McpError('internalError', `revision ${date} is not known here`);
      const result = await plainly(settings.inputs.handlers, name, params, { revision, signal: stopped });
      const { length } = JSON.stringify(result);
      const { textLength } = this.#all.limits;
      if (length <= textLength) return { result };
      throw new McpError('internalError', `the answer has ${length} characters of JSON; a task keeps ${textLength}`);
    } catch (error) {
      const known = error instanceof McpError ? error : new McpError('internalError', 'internal error');
      if (known !== error && !stopped.aborted) settings.failed(`the handler of ${JSON.stringify(name)} failed`, error);
      return { error: errorToWire(revision, known) };
    }
  }

  /** Notifies the server of changes of a task, until it ends. These notifications are optional. */
  #follow({ record }: HeldTask, revision: Revision): void {
    const { keeper } = this.#all;
    let told = JSON.stringify(taskView(record, revision));
    const see = (kept: HeldTask | undefined): void => {
      const view = kept === undefined ? undefined : taskView(kept.record, revision);
      const text = JSON.stringify(view);
      if (view !== undefined && text !== told) void quiet(this.#parts.tell({ ...view }));
      told = text;
      if (kept === undefined || hasEnded(kept.record)) end();
    };
    const unhear = keeper.hear(record.id, (kept) => {
      if (kept !== undefined) see(kept);
      else keeper.read(record.id).then(see, () => undefined);
    });
    const expiry = expiryOf(record);
    const unclock = after(expiry === undefined ? Infinity : expiry - this.#parts.settings.now(), () => end());
    const end = (): void => {
      this.#followed.delete(end);
      unhear();
      unclock();
    };
    this.#followed.add(end);
  }

  /** Capabilities that the server knows of. In other revisions they have no tasks. */
  #declared(revision: Revision): ClientCapabilities {
    return projectClientCapabilities(revision, this.#parts.settings.inputs.capabilities);
  }
}

async function plainly(
  handlers: ReadonlyMap<string, InboundHandler>,
  method: string,
  params: JsonObject,
  context: InboundContext,
): Promise<JsonObject> {
  const handler = handlers.get(method);
  if (handler === undefined) throw notFound(method, 'is not answered by this client');
  return await handler(params, context);
}

/** Interfaces of params and results are JSON objects. */
function asJson(value: unknown): JsonObject {
  return value as JsonObject;
}
