import { isObject, isRequestId } from '../../jsonrpc/message.ts';
import type { JsonObject, ProgressToken } from '../../protocol/features/common.ts';
import { progressWords } from '../../connection/progress.ts';
import { McpError } from '../../protocol/error.ts';
import { fromWire } from '../../protocol/compile/from-wire.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { ForwardedCall } from './forwarded-call.ts';
import { progressNotificationParamsShape } from '../../protocol/features/lifecycle.ts';
import { hasEnded } from '../../protocol/task-status.ts';

const noProgress: ProgressOfRequest = { progressToken: undefined, holdProgress: undefined };

/** Limit of tasks of a connection whose progress is forwarded. */
const maxOfTasks = 1_000;

/** Call that became a task, with what ends its progress. */
interface OfTask {
  readonly call: ForwardedCall;
  readonly taskId: string;
  release(): void;
}

/** Part that progress has in a request. */
export interface ProgressOfRequest {
  readonly progressToken: ProgressToken | undefined;
  readonly holdProgress: ((release: () => void) => void) | undefined;
}

/** The last value of each request, over all rounds that it takes. */
const highest = new WeakMap<ForwardedCall, number>();

/** Calls whose servers reported progress. */
const reporting = new WeakSet<ForwardedCall>();

/** Tells whether a value may be reported for a call now: it must increase with each notification. (Spec, Progress.) */
export function rises(call: ForwardedCall, value: number): boolean {
  if (value <= (highest.get(call) ?? Number.NEGATIVE_INFINITY)) return false;
  highest.set(call, value);
  return true;
}

/** Tells whether a server itself reported progress of a call, so that no substitute is needed. */
export function hasReported(call: ForwardedCall): boolean {
  return reporting.has(call);
}

/** Receives the progress of a task as text, by the id of its server. */
export type TaskSaid = (taskId: string, words: string) => void;

/** Forwards progress downstream: it replaces the token of the upstream hop with the client's token. */
export class ProgressRelays {
  readonly #relays = new Map<ProgressToken, ForwardedCall>();
  /** Calls that became tasks, the latest of them: their tokens hold until these end. */
  readonly #ofTasks = new Map<ProgressToken, OfTask>();
  /** The tokens of these by the ids of the server. */
  readonly #tokens = new Map<string, ProgressToken>();
  readonly #said: TaskSaid | undefined;
  /** Text of calls that may become tasks, from before that was known. */
  readonly #early = new WeakMap<ForwardedCall, string>();
  #last = 0;

  /** @param said Receives the progress of tasks whose clients only get a status. */
  constructor(said: TaskSaid | undefined) {
    this.#said = said;
  }

  /** Runs a request with a token for the upstream, where its client wants progress. Tokens of different clients may be equal. */
  during(
    call: ForwardedCall,
    params: JsonObject,
    run: (progress: ProgressOfRequest) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const isConcerned = this.#ofTasks.size > 0 || wantsProgress(call, params);
    return isConcerned ? this.#during(call, params, run) : run(noProgress);
  }

  async #during(
    call: ForwardedCall,
    params: JsonObject,
    run: (progress: ProgressOfRequest) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const progressToken = this.#claim(call, params);
    let release = (): void => undefined;
    const holdProgress = (next: () => void): void => void (release = next);
    const mayBeTask = progressToken !== undefined && call.method === 'tools/call' && params['task'] !== undefined;
    let task: unknown;
    try {
      const result = await run({ progressToken, holdProgress: mayBeTask ? holdProgress : undefined });
      task = mayBeTask ? result['task'] : undefined;
      if (this.#ofTasks.size > 0 && isEnd(call.method, result)) this.ended(String(params['taskId']));
      return result;
    } finally {
      if (progressToken !== undefined) this.#relays.delete(progressToken);
      if (progressToken === undefined || !isObject(task)) release();
      else this.#keep(progressToken, { call, taskId: String(task['taskId']), release });
    }
  }

  /**
   * Forwards a notification of an extension to the call whose token it has.
   *
   * @returns True if a call has it.
   */
  tell(method: string, params: JsonObject): boolean {
    const { progressToken } = params;
    const call = isRequestId(progressToken) ? this.#relays.get(progressToken) : undefined;
    call?.send(method, { ...params, progressToken: call.meta['progressToken'] });
    return call !== undefined;
  }

  #claim(call: ForwardedCall, params: JsonObject): ProgressToken | undefined {
    if (!wantsProgress(call, params)) return undefined;
    const token = ++this.#last;
    this.#relays.set(token, call);
    return token;
  }

  /** Keeps a token for the task that its call became. (Spec 2025-11-25, Tasks, Progress: it holds until the task ends.) */
  #keep(token: ProgressToken, ofTask: OfTask): void {
    const [oldest] = this.#ofTasks.values();
    if (this.#ofTasks.size >= maxOfTasks && oldest !== undefined) this.ended(oldest.taskId);
    this.ended(ofTask.taskId);
    this.#ofTasks.set(token, ofTask);
    this.#tokens.set(ofTask.taskId, token);
    const early = this.#early.get(ofTask.call);
    if (early !== undefined) this.#said?.(ofTask.taskId, early);
  }

  /** Ends the progress of a task that has ended. */
  ended(taskId: string): void {
    const token = this.#tokens.get(taskId);
    if (token === undefined) return;
    this.#ofTasks.get(token)?.release();
    this.#ofTasks.delete(token);
    this.#tokens.delete(taskId);
  }

  /** Receives a progress notification, including fields that the protocol does not know. */
  heard(params: JsonObject, revision: Revision): void {
    const { progressToken } = params;
    if (!isRequestId(progressToken)) return;
    const ofTask = this.#ofTasks.get(progressToken);
    const call = this.#relays.get(progressToken) ?? ofTask?.call;
    const read = call === undefined ? undefined : wellFormed(params, revision);
    if (call === undefined || read === undefined) return;
    if (!rises(call, read.progress)) return;
    reporting.add(call);
    if (call.facts.tasks === 'extension') {
      if (ofTask !== undefined) return this.#said?.(ofTask.taskId, wordsIn(read));
      this.#early.set(call, wordsIn(read));
    }
    const told = { ...read, progressToken: call.meta['progressToken'] };
    // The call of a task was answered long ago. Its progress is sent outside of any call.
    if (ofTask !== undefined) call.session?.notify('notifications/progress', told);
    else if (isRequestId(told.progressToken)) call.send('notifications/progress', told);
  }
}

/** Tells whether progress is wanted: by the client, or for a task that the bridge requested on the client's behalf. */
function wantsProgress({ method, meta, facts }: ForwardedCall, params: JsonObject): boolean {
  if (isRequestId(meta['progressToken'])) return true;
  return facts.tasks === 'extension' && method === 'tools/call' && params['task'] !== undefined;
}

/** Spec ext-tasks: a task has no progress beside its status message. */
function wordsIn({ progress, total, message }: JsonObject & { readonly progress: number }): string {
  const more = { ...(typeof total === 'number' && { total }), ...(typeof message === 'string' && { message }) };
  return progressWords({ progress, ...more });
}

/** Tells whether an answer reports the end of a task, after which it has no more progress. */
function isEnd(method: string, result: JsonObject): boolean {
  if (method === 'tasks/result') return true;
  const isAbout = method === 'tasks/get' || method === 'tasks/cancel';
  return isAbout && hasEnded(result);
}

/** Progress is optional: a malformed report is dropped. */
function wellFormed(params: JsonObject, revision: Revision): (JsonObject & { readonly progress: number }) | undefined {
  try {
    return { ...fromWire(revision, progressNotificationParamsShape, params) };
  } catch (error) {
    if (error instanceof McpError) return undefined;
    throw error;
  }
}
