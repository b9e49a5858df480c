import type { Call } from '../../server/runtime/call.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { Seal } from '../../sealing/seal.ts';
import { unknownTask } from '../../tasks/core.ts';
import type { Routes } from '../merged/routes.ts';
import type { Backend } from '../merged/backend.ts';
import { requireTasks } from './forwarded-tasks.ts';
import { TaskIds } from './task-ids.ts';

/** Finds the server of a task: the id has its name. */
export class TaskRoutes {
  readonly #slots: readonly Backend[];
  readonly #routes: Routes;
  readonly #ids: TaskIds;

  constructor(slots: readonly Backend[], routes: Routes, seal: Seal) {
    this.#slots = slots;
    this.#routes = routes;
    this.#ids = new TaskIds(seal);
  }

  /**
   * Forwards a request about a task to its server.
   *
   * @throws McpError as a single server would, for an id that is not a task of this principal.
   */
  async about(params: JsonObject, call: Call): Promise<unknown> {
    requireTasks(call);
    // Tasks can be listed only if there is a single server.
    if (call.method === 'tasks/list') return await this.#routes.inOrder(params, call);
    const task = await this.#ids.open(String(params['taskId']), call.auth?.principal);
    const slot =
      task === undefined
        ? await this.#keeperOf(String(params['taskId']), call)
        : this.#slots.find(({ name }) => name === task.member);
    if (slot === undefined) throw unknownTask();
    return await this.#routes.to(slot, params, call);
  }

  /** The server for which a task is stored here, whose id is not sealed. */
  async #keeperOf(taskId: string, call: Call): Promise<Backend | undefined> {
    if (call.facts.tasks !== 'core') return undefined;
    for (const slot of this.#slots) {
      // A server that is not reached hides no task of another.
      if ((await slot.single?.keeps(taskId, call).catch(() => false)) === true) return slot;
    }
    return undefined;
  }

  /** The task ids by their servers. Unknown ids are left out. */
  async ownersOf(ids: readonly string[], call: Call): Promise<ReadonlyMap<Backend, readonly string[]>> {
    requireTasks(call);
    const owned = new Map<Backend, string[]>();
    for (const [id, { member }] of await this.#ids.openAll(ids, call.auth?.principal)) {
      const slot = this.#slots.find(({ name }) => name === member);
      if (slot === undefined) continue;
      const all = owned.get(slot) ?? [];
      owned.set(slot, all);
      all.push(id);
    }
    return owned;
  }
}
