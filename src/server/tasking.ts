import type { Handler } from '../host/host.ts';
import type { TaskAnswers } from './tasks/answers.ts';

/** The tasks of a server, whose parts are loaded when a tool first says `task`: all other servers have none of them. */
export class Tasking {
  readonly #load: () => Promise<TaskAnswers>;
  #answers: Promise<TaskAnswers> | undefined;

  constructor(load: () => Promise<TaskAnswers>) {
    this.#load = load;
  }

  /** Gives what serves tasks, if anything does; a load that failed is tried again by the next who wants it. */
  get loaded(): Promise<TaskAnswers> | undefined {
    return this.#answers;
  }

  /** Loads what serves tasks. */
  load(): Promise<TaskAnswers> {
    if (this.#answers === undefined) {
      this.#answers = this.#load();
      this.#answers.catch(() => (this.#answers = undefined));
    }
    return this.#answers;
  }

  /** Gives the handler of a method: that of a server without tasks, or one that knows of them. */
  handler(method: string, plain: Handler | undefined): Handler | undefined {
    const answers = this.#answers;
    const concerns = method === 'tools/call' || method === 'subscriptions/listen' || method.startsWith('tasks/');
    if (answers === undefined || !concerns) return plain;
    return async (params, call) => await (await answers).answer(params, call, plain);
  }
}
