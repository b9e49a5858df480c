/** The thread in which schedules of a test run. */

import '../../compile-cache.ts';
import { parentPort } from 'node:worker_threads';
import { checkWhatIsSent } from '../../support/sent-wrong.ts';
import { judge, judgePlan, type Wanted } from './judged.ts';
import type { Plan } from './plan.ts';

// Nobody reads where the errors of a schedule came from, and most of them are made to be caught: a seed that fails is run again by itself.
Error.stackTraceLimit = 0;
checkWhatIsSent();

parentPort?.on('message', (wanted: Wanted | Plan) => {
  void ('seed' in wanted ? judgePlan(wanted) : judge(wanted)).then(
    (judged) => parentPort?.postMessage(judged),
    (error: unknown) => parentPort?.postMessage({ failures: [String(error)], unreached: [], states: [], digest: '' }),
  );
});
