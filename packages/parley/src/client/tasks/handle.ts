import { runOnAbort } from '../../jsonrpc/run-on-abort.ts';
import { refuseUnknown, type Names } from '../../options/known-names.ts';
import { refuseOtherWord } from '../../options/known-values.ts';
import { shown } from '../../options/shown.ts';
import type { CallToolResult } from '../../protocol/features/tools.ts';
import type { Revision } from '../../protocol/revision.ts';
import { givingUp } from '../api/giving-up.ts';
import { responseTo } from '../input/answers.ts';
import type { InputAnswers } from '../api/input-handlers.ts';
import { untilFinished } from './following/until-finished.ts';
import type { FollowedTask } from './following/followed-task.ts';
import type { TaskEnd } from './following/task-outcome.ts';
import type { TaskHandle, TaskRequestOptions, TaskUpdate, TaskWaitOptions } from '../api/task-handle.ts';
import { updateOf } from './following/task-state.ts';

/** Holds a result against the output schema of its tool. */
export type CheckOutput = (result: CallToolResult) => void;

/** Parts that the handle of a task needs. */
export interface HandleParts {
  readonly task: FollowedTask;
  readonly check: CheckOutput | undefined;
  readonly immediate: string | undefined;
  revision(): Revision;
}

const waitNames: Names<TaskWaitOptions> = { signal: 1, onGiveUp: 1 };

const requestNames: Names<TaskRequestOptions> = { signal: 1, timeoutMs: 1 };

/** The handle of a task. */
export function handleOf({ task, check, immediate, revision }: HandleParts): TaskHandle {
  return {
    get reference() {
      return task.reference;
    },
    immediate,
    async result(options = {}) {
      checkWait(options);
      return await givingUp(options, async () => {
        const result = await untilFinished(task, options).catch((error: unknown) => {
          if (options.signal?.aborted === true && options.onGiveUp === 'cancel') task.abandon();
          throw error;
        });
        check?.(result);
        return result;
      });
    },
    updates: (options = {}) => {
      checkWait(options);
      return updatesOf(task, options);
    },
    async poll(options = {}) {
      refuseUnknown('a request about a task', options, requestNames);
      return await givingUp(options, async () => updateOf(await task.poll(options), task.answered));
    },
    async answer(answers, options = {}) {
      refuseUnknown('a request about a task', options, requestNames);
      await givingUp(options, () => answer({ task, revision: revision() }, answers, options));
    },
    async cancel(options = {}) {
      refuseUnknown('a request about a task', options, requestNames);
      await givingUp(options, () => task.cancel(options));
    },
  };
}

/** The handle of a call that the server answered at once. */
export function answeredAtOnce(result: CallToolResult, check: CheckOutput | undefined): TaskHandle {
  const none = (): never => {
    throw new TypeError('the server answered at once: there is no task; `result` has the answer');
  };
  return {
    reference: undefined,
    immediate: undefined,
    async result(options = {}) {
      checkWait(options);
      options.signal?.throwIfAborted();
      check?.(result);
      return result;
    },
    async *updates() {},
    poll: async () => none(),
    answer: async () => none(),
    cancel: async () => {},
  };
}

/** Yields each change; only the latest if they come faster than they are read. */
async function* updatesOf(
  task: FollowedTask,
  { signal, onGiveUp }: TaskWaitOptions,
): AsyncGenerator<TaskUpdate, void, undefined> {
  signal?.throwIfAborted();
  let latest: TaskUpdate | undefined;
  let over: { readonly outcome: TaskEnd; readonly isOwn: boolean } | undefined;
  let wake = (): void => {};
  const unlistened = signal && runOnAbort(signal, () => wake());
  const unwatch = task.watch({
    told: (state) => {
      latest = updateOf(state, task.answered);
      wake();
    },
    ended: (outcome, isOwn) => {
      over = { outcome, isOwn };
      wake();
    },
  });
  try {
    for (;;) {
      if (signal?.aborted === true) {
        if (onGiveUp === 'cancel') task.abandon();
        signal.throwIfAborted();
      }
      const told = latest;
      latest = undefined;
      if (told !== undefined) yield told;
      else if (over !== undefined) return endOf(over);
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    unwatch();
    unlistened?.();
  }
}

/** Ends the updates: how the task itself ended is no failure of theirs. */
function endOf({ outcome, isOwn }: { readonly outcome: TaskEnd; readonly isOwn: boolean }): void {
  if ('error' in outcome && !isOwn) throw outcome.error;
}

async function answer(
  { task, revision }: { readonly task: FollowedTask; readonly revision: Revision },
  answers: InputAnswers,
  options: TaskRequestOptions,
): Promise<void> {
  if (revision.tasks !== 'extension')
    throw new TypeError(`tasks of ${revision.date} ask by requests, which the handlers of connect answer`);
  const known = task.state?.inputRequests;
  const isKnown = known !== undefined && Object.keys(answers).every((key) => Object.hasOwn(known, key));
  const { inputRequests = {} } = isKnown ? { inputRequests: known } : await task.poll(options);
  const responses = Object.entries(answers).map(([key, one]) => {
    const request = Object.hasOwn(inputRequests, key) ? inputRequests[key] : undefined;
    if (request === undefined || task.answered.has(key))
      throw new TypeError(`the task does not wait for an answer to ${shown(key)}`);
    return [key, responseTo(request, one, revision)] as const;
  });
  await task.give(Object.fromEntries(responses), options);
}

function checkWait(options: TaskWaitOptions): void {
  refuseUnknown('a wait for a task', options, waitNames);
  refuseOtherWord('onGiveUp', ['cancel', 'leave'], options.onGiveUp);
}
