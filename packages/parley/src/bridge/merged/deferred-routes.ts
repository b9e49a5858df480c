import { loadedOnce } from '../../options/loaded-once.ts';
import type { Seal } from '../../sealing/seal.ts';
import type { TaskRoutes } from '../tasks/task-routes.ts';
import type { Routes } from './routes.ts';
import type { Backend } from './backend.ts';

/** Ways to the tasks of several servers, which are loaded when the first of them is seen. */
export type DeferredTaskRoutes = () => Promise<TaskRoutes>;

/** Makes what loads them. */
export function deferredTaskRoutes(backends: readonly Backend[], routes: Routes, seal: Seal): DeferredTaskRoutes {
  return loadedOnce(async () => {
    const late = await import('../tasks/task-routes.ts');
    return new late.TaskRoutes(backends, routes, seal);
  });
}
