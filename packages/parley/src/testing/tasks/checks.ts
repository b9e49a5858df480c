import { after } from '../../jsonrpc/timeout.ts';
import type { StoredTask, TaskStore } from '../../storage/tasks.ts';

/** The stores of one test, with a queue that no other test has. */
export interface TestedStores {
  readonly one: TaskStore;
  readonly other: TaskStore;
  readonly queue: string;
}

/** One promise, and what tries it. */
export interface TaskStoreCheck {
  readonly title: string;
  check(stores: TestedStores): Promise<void>;
}

/** Number of those who want the same at once. */
export const racers = 64;

/** Limit of open tasks that no test comes near to. */
export const plenty = 10_000;

/** A task that nobody has yet, is due at once and never gone, unless said otherwise. */
export function taskOf(queue: string, parts: Partial<StoredTask> = {}): StoredTask {
  const id = `t${crypto.randomUUID()}`;
  return { id, queue, owner: 'somebody', version: 1, epoch: 0, open: true, dueInMs: 0, text: '{}', ...parts };
}

/** Adds a task, which must succeed. */
export async function added(store: TaskStore, task: StoredTask): Promise<StoredTask> {
  equal(await store.add(task, plenty), 'added', 'adding a task');
  return task;
}

/** Reads a task that must be there. */
export async function present(store: TaskStore, id: string): Promise<StoredTask> {
  const task = await store.get(id);
  if (task === undefined) throw new Error(`the task ${id} is not there`);
  return task;
}

/** The one task of a list that must have no other. */
export function only(tasks: readonly StoredTask[], what: string): StoredTask {
  const [task] = tasks;
  if (task === undefined || tasks.length > 1) throw new Error(`${what}: one task, not ${tasks.length}`);
  return task;
}

/** Refuses values that differ, as JSON says them. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  const [is, wanted] = [said(actual), said(expected)];
  if (is !== wanted) throw new Error(`${what}: ${wanted} was expected, and not ${is}`);
}

/** Asks until there is something, which takes the clock of a store a few milliseconds; gives up after 10 seconds. */
export async function eventually<Found>(what: string, look: () => Promise<Found | undefined | false>): Promise<Found> {
  for (let turns = 0; turns < 1000; turns++) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await new Promise<void>((resolve) => void after(10, resolve, true));
  }
  throw new Error(`${what}: nothing of it for 10 seconds`);
}

/** Runs something many times at once, each time at the next of two stores. */
export function race<Result>(
  { one, other }: TestedStores,
  times: number,
  run: (store: TaskStore, at: number) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(Array.from({ length: times }, (_, at) => run(at % 2 === 0 ? one : other, at)));
}

function said(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 400 ? `${text.slice(0, 400)}… (${text.length} characters)` : text;
}
