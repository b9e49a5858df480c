/** Our client as one of the programs of tasks. */

import {
  connect,
  McpError,
  TaskGoneError,
  type Client as OurClient,
  type TaskHandle,
} from '../../packages/parley/src/client.ts';
import { transportTo, type Client, type Revisions } from '../harness/route.ts';
import type { Outcome } from '../harness/step.ts';
import { stepMs } from '../harness/times.ts';
import type { TaskStep } from './step.ts';

/** Runs a plan of tasks in this process, at one of some revisions. */
export function runTasks(revisions: Revisions): Client<TaskStep> {
  return async ({ target, steps }, tell) => {
    const heard: string[] = [];
    let client: OurClient | undefined;
    let told = (): void => undefined;
    const report = async (step: string, doing: (signal: AbortSignal) => Promise<unknown>): Promise<void> => {
      tell({ step, ...(await outcomeOf(doing)), heard: heard.splice(0) });
    };
    await report('connect', async () => {
      client = await connect(transportTo(target), {
        ...(revisions === undefined ? {} : { revisions }),
        onElicit: () => {
          heard.push('asked elicitation');
          return { action: 'accept', content: { name: 'Ann' } };
        },
        onNotification: (method, { status }) => {
          if (!/^notifications\/tasks(\/status)?$/.test(method)) return;
          heard.push(`told ${String(status)}`);
          if (status === 'completed') told();
        },
        onWarning: () => undefined,
      });
      return { revision: client.revision };
    });
    if (client === undefined) return '';
    const exercise = new Exercise(client, heard, () => new Promise<void>((resolve) => (told = resolve)));
    for (const step of steps) await report(step.id, (signal) => exercise.do(step, signal));
    await client.close();
    return '';
  };
}

async function outcomeOf(doing: (signal: AbortSignal) => Promise<unknown>): Promise<Omit<Outcome, 'step'>> {
  try {
    return { result: await doing(AbortSignal.timeout(stepMs)) };
  } catch (error) {
    // One that tells of a task that is gone has what the server answered as its cause; that of malformed answers is our own.
    const cause = error instanceof TaskGoneError ? error.cause : error;
    if (cause instanceof McpError) return { error: { code: cause.code, message: cause.message } };
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

function late(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(new Error('it was not told')), { once: true }),
  );
}

class Exercise {
  readonly #client: OurClient;
  readonly #heard: string[];
  /** Begins to wait until a task is told to be completed. */
  readonly #completed: () => Promise<void>;

  constructor(client: OurClient, heard: string[], completed: () => Promise<void>) {
    this.#client = client;
    this.#heard = heard;
    this.#completed = completed;
  }

  async do(step: TaskStep, signal: AbortSignal): Promise<unknown> {
    switch (step.do) {
      case 'call':
        return await this.#client.callTool(step.name, step.arguments, { signal });
      case 'task': {
        const task = await this.#start(step, signal);
        const [result] = await Promise.all([task.result({ signal }), this.#watch(task, signal)]);
        return result;
      }
      case 'told': {
        const completed = this.#completed();
        const task = await this.#start(step, signal);
        // Whoever waits for a task that takes long listens to it, where tasks are listened to.
        await Promise.race([Promise.all([task.result({ signal }), completed]), late(signal)]);
        return { status: 'completed' };
      }
      case 'cancel': {
        const task = await this.#start(step, signal);
        await task.cancel({ signal });
        return await this.#ended(task, signal);
      }
      case 'cancel-ended': {
        const task = await this.#start(step, signal);
        await task.result({ signal });
        // A new handle knows nothing of the end.
        const again = await this.#again(task);
        await again.cancel({ signal });
        return {};
      }
      case 'unknown': {
        const task = await this.#start(step, signal);
        return await (await this.#again(task, { taskId: 'never-was' })).poll({ signal });
      }
      case 'tasks':
        throw new Error('our client does not list tasks');
    }
  }

  async #start(
    step: { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>>; readonly ttl?: number },
    signal: AbortSignal,
  ): Promise<TaskHandle> {
    const task = await this.#client.startTask(step.name, step.arguments, {
      signal,
      ...(step.ttl === undefined ? {} : { ttlMs: step.ttl }),
    });
    if (task.reference !== undefined) this.#heard.push('created', `ttl ${task.reference.ttlMs}`);
    return task;
  }

  async #watch(task: TaskHandle, signal: AbortSignal): Promise<void> {
    for await (const { status } of task.updates({ signal })) this.#heard.push(`status ${status}`);
  }

  /** A server may end it later than it says that it will. */
  async #ended(task: TaskHandle, signal: AbortSignal): Promise<unknown> {
    let status = (await task.poll({ signal })).status;
    while (status === 'working') {
      await new Promise((resolve) => setTimeout(resolve, 100));
      ({ status } = await task.poll({ signal }));
    }
    return { status };
  }

  async #again({ reference }: TaskHandle, other: { readonly taskId?: string } = {}): Promise<TaskHandle> {
    if (reference === undefined) throw new Error('the server answered at once');
    return await this.#client.task({ ...reference, ...other });
  }
}
