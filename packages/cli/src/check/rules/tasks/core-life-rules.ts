import { isObject, isResponse } from '../../../../../parley/src/jsonrpc/message.ts';
import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import type { Harness } from '../../harness/harness.ts';
import { completeIn, sendCall } from '../../harness/calls.ts';
import { type RawExchange } from '../../harness/exchange.ts';
import { isEventStream } from '../../harness/manner.ts';
import type { RequestExchange } from '../../harness/probe-client.ts';
import type { HeardMessage, ProbeRule, WatchRule } from '../../rule.ts';
import { breaks, holds, notApplicable, notJudged, unless, type RuleVerdict } from '../../harness/verdict.ts';
import { sortedText } from '../common/canonical.ts';
import {
  askedIn,
  awaitedOutcome,
  coreLives,
  isTaskOver,
  progressesIn,
  anotherOutcome,
  relatedOf,
  taskStatus,
  type CoreLife,
} from './core-life.ts';
import { inCore, onTask, ttl } from './common.ts';
import { wholeText } from '../../whole-text.ts';

/** Rules about the life of a task that a client asked for. */

/** Judges each life that was seen; `false` is said of one that says nothing of it. */
async function eachLife(
  harness: Harness,
  judge: (life: CoreLife) => Promise<readonly [RawExchange, string] | false | undefined>,
): Promise<RuleVerdict> {
  let judged = 0;
  for (const life of await coreLives(harness)) {
    const found = await judge(life);
    if (found === false) continue;
    judged++;
    const { name } = life.tool;
    if (found !== undefined) return breaks(found[0], `${name}: ${found[1]}`, `tools/${name}`);
  }
  return judged > 0 ? holds : notApplicable('no tool that may be called made such a task');
}

type LifeRule = Omit<ProbeRule, 'probe' | 'needs' | 'lives'>;

function aboutLives(rule: LifeRule, judge: Parameters<typeof eachLife>[1]): ProbeRule {
  return { ...rule, lives: inCore, needs: 'tasks', probe: (harness) => eachLife(harness, judge) };
}

const final = aboutLives(
  {
    id: 'tasks-013',
    message: 'An ended task keeps its status',
    fix: 'change the status of a task that is completed, failed or cancelled no more',
  },
  async ({ end, later }) => {
    const [was, is] = [taskStatus(end), taskStatus(later)];
    if (!isTaskOver(was) || is === undefined) return false;
    return was === is ? undefined : [later, `it was ${wholeText(was)}, and is ${JSON.stringify(is)}`];
  },
);

const blocks = aboutLives(
  {
    id: 'tasks-021',
    message: 'tasks/result is answered when the task has ended',
    fix: 'keep the request until the task is completed, failed or cancelled',
  },
  async ({ first, outcome, end }) => {
    if (isTaskOver(taskStatus(first)) || outcome.response === undefined || end.result === undefined) return false;
    return isTaskOver(taskStatus(end))
      ? undefined
      : [outcome, `it was answered, and the task is ${JSON.stringify(taskStatus(end))}`];
  },
);

const source = aboutLives(
  {
    id: 'tasks-026',
    message: 'tasks/get uses the taskId of its params, whatever _meta names',
    fix: 'pass over the related task in _meta of tasks/get, tasks/result and tasks/cancel',
  },
  async ({ task: { taskId }, first, aside }) => {
    if (first.result?.['taskId'] !== taskId) return false;
    return aside.result?.['taskId'] === taskId ? undefined : [aside, 'with another task in _meta it was not found'];
  },
);

const noStream: ProbeRule = {
  id: 'tasks-031',
  lives: inCore,
  message: 'tasks/get gets no stream unless other requests get one',
  fix: 'answer tasks/get with application/json: the client wants to poll again',
  over: 'http',
  needs: 'tasks',
  probe: (harness) =>
    eachLife(harness, async ({ first }) => {
      const other = await harness.asked((probeClient) => probeClient.request(harness.harmless));
      if (isEventStream(other)) return false;
      return isEventStream(first) ? [first, 'it was, and a ping is not'] : undefined;
    }),
};

const associates = aboutLives(
  {
    id: 'tasks-025',
    message: 'A request from a task names the task in _meta',
    fix: 'add "io.modelcontextprotocol/related-task" with the taskId to _meta of the question',
  },
  async ({ task: { taskId }, outcome }) => {
    const asked = askedIn(outcome);
    if (asked.length === 0) return false;
    const wrong = asked.find(({ params }) => relatedOf(params) !== taskId);
    return wrong === undefined ? undefined : [outcome, `${wholeText(wrong['method'])} does not`];
  },
);

const sameToken = aboutLives(
  {
    id: 'progress-010',
    message: 'Progress of a task has the token of the call that made it',
    fix: 'keep the progressToken of the call with the task',
  },
  async ({ task: { taskId }, token, made, first, aside, outcome, end, later }) => {
    const told = [made, first, aside, outcome, end, later].flatMap((from) =>
      progressesIn(from).map((params) => ({ from, params })),
    );
    // What has that token, or says that it is of the task, is its progress.
    const own = told.filter(({ params }) => params['progressToken'] === token || relatedOf(params) === taskId);
    const wrong = own.find(({ params }) => params['progressToken'] !== token);
    if (wrong !== undefined) return [wrong.from, `it has the token ${JSON.stringify(wrong.params['progressToken'])}`];
    return own.length > 0 ? undefined : false;
  },
);

const progressEnds = aboutLives(
  {
    id: 'progress-011',
    message: 'No progress is sent after a task has ended',
    fix: 'send nothing more when the status is completed, failed or cancelled',
  },
  async ({ token, made, first, aside, outcome, end, later }) => {
    if (!isTaskOver(taskStatus(end))) return false;
    const isOwn = (params: JsonObject): boolean => params['progressToken'] === token;
    if (progressesIn(later).some(isOwn)) return [later, 'some came after tasks/get had said that it has ended'];
    return [made, first, aside, outcome, end].some((from) => progressesIn(from).some(isOwn)) ? undefined : false;
  },
);

/** Time that a call must take for one to say that it was waited for, in milliseconds. */
const slowMs = 1_500;

const promptly = aboutLives(
  {
    id: 'tasks-015',
    message: 'A call that becomes a task is answered before its work is done',
    fix: 'answer with the task, and let the work go on',
  },
  async ({ made, madeMs, first }) => {
    if (madeMs < slowMs) return isTaskOver(taskStatus(first)) ? false : undefined;
    return isTaskOver(taskStatus(first))
      ? [made, `after ${(madeMs / 1_000).toFixed(1)} s, when the work was done`]
      : undefined;
  },
);

const sameOutcome: ProbeRule = {
  id: 'tasks-020',
  lives: inCore,
  message: 'tasks/result returns the result of a plain call',
  fix: 'keep the result of the tool as it is, and answer with it',
  needs: 'tasks',
  probe: (harness) =>
    eachLife(harness, async ({ tool, outcome }) => {
      const plain = async (): Promise<string | undefined> => {
        const result = completeIn(await harness.asked((probeClient) => sendCall(probeClient, tool)));
        return result && wordsOf(result);
      };
      if (outcome.result === undefined) return false;
      const before = await plain();
      if (before === undefined) return false;
      if (before === wordsOf(outcome.result)) return undefined;
      // That was some time ago. What a call gives before and after another task is what that should have given.
      const again = await harness.asked((probeClient) => anotherOutcome(probeClient, tool));
      const after = await plain();
      if (again?.result === undefined || before !== after) return false;
      return before === wordsOf(again.result) ? undefined : [again, `a plain call gives ${before.slice(0, 200)}`];
    }),
};

function wordsOf(result: JsonObject | undefined): string {
  const { content, structuredContent, isError = false } = result ?? {};
  return sortedText({ content, structuredContent, isError });
}

/** Life of a task that asks, of which nobody fetches the outcome before it has said that it asks. */
const waits = (id: 'tasks-028' | 'tasks-030', words: string, fix: string): ProbeRule => ({
  id,
  lives: inCore,
  message: words,
  fix,
  needs: 'tasks',
  probe: (harness) =>
    eachLife(harness, async ({ tool, outcome, outcomeMs }) => {
      if (askedIn(outcome).length === 0) return false;
      return await harness.asked(async (probeClient) => {
        const made = await sendCall(probeClient, tool, { params: { task: { ttl } } });
        const task = made.result?.['task'];
        if (!isObject(task)) return false;
        const get = (): Promise<RequestExchange> => probeClient.request('tasks/get', { taskId: task['taskId'] });
        let waiting = await get();
        // It may work for long before it asks.
        for (let left = 10 + (2 * outcomeMs) / harness.quietMs; left > 0 && taskStatus(waiting) === 'working'; left--) {
          await probeClient.rest(harness.quietMs);
          waiting = await get();
        }
        const answered = await awaitedOutcome(probeClient, task['taskId']);
        if (askedIn(answered).length === 0) return false;
        const isWaiting = taskStatus(waiting) === 'input_required';
        if (id === 'tasks-028')
          return isWaiting ? undefined : [waiting, `it asks, and its status is ${JSON.stringify(taskStatus(waiting))}`];
        const after = await get();
        if (!isWaiting || after.result === undefined) return false;
        return taskStatus(after) === 'input_required'
          ? [after, 'it was answered, and is input_required still']
          : undefined;
      });
    }),
});

const staysCancelled: ProbeRule = {
  id: 'tasks-039',
  lives: inCore,
  message: 'A cancelled task stays cancelled, even if its work completes',
  fix: 'drop the outcome of work whose task was cancelled',
  needs: 'tasks',
  probe: (harness) =>
    onTask(harness, async ({ taskId }, _, probeClient) => {
      const answer = await probeClient.request('tasks/cancel', { taskId });
      if (answer.result === undefined) return notApplicable('it was not cancelled');
      const lives = await coreLives(harness);
      // As long as the work took before, and a little more.
      await probeClient.rest(Math.min(5_000, harness.quietMs + Math.max(0, ...lives.map(workMs))));
      const got = await probeClient.request('tasks/get', { taskId });
      if (got.result === undefined) return holds;
      if (taskStatus(answer) !== 'cancelled') return notJudged('it was not cancelled at once: see tasks-038');
      return unless(taskStatus(got) !== 'cancelled', got, `it is ${JSON.stringify(taskStatus(got))} some time later`);
    }),
};

/** Time from the making of a task to its last change, in milliseconds. */
function workMs({ end: { result } }: CoreLife): number {
  const ms = Date.parse(wholeText(result?.['lastUpdatedAt'])) - Date.parse(wholeText(result?.['createdAt']));
  return Number.isFinite(ms) ? ms : 0;
}

const aboutTasks = ['tasks/get', 'tasks/list', 'tasks/cancel'];

const unrelated: WatchRule = {
  id: 'tasks-027',
  lives: inCore,
  message: 'Results of tasks/get, tasks/list and tasks/cancel, and status notifications, have no related-task',
  fix: 'leave "io.modelcontextprotocol/related-task" out: the taskId is there',
  watch({ message, request }: HeardMessage) {
    const { method, params, result } = message;
    const isStatus = method === 'notifications/tasks/status';
    const isAnswer = isResponse(message) && aboutTasks.includes(wholeText(request?.['method']));
    if (!isStatus && !(isAnswer && isObject(result))) return 'not-seen';
    const related = relatedOf(isStatus ? params : result);
    return related === undefined ? 'holds' : { breaks: `it names ${JSON.stringify(related)}` };
  },
};

const toldFailure: WatchRule = {
  id: 'tasks-042',
  lives: inCore,
  message: 'A task that failed says why in its statusMessage',
  fix: 'send a statusMessage with the status failed',
  watch({ message: { result }, request }: HeardMessage) {
    if (request?.['method'] !== 'tasks/get' || !isObject(result) || result['status'] !== 'failed') return 'not-seen';
    return typeof result['statusMessage'] === 'string' ? 'holds' : { breaks: 'it has none' };
  },
};

/** Rules about lives of tasks that a client asked for. */
export const coreLifeRules: readonly (ProbeRule | WatchRule)[] = [
  final,
  blocks,
  source,
  noStream,
  associates,
  sameToken,
  progressEnds,
  promptly,
  sameOutcome,
  waits(
    'tasks-028',
    'A task that waits for input has the status input_required',
    'change the status before the question goes out',
  ),
  waits('tasks-030', 'A task leaves input_required after the answer', 'change the status when the answer came'),
  staysCancelled,
  unrelated,
  toldFailure,
];
