import { checkTaskOptions } from '../../../server/definition/task-mistakes.ts';
import { shown } from '../../../options/shown.ts';
import type { BridgeTasks } from '../../options.ts';

/** @throws TypeError for unknown options of stored tasks, and for values of a wrong type or without a meaning. */
export function checkKeptTasks(tasks: BridgeTasks | string): void {
  if (typeof tasks === 'string') return;
  if (typeof tasks !== 'object' || tasks === null)
    throw new TypeError(`tasks must be an object of options, or 'required' or 'always', not ${shown(tasks)}`);
  if (Object.hasOwn(tasks, 'executor'))
    throw new TypeError('tasks.executor is an option of servers: a bridge follows the tasks that it keeps by itself');
  const { ask: _, ...own } = tasks;
  checkTaskOptions(own);
}
