/**
 * Runs schedules for a test in a thread of its own: the runner of tests follows every promise of the thread that it is in, which costs more than most events of
 * a schedule.
 */

import { once } from 'node:events';
import { after } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { Judged, Wanted } from './judged.ts';
import type { Plan } from './plan.ts';

let worker: Worker | undefined;

after(async () => void (await worker?.terminate()));

/** Runs the schedules of some seeds, or one plan; one call after the other. */
export async function outcomes(wanted: Wanted | Plan): Promise<Judged> {
  // What the runner of tests loads first is not for it.
  worker ??= new Worker(new URL('in-worker.ts', import.meta.url), { execArgv: [] });
  worker.postMessage(wanted);
  const [judged] = (await once(worker, 'message')) as [Judged];
  return judged;
}
