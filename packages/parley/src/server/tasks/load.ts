/** Puts the tasks of a server together. */

import { roundSettings } from '../runtime/input/server-rounds.ts';
import type { Call } from '../runtime/call.ts';
import type { AuthInfo } from '../runtime/request-handler.ts';
import type { Implementation } from '../../protocol/features/common.ts';
import { isAnswer, unansweredQuestion } from '../runtime/masking.ts';
import { mapMaybe } from '../../storage/maybe-promise.ts';
import { harmless } from '../../options/harmless.ts';
import { createSeal } from '../../sealing/seal.ts';
import { isInMemory, memoryTasks } from '../../storage/memory-tasks.ts';
import { taskLimits, taskTimes, withGiven } from '../../tasks/limits.ts';
import { Engine } from '../../tasks/executor.ts';
import { Tasks } from '../../tasks/tasks.ts';
import type { ServerParts } from '../parts/parts.ts';
import { revisionOf } from '../../protocol/revision.ts';
import { scopesNeeded } from '../parts/missing-scopes.ts';
import { callTool, resultOfReturn } from '../features/tools.ts';
import { TaskAnswers } from './answers.ts';
import { TaskCalls } from './calls.ts';
import { Runner } from './runner.ts';
import { TaskServing } from './serving.ts';

/** Makes the task handlers of a server, and begins to work on stored tasks. */
export function loadTasks(info: Implementation, parts: ServerParts): TaskAnswers {
  const { options, tools } = parts;
  const { store = memoryTasks(), queue = info.name, limits, executor, keys, onAudit, ...times } = options.tasks;
  const { onError, rounds } = options;
  // Other processes read the times of tasks.
  const now = (): number => Date.now();
  const allLimits = withGiven(taskLimits, limits);
  const runner: Runner = new Runner(
    {
      find: (name, auth) => tools.find(name, auth),
      callRefusal: async (tool, call) => (await parts.rated.rates()).call(tool, call),
      scopes: (params, auth) => scopesNeeded('tools/call', parts, { ...params }, auth),
      run: (params, face) =>
        mapMaybe(callTool(tools, params, face as Call, options), (result) => {
          if ('become' in face && face.unanswered > 0 && isAnswer({ ...result }))
            onError(unansweredQuestion(), `tool ${JSON.stringify(params.name)}`);
          return result;
        }),
      resultOf: ({ name, auth, revision: date }, returned) => {
        // It was visible to the caller that requested the task. The caller's `auth` was stored.
        const [entry, revision] = [tools.find(name, auth as AuthInfo | undefined), revisionOf(date)];
        if (entry === undefined || revision === undefined)
          throw new TypeError(`the tool ${JSON.stringify(name)} of the task does not exist`);
        return resultOfReturn(entry, returned, revision);
      },
      maxRounds: rounds.maxRounds,
      now,
      maxTextLength: allLimits.textLength,
      seal: async () => roundSettings(rounds).seal,
      onError,
    },
    () => tasks,
  );
  const tasks: Tasks = new Tasks({
    store,
    queue,
    engine: executor && new Engine(executor, queue, onError),
    seal: keys && createSeal(keys, { purpose: 'tasks' }),
    onAudit: onAudit && harmless(onAudit),
    limits: allLimits,
    times: withGiven({ ...taskTimes, ...(isInMemory(store) && { waitTimeoutMs: Infinity }) }, times),
    now,
    perform: (run) => runner.perform(run),
    knows: ({ request }) => tools.has(request.name),
    onError,
  });
  return new TaskAnswers(new TaskServing(tasks, runner), new TaskCalls(tasks, runner), parts);
}
