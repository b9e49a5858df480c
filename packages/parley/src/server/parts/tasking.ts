import type { Call } from '../runtime/call.ts';
import type { Handler } from '../runtime/server-core.ts';
import type { ServerTasks, TaskSupport } from '../definition/task-definition.ts';

/** The code for tasks, once it is loaded. */
export interface TaskHandlers {
  readonly serving: ServerTasks & { close(): Promise<void> };
  /** Answers a request that concerns tasks. */
  answer(params: Parameters<Handler>[0], call: Call, plain: Handler | undefined): unknown;
}

/** The tasks of a server. Their code is loaded when a tool first has `task`. Other servers never load it. */
export class Tasking {
  readonly #load: () => Promise<TaskHandlers>;
  readonly #onError: (error: unknown, where: string) => void;
  #answers: Promise<TaskHandlers> | undefined;

  constructor(load: () => Promise<TaskHandlers>, onError: (error: unknown, where: string) => void) {
    this.#load = load;
    this.#onError = onError;
  }

  /** Tasks for what works on them outside of handlers; who first asks loads the rest. */
  get face(): ServerTasks {
    const late = async (): Promise<ServerTasks> => (await this.#loading()).serving;
    return {
      finish: async (id, result) => await (await late()).finish(id, result),
      fail: async (id, error) => await (await late()).fail(id, error),
      say: async (id, message) => await (await late()).say(id, message),
      run: async (id) => await (await late()).run(id),
      // Where nothing was loaded nothing runs.
      drain: async (options) => await (await this.#answers)?.serving.drain(options),
    };
  }

  /** Loads the code for tasks when a tool has them: stored tasks may be waiting for work. */
  begin({ task }: { readonly task?: TaskSupport | undefined }): void {
    if (task !== undefined) this.#loading().catch((error: unknown) => this.#onError(error, 'tasks'));
  }

  /** Gives the handler of a method: that of a server without tasks, or one that knows of them. */
  handler(method: string, plain: Handler | undefined): Handler | undefined {
    const answers = this.#answers;
    const concerns = method === 'tools/call' || method === 'subscriptions/listen' || method.startsWith('tasks/');
    if (answers === undefined || !concerns) return plain;
    return async (params, call) => await (await answers).answer(params, call, plain);
  }

  async close(): Promise<void> {
    await (await this.#answers)?.serving.close();
  }

  /** A load that failed is tried again by the next who wants it. */
  #loading(): Promise<TaskHandlers> {
    if (this.#answers === undefined) {
      this.#answers = this.#load();
      this.#answers.catch(() => (this.#answers = undefined));
    }
    return this.#answers;
  }
}
