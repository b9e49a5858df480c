import { refuseUnknown, type Names } from '../options/known-names.ts';
import { refuseNoNumber, refuseOther } from '../options/known-values.ts';
import { memoryBus } from './bus.ts';
import type { TaskShelf } from './memory/task-shelf.ts';
import type { TaskStore } from './tasks.ts';

/** Limits of a store of tasks in memory. */
export interface MemoryTasksOptions {
  /** The most tasks; 10,000. */
  readonly maxTasks?: number;
  /**
   * The most bytes of all tasks together, about; 64 MiB. New ones may fill three quarters of it, so that existing ones
   * can continue and end.
   */
  readonly maxBytes?: number;
  /** The clock, in milliseconds; one that never jumps by default. */
  readonly now?: () => number;
}

const optionNames: Names<MemoryTasksOptions> = { maxTasks: 1, maxBytes: 1, now: 1 };

/** The stores that were made here. */
const made = new WeakSet<TaskStore>();

/** Tells whether a store is in the memory of this process: no other process can continue its tasks. */
export function isInMemory(store: TaskStore): boolean {
  return made.has(store);
}

/**
 * Makes a store of tasks in the memory of this process. They are lost when it ends, and no other process sees them.
 *
 * Beyond a limit it drops tasks that ended, the oldest first, and never an open one. If open tasks take three quarters
 * of the bytes, a new task gets `full`. If they take seven eighths, a change that needs more room rejects, and only an
 * end may use the rest. A change that needs no more room always succeeds.
 *
 * @throws TypeError for unknown or invalid options.
 */
export function memoryTasks(options: MemoryTasksOptions = {}): TaskStore {
  refuseUnknown('memoryTasks', options, optionNames);
  const { maxTasks = 10_000, maxBytes = 64 * 1024 * 1024, now = () => performance.now() } = options;
  refuseNoNumber('maxTasks', maxTasks);
  refuseNoNumber('maxBytes', maxBytes);
  refuseOther('function', 'now', now);
  let shelf: TaskShelf | undefined;
  // Creating the store loads nothing of it.
  const load = async (): Promise<TaskShelf> => {
    const loaded = await import('./memory/task-shelf.ts');
    return (shelf ??= new loaded.TaskShelf(maxTasks, maxBytes));
  };
  const store: TaskStore = {
    bus: memoryBus(),
    add: async (task, most) => (shelf ?? (await load())).add(task, most, now()),
    get: async (id) => (shelf ?? (await load())).get(id, now()),
    swap: async (task) => (shelf ?? (await load())).swap(task, now()),
    claim: async (queue, by) => (shelf ?? (await load())).claim(queue, by, now()),
    renew: async (leases, forMs) => (shelf ?? (await load())).renew(leases, forMs, now()),
    list: async (of, after, most) => (shelf ?? (await load())).list(of, after, most, now()),
    sweep: async (most) => (shelf ?? (await load())).sweep(most, now()),
  };
  made.add(store);
  return store;
}
