/**
 * Runs schedules for tests in threads of their own: the runner of tests follows every promise of the thread that it is in, which costs more than most events of
 * a schedule.
 */

import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { after } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { Judged, Wanted } from './judged.ts';
import type { Plan } from './plan.ts';
import { statesOf, type State, type Where } from './states.ts';

/** How many of them run at once: files of tests run beside each other too. */
export const threads: number = Math.min(2, availableParallelism());

/** Each with what it does now, or did last. */
const workers: { readonly worker: Worker; busy: Promise<unknown> | undefined }[] = [];

after(async () => void (await Promise.all(workers.map(({ worker }) => worker.terminate()))));

/** Runs the schedules of some seeds, or one plan, as soon as a thread is free. */
export async function outcomes(wanted: Wanted | Plan): Promise<Judged> {
  for (;;) {
    const free = workers.find(({ busy }) => busy === undefined) ?? another();
    if (free === undefined) {
      await Promise.race(workers.map(async ({ busy }) => await busy));
      continue;
    }
    free.worker.postMessage(wanted);
    free.busy = once(free.worker, 'message').finally(() => (free.busy = undefined));
    const [judged] = (await free.busy) as [Judged];
    for (const state of judged.states) reached.add(state);
    return judged;
  }
}

/** A schedule leaves nothing behind that lives: with more room for what is young, little of it is moved before it is dead. */
const resourceLimits = { maxYoungGenerationSizeMb: 256 };

/** One more, where there may be one. */
function another(): (typeof workers)[number] | undefined {
  if (workers.length >= threads) return undefined;
  // What the runner of tests loads first is not for it.
  const worker = new Worker(new URL('in-worker.ts', import.meta.url), { execArgv: [], resourceLimits });
  const made = { worker, busy: undefined };
  workers.push(made);
  return made;
}

const reached = new Set<State>();

/** The states of some places that no schedule of this file came to so far. */
export function statesLeft(...places: readonly Where[]): readonly State[] {
  return statesOf(...places).filter((state) => !reached.has(state));
}
