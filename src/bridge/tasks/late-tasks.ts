import type { SingleTasks, SingleTasksOptions } from './single-tasks.ts';

/** The tasks of one server, which are loaded when the first of them is seen. */
export interface LateTasks {
  /** The tasks, where they were loaded. */
  readonly loaded: SingleTasks | undefined;
  load(): Promise<SingleTasks>;
}

/** Makes what loads the tasks of a server. */
export function lateTasks(options: SingleTasksOptions): LateTasks {
  let loaded: SingleTasks | undefined;
  let loading: Promise<SingleTasks> | undefined;
  const load = async (): Promise<SingleTasks> => {
    const late = await import('./single-tasks.ts');
    return (loaded = new late.SingleTasks(options));
  };
  return {
    get loaded() {
      return loaded;
    },
    load: () => (loading ??= load()),
  };
}
