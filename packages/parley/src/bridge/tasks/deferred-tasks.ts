import { loadedOnce } from '../../options/loaded-once.ts';
import type { SingleTasks, SingleTasksOptions } from './single-tasks.ts';

/** The tasks of one server, which are loaded when the first of them is seen. */
export interface LateTasks {
  /** The tasks, where they were loaded. */
  readonly loaded: SingleTasks | undefined;
  load(): Promise<SingleTasks>;
  /** Passes a message on. If the code cannot be loaded, the message is dropped. */
  hear(tell: (own: SingleTasks) => unknown): void;
}

/** Makes what loads the tasks of a server. */
export function lateTasks(options: SingleTasksOptions): LateTasks {
  let loaded: SingleTasks | undefined;
  const load = loadedOnce(async (): Promise<SingleTasks> => {
    const late = await import('./single-tasks.ts');
    return (loaded = new late.SingleTasks(options));
  });
  return {
    get loaded() {
      return loaded;
    },
    load,
    hear(tell) {
      load()
        .then(tell)
        .catch((cause: unknown) => options.onWarning(`a server's notification of a task was lost: ${String(cause)}`));
    },
  };
}
