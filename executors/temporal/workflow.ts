/** The workflow of a task, which Temporal runs apart from everything else: `workflowsPath` of a worker names this file. */

import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';

const { runTask } = proxyActivities({
  // A run lasts as long as its tool does; one whose process died is tried elsewhere when its heartbeats are missed.
  startToCloseTimeout: '1 day',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

const wake = defineSignal('wake');

/** Runs a task as often as it takes. */
export async function task(id: string): Promise<string> {
  let woken = false;
  setHandler(wake, () => {
    woken = true;
  });
  for (let pauseMs = 1000; ; pauseMs = Math.min(pauseMs * 1.5, 30_000)) {
    woken = false;
    const turn = await runTask(id);
    // A word may be lost with the process that had it: it looks once a minute all the same.
    if (turn === 'asks') await condition(() => woken, '1 minute');
    else if (turn === 'later') await sleep(pauseMs);
    else return turn;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew(id);
  }
}
