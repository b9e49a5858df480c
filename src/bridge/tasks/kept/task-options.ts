import { checkTaskOptions } from '../../../server/task-mistakes.ts';
import type { BridgeTasks } from '../../options.ts';

/** @throws TypeError for options of kept tasks that do not exist, are of another type, or make no sense. */
export function checkKeptTasks(tasks: BridgeTasks): void {
  if (Object.hasOwn(tasks, 'executor'))
    throw new TypeError('tasks.executor is an option of servers: a bridge follows the tasks that it keeps by itself');
  checkTaskOptions(tasks);
}
