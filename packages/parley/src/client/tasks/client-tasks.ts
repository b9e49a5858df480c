import { isObject } from '../../jsonrpc/message.ts';
import { after } from '../../jsonrpc/timeout.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { refuseNoNumber } from '../../options/known-values.ts';
import { shown } from '../../options/shown.ts';
import { notFound } from '../../connection/gate.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { McpError } from '../../protocol/error.ts';
import type { CallToolResult } from '../../protocol/features/tools.ts';
import type { PageOptions } from '../cache/cacheable-request.ts';
import { unawaited, type RepeatableOptions } from '../requests/reconnecting.ts';
import { guardedListener } from '../api/listeners.ts';
import { walkPages } from '../api/pages.ts';
import { readResult } from '../api/read-result.ts';
import { learned, type ClientParts, type Requests } from '../requests/requests.ts';
import type { TaskDoor, ToolCall } from './door.ts';
import type { NudgedTask, FollowedTaskOptions, FollowParts } from './following/follow-parts.ts';
import { FollowedTask } from './following/followed-task.ts';
import { untilFinished } from './following/until-finished.ts';
import { answeredAtOnce, handleOf, type CheckOutput } from './handle.ts';
import { checkReference, serverName } from './reference.ts';
import type { StartTaskOptions, TaskHandle, TaskReference, ToolCallOptions } from '../api/task-handle.ts';
import { TaskListener } from './following/task-listener.ts';
import { TaskProgress } from './following/task-progress.ts';
import { sentOf, TaskRequests } from './following/task-requests.ts';
import { createdTask, type TaskState } from './following/task-state.ts';
import { LimitedWork } from './following/limited-work.ts';
import { waitFor } from '../api/wait-for.ts';

/** Limit of tasks that are asked for at once. */
const maxAsking = 16;

/** The options of a call that may become a task. */
type TaskCallOptions = PageOptions & ToolCallOptions & StartTaskOptions;

/** Options of a call that is waited for. */
interface WaitedCallOptions extends TaskCallOptions {
  /** Part of the longest time of the call that is over, in milliseconds. */
  readonly usedMs?: number;
}

/** Options of a call, with its progress reporter. */
interface Reporting {
  readonly options: TaskCallOptions;
  readonly progress: TaskProgress | undefined;
}

/** Answer to a call that may be a task. */
interface Begun {
  readonly result: JsonObject;
  /** The task; `undefined` if the result is that of the call. */
  readonly state: TaskState | undefined;
  /** Ends the reports of progress that go on after the answer. */
  release(): void;
}

/** The tasks of a client: begins them, follows them, and takes them up again. */
export class ClientTasks {
  readonly #parts: ClientParts;
  readonly #requests: Requests;
  readonly #door: TaskDoor;
  readonly #follow: FollowParts;
  /** The awaited tasks, to pass on the server's notifications. */
  readonly #followed = new Map<string, Set<NudgedTask>>();
  #over: Error | undefined;

  constructor(parts: ClientParts, requests: Requests, door: TaskDoor) {
    this.#parts = parts;
    this.#requests = requests;
    this.#door = door;
    const { connection, settings } = parts;
    const listener = new TaskListener({
      connection,
      settings,
      capabilities: () => door.declaring({}).capabilities,
    });
    this.#follow = {
      settings,
      listener,
      requests: new TaskRequests(connection),
      turns: new LimitedWork(maxAsking),
      over: () => this.#over,
      learned: (error) => learned(error, connection.revision, settings.inputs),
      following: (task, isFollowed) => this.#note(task, isFollowed),
    };
    connection.observe({
      notified: (method, params) => {
        listener.notified(method, params);
        // These notifications are optional. (Spec 2025-11-25, Tasks, Task Status Notification.)
        if (method === 'notifications/tasks/status') this.#nudge(params['taskId']);
      },
      reopened: () => this.#followed.forEach((tasks) => tasks.forEach((task) => task.nudge())),
      ended: (error) => {
        this.#over = error ?? new ConnectionError('closed', 'the client was closed');
        listener.stop();
        this.#followed.forEach((tasks) => tasks.forEach((task) => task.nudge()));
      },
    });
  }

  /** Waits for the outcome of a call. */
  async finish(call: ToolCall, result: JsonObject, { usedMs, ...options }: WaitedCallOptions): Promise<CallToolResult> {
    const state = createdTask(this.#parts.connection.revision, result);
    const begun = { result, state, release: () => undefined };
    return await this.#result(call, begun, { ...this.#reporting(options), usedMs });
  }

  /** Cancels the task of a call whose result is no longer awaited. */
  abandon(call: ToolCall, result: JsonObject, options: TaskCallOptions): void {
    try {
      const state = createdTask(this.#parts.connection.revision, result);
      if (state !== undefined) this.#task(call.name, state, { sent: options }).abandon();
    } catch (error) {
      this.#parts.settings.onWarning?.('an unneeded task was not cancelled, since it is malformed', error);
    }
  }

  /** Calls a tool of a server that has tasks of 2025-11-25. */
  async callInCore(call: ToolCall, options: TaskCallOptions = {}): Promise<CallToolResult> {
    const { known: tools, settings } = this.#parts;
    const known = tools.taskSupport(call.name);
    const since = settings.clock();
    // The longest time is that of all requests of the call together.
    const left = <T extends RepeatableOptions>(of: T): T => within(of, settings.clock() - since);
    const asTask = async (): Promise<CallToolResult> => {
      const reporting = this.#reporting(options);
      const begun = await this.#begin(call, left(reporting.options));
      return await this.#result(call, begun, { ...reporting, usedMs: settings.clock() - since });
    };
    const plainly = async (): Promise<CallToolResult> => await this.#requests.call('tools/call', call, left(options));
    let result: CallToolResult | undefined;
    try {
      result = await (known === 'required' ? asTask() : plainly());
    } catch (error) {
      if (!isMismatch(error)) throw error;
      // Nothing ran. The list says whether the tool must be called in another way. (Spec 2025-11-25, Tasks, Tool-Level
      // Negotiation.)
      const support = await this.#listed(call.name, left(options));
      if ((support === 'required') === (known === 'required')) throw error;
      return await (support === 'required' ? asTask() : plainly());
    }
    // Some servers report that in a result. A tool that requires a task cannot have run.
    const isSaid = known === undefined && result.isError === true;
    return isSaid && (await this.#listed(call.name, left(options))) === 'required' ? await asTask() : result;
  }

  /** Begins a call as a task. */
  async start(call: ToolCall, options: StartTaskOptions, check: CheckOutput | undefined): Promise<TaskHandle> {
    const { connection } = this.#parts;
    this.#refuseOff();
    refuseNoNumber('ttlMs', options.ttlMs);
    const { options: asked, progress } = this.#reporting(options);
    await this.#requireTasks(call.name, options.signal);
    const isCore = connection.revision.tasks === 'core';
    const late = this.#door.abandoning(call, asked);
    const sent = isCore ? asked : { ...this.#door.declaring(asked), task: { late } };
    const begun = isCore ? await this.#begin(call, asked) : await this.#sent(call, sent);
    const { state, result } = begun;
    if (state === undefined) {
      begun.release();
      return answeredAtOnce(readResult(connection.revision, 'tools/call', result), check);
    }
    const task = this.#task(call.name, state, { sent, progress, release: begun.release });
    return handleOf({ task, check, immediate: immediateOf(result), revision: () => connection.revision });
  }

  /** Takes up a task that was begun elsewhere. */
  async takeUp(given: TaskReference, checkOf: (tool: string) => Promise<CheckOutput> | undefined): Promise<TaskHandle> {
    const { connection, description } = this.#parts;
    const { revision } = connection;
    const reference = checkReference(given, serverName(description, connection));
    this.#refuseOff();
    if (revision.tasks === 'none')
      throw new TypeError(`the task was begun at ${shown(reference.revision)}, and ${revision.date} has no tasks`);
    const sent = revision.tasks === 'core' ? {} : sentOf(this.#door.declaring({}));
    const task = new FollowedTask(this.#follow, { state: undefined, reference, sent });
    const check = await checkOf(reference.tool);
    return handleOf({ task, check, immediate: undefined, revision: () => connection.revision });
  }

  /** Result of a call, or of the task that it became; who gives it up gives the task up. */
  async #result(
    call: ToolCall,
    begun: Begun,
    { options, progress, usedMs }: Reporting & { readonly usedMs: number | undefined },
  ): Promise<CallToolResult> {
    const { signal, maxTotalTimeoutMs: ms, onGiveUp } = options;
    const { result, state, release } = begun;
    if (state === undefined) {
      release();
      return readResult(this.#parts.connection.revision, 'tools/call', result);
    }
    const task = this.#task(call.name, state, { sent: options, progress, release });
    try {
      return await untilFinished(task, { signal, ms, usedMs });
    } catch (error) {
      if (onGiveUp !== 'leave') task.abandon();
      throw error;
    }
  }

  /** The options of a call, with progress reports that continue with its task. */
  #reporting(options: TaskCallOptions): Reporting {
    const { failed, onProgress: toAll } = this.#parts.settings;
    const { onProgress = toAll && ((): void => undefined) } = options;
    if (onProgress === undefined) return { options, progress: undefined };
    const progress = new TaskProgress(guardedListener('onProgress', onProgress, failed));
    return { options: { ...options, onProgress: progress.hear }, progress };
  }

  #task(
    tool: string,
    state: TaskState,
    {
      sent,
      progress,
      release,
    }: { readonly sent: RepeatableOptions } & Pick<FollowedTaskOptions, 'progress' | 'release'>,
  ): FollowedTask {
    const { connection, description } = this.#parts;
    const { taskId, createdAt, ttlMs } = state;
    const server = serverName(description, connection);
    const revision = connection.revision.date;
    const reference = { server, taskId, revision, tool, createdAt, ttlMs, answered: [] };
    return new FollowedTask(this.#follow, { state, reference, sent: sentOf(sent), progress, release });
  }

  /** Sends a call that the server may make a task of. */
  async #sent(call: ToolCall, options: TaskCallOptions): Promise<Begun> {
    const { connection, known } = this.#parts;
    const result = await this.#requests.complete('tools/call', call, options).catch((error: unknown) => {
      throw known.explained(error, call.name);
    });
    const isTask = result['resultType'] === 'task';
    return { result, state: isTask ? createdTask(connection.revision, result) : undefined, release: () => undefined };
  }

  /**
   * Requests a task in 2025-11-25. An abort sends no `notifications/cancelled`: once the task exists, it is cancelled.
   * (Spec 2025-11-25, Cancellation: tasks are cancelled by `tasks/cancel`.)
   */
  async #begin(call: ToolCall, options: TaskCallOptions): Promise<Begun> {
    const { signal, onGiveUp, ttlMs, ...rest } = options;
    const { revision } = this.#parts.connection;
    let release = (): void => {};
    const holdProgress = (next: () => void): void => {
      release();
      release = next;
    };
    const late = (result: JsonObject): void => {
      if (onGiveUp !== 'leave') this.abandon(call, result, rest);
    };
    const task = { quiet: true, late, ...(rest.onProgress && { holdProgress }) };
    const params = { ...call, task: ttlMs === undefined ? {} : { ttl: ttlMs } };
    const stop = new AbortController();
    const asked = this.#requests.request('tools/call', params, { ...rest, signal: stop.signal, task });
    const begun = asked.then(
      (result) => ({ result, state: createdTask(revision, result), release: () => release() }),
      (error: unknown) => {
        release();
        throw error;
      },
    );
    return await untilGivenUp(begun, { signal, stop }, ({ state }) => {
      release();
      if (state !== undefined && onGiveUp !== 'leave') this.#task(call.name, state, { sent: rest }).abandon();
    });
  }

  /** @throws McpError methodNotFound if a call of the tool cannot be a task. */
  async #requireTasks(name: string, signal: AbortSignal | undefined): Promise<void> {
    const { connection, known } = this.#parts;
    const { revision, capabilities } = connection;
    if (revision.tasks === 'extension') return;
    if (revision.tasks === 'none') throw notFound('tools/call', `is never a task in ${revision.date}`);
    if (capabilities.tasks?.requests?.tools?.call === undefined)
      throw notFound('tools/call', 'is never a task at this server: it did not declare tasks.requests.tools.call');
    let support = known.taskSupport(name);
    if (support !== 'optional' && support !== 'required') support = await this.#listed(name, { signal });
    if (support === undefined) throw new McpError('invalidParams', `the server lists no tool ${shown(name)}`);
    if (support === 'forbidden') throw notFound('tools/call', `of ${shown(name)} is never a task`);
  }

  /** Use of tasks for a tool, by a list that is fetched now. */
  async #listed(
    name: string,
    { signal, maxTotalTimeoutMs }: Pick<RepeatableOptions, 'signal' | 'maxTotalTimeoutMs'>,
  ): Promise<'forbidden' | 'optional' | 'required' | undefined> {
    const { settings, known } = this.#parts;
    const options = { signal, maxTotalTimeoutMs, cache: 'refresh' as const };
    for await (const _ of walkPages((cursor) => this.#requests.page('tools/list', cursor, options), settings));
    return known.taskSupport(name);
  }

  #refuseOff(): void {
    if (!this.#parts.settings.tasks) throw new TypeError('tasks are off: connect got tasks: false');
  }

  #note(task: NudgedTask, isFollowed: boolean): void {
    const tasks = this.#followed.get(task.taskId) ?? new Set();
    if (isFollowed) this.#followed.set(task.taskId, tasks.add(task));
    else if (tasks.delete(task) && tasks.size === 0) this.#followed.delete(task.taskId);
  }

  #nudge(taskId: unknown): void {
    if (typeof taskId === 'string') this.#followed.get(taskId)?.forEach((task) => task.nudge());
  }
}

/** The options with the remaining part of the longest time; unchanged if there is none. */
function within<T extends RepeatableOptions>(options: T, passedMs: number): T {
  const { maxTotalTimeoutMs: total = 0 } = options;
  return total === 0 ? options : { ...options, maxTotalTimeoutMs: Math.max(1, total - passedMs) };
}

/** Tells whether an error may mean that a call must be a task, or must not. */
function isMismatch(error: unknown): boolean {
  return error instanceof McpError && (error.kind === 'methodNotFound' || error.kind === 'invalidRequest');
}

/** Text for the model while the task runs. (Spec 2025-11-25, Tasks, Model Immediate Response.) */
function immediateOf({ _meta }: JsonObject): string | undefined {
  const words = isObject(_meta) ? _meta['io.modelcontextprotocol/model-immediate-response'] : undefined;
  return typeof words === 'string' ? words : undefined;
}

/** Waits for work that continues for a while after the wait is aborted. Then `late` receives its outcome. */
async function untilGivenUp<T>(
  work: Promise<T>,
  { signal, stop }: { readonly signal: AbortSignal | undefined; readonly stop: AbortController },
  late: (value: T) => void,
): Promise<T> {
  if (signal === undefined) return await work;
  let isGivenUp = false;
  try {
    await waitFor(work, { method: 'tools/call', signal });
    return await work;
  } catch (error) {
    isGivenUp = signal.aborted;
    throw error;
  } finally {
    if (isGivenUp) {
      const cancel = after(unawaited.timeoutMs, () => stop.abort());
      work.then(late, () => undefined).finally(cancel);
    }
  }
}
