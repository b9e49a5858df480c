import { isObject, isRequestId } from '../../jsonrpc/message.ts';
import type { JsonObject, ProgressToken } from '../../protocol/features/common.ts';
import { McpError } from '../../protocol/error.ts';
import { fromWire } from '../../protocol/compile/from-wire.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Carried } from './carried.ts';
import { progressNotificationParamsShape } from '../../protocol/features/lifecycle.ts';
import { hasEnded } from '../../protocol/task-status.ts';

const noProgress: ProgressOfRequest = { progressToken: undefined, holdProgress: undefined };

/** Limit of tasks of a connection whose progress is carried. */
const mostOfTasks = 1_000;

/** Call that became a task, with what ends its progress. */
interface OfTask {
  readonly call: Carried;
  readonly taskId: string;
  release(): void;
}

/** Part that progress has in a request. */
export interface ProgressOfRequest {
  readonly progressToken: ProgressToken | undefined;
  readonly holdProgress: ((release: () => void) => void) | undefined;
}

/** Progress on its way down: what comes under a token of the upstream hop goes out under the token of the client. */
export class ProgressRelays {
  readonly #relays = new Map<ProgressToken, Carried>();
  /** Calls that became tasks, the latest of them: their tokens hold until these end. */
  readonly #ofTasks = new Map<ProgressToken, OfTask>();
  /** The tokens of these by the ids of the server. */
  readonly #tokens = new Map<string, ProgressToken>();
  /** The last value of each request, over all rounds that it takes. */
  readonly #highest = new WeakMap<Carried, number>();
  #last = 0;

  /** Runs a request with a token for the upstream, where its client wants progress. Tokens of different clients may be equal. */
  during(
    call: Carried,
    params: JsonObject,
    run: (progress: ProgressOfRequest) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const isConcerned = this.#ofTasks.size > 0 || isRequestId(call.meta['progressToken']);
    return isConcerned ? this.#during(call, params, run) : run(noProgress);
  }

  async #during(
    call: Carried,
    params: JsonObject,
    run: (progress: ProgressOfRequest) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const progressToken = this.#claim(call);
    let release = (): void => undefined;
    const holdProgress = (next: () => void): void => void (release = next);
    const mayBeTask = progressToken !== undefined && call.method === 'tools/call' && params['task'] !== undefined;
    let task: unknown;
    try {
      const result = await run({ progressToken, holdProgress: mayBeTask ? holdProgress : undefined });
      task = mayBeTask ? result['task'] : undefined;
      if (this.#ofTasks.size > 0 && isEnd(call.method, result)) this.#end(String(params['taskId']));
      return result;
    } finally {
      if (progressToken !== undefined) this.#relays.delete(progressToken);
      if (progressToken === undefined || !isObject(task)) release();
      else this.#keep(progressToken, { call, taskId: String(task['taskId']), release });
    }
  }

  #claim(call: Carried): ProgressToken | undefined {
    if (!isRequestId(call.meta['progressToken'])) return undefined;
    const token = ++this.#last;
    this.#relays.set(token, call);
    return token;
  }

  /** Keeps a token for the task that its call became. (Spec 2025-11-25, Tasks, Progress: it holds until the task ends.) */
  #keep(token: ProgressToken, ofTask: OfTask): void {
    const [oldest] = this.#ofTasks.values();
    if (this.#ofTasks.size >= mostOfTasks && oldest !== undefined) this.#end(oldest.taskId);
    this.#end(ofTask.taskId);
    this.#ofTasks.set(token, ofTask);
    this.#tokens.set(ofTask.taskId, token);
  }

  #end(taskId: string): void {
    const token = this.#tokens.get(taskId);
    if (token === undefined) return;
    this.#ofTasks.get(token)?.release();
    this.#ofTasks.delete(token);
    this.#tokens.delete(taskId);
  }

  /** Takes a progress notification, with whatever it holds beside what the protocol knows. */
  heard(params: JsonObject, revision: Revision): void {
    const { progressToken } = params;
    if (!isRequestId(progressToken)) return;
    const ofTask = this.#ofTasks.get(progressToken);
    const call = this.#relays.get(progressToken) ?? ofTask?.call;
    const read = call === undefined ? undefined : wellFormed(params, revision);
    if (call === undefined || read === undefined) return;
    // Spec, Progress: the value increases with each notification.
    if (read.progress <= (this.#highest.get(call) ?? Number.NEGATIVE_INFINITY)) return;
    this.#highest.set(call, read.progress);
    const told = { ...read, progressToken: call.meta['progressToken'] };
    // The call of a task was answered long ago: what is told of that goes beside all calls.
    if (ofTask === undefined) call.send('notifications/progress', told);
    else call.session?.notify('notifications/progress', told);
  }
}

/** Tells whether an answer says that a task has ended, so that nothing more is told of its progress. */
function isEnd(method: string, result: JsonObject): boolean {
  if (method === 'tasks/result') return true;
  const isAbout = method === 'tasks/get' || method === 'tasks/cancel';
  return isAbout && hasEnded(result);
}

/** Progress is a courtesy: what is malformed is dropped. */
function wellFormed(params: JsonObject, revision: Revision): (JsonObject & { readonly progress: number }) | undefined {
  try {
    return { ...fromWire(revision, progressNotificationParamsShape, params) };
  } catch (error) {
    if (error instanceof McpError) return undefined;
    throw error;
  }
}
