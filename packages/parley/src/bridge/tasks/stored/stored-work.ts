import type { Client } from '../../../client/api/client.ts';
import { jsonText } from '../../../json/exact-number.ts';
import { parseExactJson } from '../../../json/parse-exact.ts';
import { after } from '../../../jsonrpc/timeout.ts';
import { RoundEnded, type AskMethod } from '../../../connection/client-request.ts';
import { fromWire } from '../../../protocol/compile/from-wire.ts';
import { McpError } from '../../../protocol/error.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { inputRequiredResultShape } from '../../../protocol/features/rounds.ts';
import { taskShape, type Task } from '../../../protocol/features/tasks.ts';
import { callToolResultShape } from '../../../protocol/features/tools.ts';
import type { Revision } from '../../../protocol/revision.ts';
import type { TaskCall } from '../../../server/tasks/task-call.ts';
import { declaredIn } from '../../declared.ts';
import { failureFor } from '../../failure.ts';
import { forwardedMeta, revisionFor } from '../../forward.ts';
import type { ForwardedCall } from '../../upstream/forwarded-call.ts';
import type { Pool } from '../../upstream/pool.ts';
import { malformedTask } from '../attempt.ts';
import { UpstreamTask } from '../extension/followed.ts';
import type { ToldTasks } from '../extension/reported-tasks.ts';
import { takingTasks } from '../forms.ts';

/** Time that a server may take to answer a request about a task, in milliseconds. */
const aboutMs = 60_000;

/** Time that telling a server of a cancel may take, in milliseconds. */
const cancelMs = 10_000;

/**
 * Time for which a call whose task was cancelled may still become a task of the server, in milliseconds. That task is
 * then cancelled.
 */
const becomesMs = 1_000;

/** Limit of rounds of questions before the call is answered, or becomes a task. */
const mostRounds = 32;

/** Key of the mark that is stored before the call is sent: it must not be sent twice. */
const sentKey = 'sent';

/** Task of the server that the call became, or its result. */
type Begun = { readonly task: Pick<Task, 'taskId' | 'pollIntervalMs'> } | { readonly result: JsonObject };

/** Parts that the work of a task needs. */
export interface KeptWorkParts {
  readonly pool: Pool;
  readonly told: ToldTasks;
  /** True if another process may continue it. */
  readonly lasts: boolean;
}

/** The work of a task that a bridge stores: a call to a server that may answer with a task of the extension. */
export class KeptWork {
  readonly face: TaskCall;
  readonly #pool: Pool;
  readonly #told: ToldTasks;
  readonly #forwarded: ForwardedCall;
  readonly #lasts: boolean;

  constructor(face: TaskCall, { pool, told, lasts }: KeptWorkParts) {
    this.#lasts = lasts;
    this.face = face;
    this.#pool = pool;
    this.#told = told;
    const { method, requestId, facts, client, address, auth, meta, session, signal } = face;
    const admits = (): boolean => false;
    const send = (): void => undefined;
    const of = { method, requestId, facts, client, address, auth, meta, session, signal, admits, send };
    this.#forwarded = { ...of, logLevel: undefined, inputResponses: undefined, requestState: undefined };
  }

  /** The revision of the server. */
  get revision(): Revision {
    const { latest } = this.#pool.main;
    if (latest === undefined) throw new McpError('internalError', 'the upstream server was not reached yet');
    return revisionFor(latest);
  }

  /**
   * Runs the work, or continues it in another process.
   *
   * @param isKnown Tells whether a step was done before, by its key.
   * @throws McpError that the call failed with.
   */
  async run(params: JsonObject, isKnown: (key: string) => boolean): Promise<JsonObject> {
    const { face } = this;
    const wasSent = isKnown(sentKey);
    if (wasSent && !isKnown('begun'))
      throw new McpError('internalError', 'the bridge ended while the call ran, which may not be made again');
    try {
      await face.once(sentKey, () => Promise.resolve(true));
      // As text, in which numbers have their spelling.
      const text = await face.once('begun', async () => jsonText(await this.#begin(params)));
      const begun = parseExactJson(text, Number.POSITIVE_INFINITY) as Begun;
      if ('result' in begun) return begun.result;
      const { taskId, pollIntervalMs } = begun.task;
      return this.#read(await this.#followed(taskId, pollIntervalMs));
    } catch (error) {
      // After a cancellation, or if another process runs the task, this error is dropped.
      if (face.run?.over !== undefined) throw new RoundEnded('the task was cancelled, or another process runs it');
      throw failureFor(error, { call: this.#forwarded, params, revision: this.revision });
    }
  }

  /** Sends a request for the client of the call. */
  async request(
    method: string,
    { _meta: meta, ...params }: JsonObject,
    signal: AbortSignal | undefined,
  ): Promise<JsonObject> {
    const timeoutMs = method === 'tools/call' ? 0 : method === 'tasks/cancel' ? cancelMs : aboutMs;
    return await this.#pool.preferredBy(this.#forwarded).during(
      async (client) =>
        await client.request(method, params, {
          ...this.#declared(client),
          ...forwardedMeta(meta),
          signal,
          timeoutMs,
          resultTypes: ['task'],
          ...(method === 'tools/call' ? { onProgress: (told) => this.#progress(told) } : {}),
        }),
    );
  }

  /** Receives changes of a task while the server sends them. */
  async hear(taskId: string, changed: () => void, signal: AbortSignal): Promise<void> {
    const upstream = this.#pool.preferredBy(this.#forwarded);
    await this.#told.hear(upstream, { call: this.#forwarded, taskIds: [taskId] }, changed, signal);
  }

  /** Asks the client the server's question. */
  async ask(
    key: string,
    { method, params = {} }: { readonly method: AskMethod; readonly params?: object },
    signal?: AbortSignal,
  ): Promise<JsonObject> {
    // Params of questions are JSON objects.
    const question = { method, params: params as JsonObject, key, signal };
    try {
      return await this.face.ask<JsonObject>({ ...question, accept: (value) => ({ value }) });
    } catch (error) {
      if (!(error instanceof McpError) && !(error instanceof TypeError)) throw error;
      throw new McpError('internalError', `the upstream server wants input: ${error.message}`, { cause: error });
    }
  }

  async #begin(params: JsonObject): Promise<Begun> {
    const { task: _, inputResponses: __, requestState: ___, ...sent } = params;
    let more: JsonObject = {};
    for (let round = 0; round < mostRounds; round++) {
      const answer = await this.#call({ ...sent, ...more });
      if (answer['resultType'] === 'task')
        return { task: this.#wanted(this.#readAs(() => taskOf(this.revision, answer))) };
      if (answer['resultType'] !== 'input_required') return { result: this.#read(answer) };
      more = await this.#answered(answer, round);
    }
    throw new McpError('internalError', `the upstream server asks more than ${mostRounds} rounds of questions`);
  }

  /** Sends the call. Ending it at once on a cancellation would leave behind a task that the server has just made. */
  async #call(params: JsonObject): Promise<JsonObject> {
    const { signal } = this.face;
    const end = new AbortController();
    let keep = (): void => undefined;
    const giveUp = (): void => void (keep = after(becomesMs, () => end.abort(signal.reason)));
    if (signal.aborted) end.abort(signal.reason);
    else signal.addEventListener('abort', giveUp);
    try {
      return await this.request('tools/call', params, end.signal);
    } finally {
      keep();
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** @throws RoundEnded if the task was cancelled before the server's task existed. That task is then cancelled too. */
  #wanted(task: Pick<Task, 'taskId' | 'pollIntervalMs'>): Pick<Task, 'taskId' | 'pollIntervalMs'> {
    if (!this.face.signal.aborted) return task;
    this.#cancel(task.taskId);
    throw new RoundEnded('the task was cancelled, or another process runs it');
  }

  /** Answers of the client to the questions of a round. */
  async #answered(answer: JsonObject, round: number): Promise<JsonObject> {
    const read = this.#readAs(() => fromWire(this.revision, inputRequiredResultShape, answer));
    const { inputRequests = {}, requestState } = read;
    const answers = Object.entries(inputRequests).map(
      async ([key, question]) => [key, await this.ask(`round-${round}:${key}`, question)] as const,
    );
    const inputResponses = Object.fromEntries(await Promise.all(answers));
    return { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
  }

  async #followed(taskId: string, firstMs: number | undefined): Promise<JsonObject> {
    try {
      return await new UpstreamTask(this, taskId).ended(firstMs);
    } catch (error) {
      // If another process runs the task from a durable store, it continues the server's task. Otherwise this process
      // cancels it, since no other process knows of it.
      await Promise.resolve();
      if (this.face.run?.over !== 'elsewhere' || !this.#lasts) this.#cancel(taskId);
      throw error;
    }
  }

  #cancel(taskId: string): void {
    void this.request('tasks/cancel', { taskId }, undefined).catch(() => undefined);
  }

  #declared(client: Client) {
    const { facts, client: own, auth } = this.#forwarded;
    const capabilities = takingTasks(declaredIn(facts, revisionFor(client), own.capabilities));
    return { clientInfo: own.info, capabilities, caller: auth };
  }

  #progress({ progress, total, message }: { progress: number; total?: number; message?: string }): void {
    this.face.progress(progress, total, message);
    if (message !== undefined) this.face.task?.say(message);
  }

  #read(result: JsonObject): JsonObject {
    return this.#readAs(() => ({ ...fromWire(this.revision, callToolResultShape, result) }));
  }

  #readAs<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw malformedTask(error);
    }
  }
}

function taskOf(revision: Revision, answer: JsonObject): Pick<Task, 'taskId' | 'pollIntervalMs'> {
  const { taskId, pollIntervalMs } = fromWire(revision, taskShape, answer);
  return { taskId, ...(pollIntervalMs === undefined ? {} : { pollIntervalMs }) };
}
