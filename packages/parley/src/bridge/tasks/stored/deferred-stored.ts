import { loadedOnce } from '../../../options/loaded-once.ts';
import type { StoredTasks, KeptTasksOptions } from './stored-tasks.ts';

/** Tasks that a bridge keeps, which are loaded when the first of them is made, or there may be some of before. */
export interface LateKept {
  /** Tells whether no task is being worked on. */
  readonly idle: boolean;
  load(): Promise<StoredTasks>;
  close(): Promise<void>;
}

/** Makes what loads the tasks that a bridge keeps. */
export function lateKept(options: KeptTasksOptions): LateKept {
  let isWanted = false;
  let loaded: StoredTasks | undefined;
  let isClosed = false;
  const load = loadedOnce(async (): Promise<StoredTasks> => {
    const late = await import('./stored-tasks.ts');
    const kept = (loaded = new late.StoredTasks(options));
    if (isClosed) await kept.close();
    return kept;
  });
  return {
    get idle() {
      return loaded?.idle !== false;
    },
    load: () => {
      isWanted = true;
      return load();
    },
    close: async () => {
      isClosed = true;
      if (isWanted) await (await load()).close();
    },
  };
}
