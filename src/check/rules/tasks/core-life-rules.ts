import { isObject } from '../../../jsonrpc/message.ts';
import type { Bench } from '../../bench/bench.ts';
import { completeIn, sendCall } from '../../bench/calls.ts';
import { isResponse, type Exchanged } from '../../bench/exchange.ts';
import type { Answered } from '../../bench/prober.ts';
import type { HeardMessage, ProbeRule, WatchRule } from '../../rule.ts';
import { breaks, holds, notApplicable, notJudged, unless, type RuleVerdict } from '../../verdict.ts';
import { canonical } from '../canonical.ts';
import { looksGuessable } from '../guessable.ts';
import { askedIn, coreLives, isTerminal, outcomeOf, relatedOf, statusOf, type CoreLife } from './core-life.ts';
import { inCore, onTask, takesCalls, ttl, type JsonObject } from './common.ts';

/** Rules about the life of a task that a client asked for. */

/** Judges each life that was seen; `false` is said of one that says nothing of it. */
async function eachLife(
  bench: Bench,
  judge: (life: CoreLife) => Promise<readonly [Exchanged, string] | false | undefined>,
): Promise<RuleVerdict> {
  let judged = 0;
  for (const life of await coreLives(bench)) {
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
  return { ...rule, lives: inCore, needs: 'tasks', probe: (bench) => eachLife(bench, judge) };
}

const final = aboutLives(
  {
    id: 'tasks-013',
    words: 'A task that has ended stays as it ended',
    mend: 'change the status of a task that is completed, failed or cancelled no more',
  },
  async ({ end, later }) => {
    const [was, is] = [statusOf(end), statusOf(later)];
    if (!isTerminal(was) || is === undefined) return false;
    return was === is ? undefined : [later, `it was ${String(was)}, and is ${JSON.stringify(is)}`];
  },
);

const blocks = aboutLives(
  {
    id: 'tasks-021',
    words: 'tasks/result is answered when the task has ended',
    mend: 'keep the request until the task is completed, failed or cancelled',
  },
  async ({ first, outcome, end }) => {
    if (isTerminal(statusOf(first)) || outcome.response === undefined || end.result === undefined) return false;
    return isTerminal(statusOf(end))
      ? undefined
      : [outcome, `it was answered, and the task is ${JSON.stringify(statusOf(end))}`];
  },
);

const source = aboutLives(
  {
    id: 'tasks-026',
    words: 'tasks/get is about the task of its taskId, whatever its _meta says',
    mend: 'pass over the related task in _meta of tasks/get, tasks/result and tasks/cancel',
  },
  async ({ task: { taskId }, first, aside }) => {
    if (first.result?.['taskId'] !== taskId) return false;
    return aside.result?.['taskId'] === taskId ? undefined : [aside, 'with another task in _meta it was not found'];
  },
);

const associates = aboutLives(
  {
    id: 'tasks-025',
    words: 'What a task asks says in _meta of which task it is',
    mend: 'add "io.modelcontextprotocol/related-task" with the taskId to _meta of the question',
  },
  async ({ task: { taskId }, outcome }) => {
    const asked = askedIn(outcome);
    if (asked.length === 0) return false;
    const wrong = asked.find(({ params }) => relatedOf(params) !== taskId);
    return wrong === undefined ? undefined : [outcome, `${String(wrong['method'])} does not`];
  },
);

/** Time that a call must take for one to say that it was waited for, in milliseconds. */
const slowMs = 1_500;

const promptly = aboutLives(
  {
    id: 'tasks-015',
    words: 'A call that becomes a task is answered before its work is done',
    mend: 'answer with the task, and let the work go on',
  },
  async ({ made, madeMs, first }) => {
    if (madeMs < slowMs) return isTerminal(statusOf(first)) ? false : undefined;
    return isTerminal(statusOf(first))
      ? [made, `after ${(madeMs / 1_000).toFixed(1)} s, when the work was done`]
      : undefined;
  },
);

const sameOutcome: ProbeRule = {
  id: 'tasks-020',
  lives: inCore,
  words: 'tasks/result is what a plain call would have given',
  mend: 'keep the result of the tool as it is, and answer with it',
  needs: 'tasks',
  probe: (bench) =>
    eachLife(bench, async ({ tool, outcome }) => {
      const plain = async (): Promise<JsonObject | undefined> =>
        completeIn(await bench.asked((speaker) => sendCall(speaker, tool)));
      if (outcome.result === undefined) return false;
      const [first, second] = [await plain(), await plain()];
      // What is another each time cannot be compared.
      if (first === undefined || wordsOf(first) !== wordsOf(second)) return false;
      return wordsOf(first) === wordsOf(outcome.result)
        ? undefined
        : [outcome, `a plain call gives ${wordsOf(first).slice(0, 200)}`];
    }),
};

function wordsOf(result: JsonObject | undefined): string {
  const { content, structuredContent, isError = false } = result ?? {};
  return canonical({ content, structuredContent, isError });
}

/** Life of a task that asks, of which nobody fetches the outcome before it has said that it asks. */
const waits = (id: 'tasks-028' | 'tasks-030', words: string, mend: string): ProbeRule => ({
  id,
  lives: inCore,
  words,
  mend,
  needs: 'tasks',
  probe: (bench) =>
    eachLife(bench, async ({ tool, outcome }) => {
      if (askedIn(outcome).length === 0) return false;
      return await bench.asked(async (speaker) => {
        const made = await sendCall(speaker, tool, { params: { task: { ttl } } });
        const task = made.result?.['task'];
        if (!isObject(task)) return false;
        const get = (): Promise<Answered> => speaker.request('tasks/get', { taskId: task['taskId'] });
        let waiting = await get();
        for (let left = 10; left > 0 && statusOf(waiting) === 'working'; left--) {
          await speaker.rest(bench.quietMs);
          waiting = await get();
        }
        const answered = await outcomeOf(speaker, task['taskId']);
        if (askedIn(answered).length === 0) return false;
        const isWaiting = statusOf(waiting) === 'input_required';
        if (id === 'tasks-028')
          return isWaiting ? undefined : [waiting, `it asks, and its status is ${JSON.stringify(statusOf(waiting))}`];
        const after = await get();
        if (!isWaiting || after.result === undefined) return false;
        return statusOf(after) === 'input_required'
          ? [after, 'it was answered, and is input_required still']
          : undefined;
      });
    }),
});

const staysCancelled: ProbeRule = {
  id: 'tasks-039',
  lives: inCore,
  words: 'A task that was cancelled stays so, whatever becomes of its work',
  mend: 'drop the outcome of work whose task was cancelled',
  needs: 'tasks',
  probe: (bench) =>
    onTask(bench, async ({ taskId }, _, speaker) => {
      const answer = await speaker.request('tasks/cancel', { taskId });
      if (answer.result === undefined) return notApplicable('it was not cancelled');
      const lives = await coreLives(bench);
      // As long as the work took before, and a little more.
      await speaker.rest(Math.min(5_000, bench.quietMs + Math.max(0, ...lives.map(workMs))));
      const got = await speaker.request('tasks/get', { taskId });
      if (got.result === undefined) return holds;
      if (statusOf(answer) !== 'cancelled') return notJudged('it was not cancelled at once: see tasks-038');
      return unless(statusOf(got) !== 'cancelled', got, `it is ${JSON.stringify(statusOf(got))} some time later`);
    }),
};

/** Time from the making of a task to its last change, in milliseconds. */
function workMs({ end: { result } }: CoreLife): number {
  const ms = Date.parse(String(result?.['lastUpdatedAt'])) - Date.parse(String(result?.['createdAt']));
  return Number.isFinite(ms) ? ms : 0;
}

/** Ids of tasks that were made one after the other. */
async function taskIds(bench: Bench): Promise<{ readonly made: Answered; readonly ids: readonly unknown[] }> {
  return await bench.kept('ids of tasks', async () => {
    const ids: unknown[] = [];
    let made: Answered | undefined;
    for (let left = 3; left > 0; left--)
      await onTask(bench, (task, answer) => {
        made = answer;
        ids.push(task['taskId']);
        return holds;
      });
    if (made === undefined) throw new TypeError('a task was made');
    return { made, ids };
  });
}

/** A rule about the ids of tasks. */
function aboutIds(rule: LifeRule, fault: (ids: readonly unknown[]) => string | undefined): ProbeRule {
  return {
    ...rule,
    lives: inCore,
    needs: 'tasks',
    async probe(bench) {
      if (rule.over === 'http' && bench.http.knows('own')) return notApplicable('a task belongs to whose token it is');
      if ((await coreLives(bench)).length === 0) return notApplicable('no tool that may be called made a task');
      const { made, ids } = await taskIds(bench);
      const found = fault(ids);
      return found === undefined ? holds : breaks(made, found);
    },
  };
}

const uniqueIds = aboutIds(
  {
    id: 'tasks-010',
    words: 'The id of a task is a string that no other task has',
    mend: 'make a new id for each task',
  },
  (ids) => {
    if (!ids.every((id) => typeof id === 'string'))
      return `one is ${JSON.stringify(ids.find((id) => typeof id !== 'string'))}`;
    return new Set(ids).size < ids.length ? 'an id came twice' : undefined;
  },
);

const secretIds = aboutIds(
  {
    id: 'tasks-044',
    over: 'http',
    words: 'The id of a task cannot be guessed where nobody says who he is',
    mend: 'make ids of at least 64 random bits, such as by crypto.randomUUID()',
  },
  (ids) => (new Set(ids).size < ids.length ? undefined : looksGuessable(ids.map(String))),
);

/** A server without accounts, as far as is seen. */
const openList: ProbeRule = {
  id: 'tasks-046',
  lives: inCore,
  words: 'A server that cannot tell its clients apart lists no tasks',
  mend: 'do not declare tasks.list where requests have no token',
  over: 'http',
  needs: 'tasks',
  async probe(bench) {
    // Whoever asks without a token is a stranger to all others.
    const speaker = await bench.unopened();
    const isOpen = await speaker.open('nobody');
    const { tasks } = speaker.capabilities;
    await bench.end(speaker);
    if (!isOpen || speaker.opening === undefined) return notApplicable('it wants to know who asks');
    return unless(
      isObject(tasks) && tasks['list'] !== undefined,
      speaker.opening,
      'it declares tasks.list to whoever asks',
    );
  },
};

/** Time for which nobody keeps a task, in milliseconds: a hundred years. */
const forever = 100 * 365 * 86_400_000;

const boundedTtl: ProbeRule = {
  id: 'tasks-048',
  lives: inCore,
  words: 'A task is not kept for as long as anybody asks',
  mend: 'cut the ttl that a client asks for, and say the real one in the task',
  needs: 'tasks',
  async probe(bench) {
    const [life] = await coreLives(bench);
    if (life === undefined) return notApplicable('no tool that may be called made a task');
    return await bench.asked(async (speaker) => {
      const made = await sendCall(speaker, life.tool, { params: { task: { ttl: forever } } });
      const task = made.result?.['task'];
      if (!isObject(task)) return holds;
      await speaker.request('tasks/cancel', { taskId: task['taskId'] });
      const kept = task['ttl'];
      return unless(
        kept === null || (typeof kept === 'number' && kept >= forever),
        made,
        kept === null ? 'one of a hundred years was asked for, and it has no end' : 'it is kept for a hundred years',
      );
    });
  },
};

const undeclaredTasks: ProbeRule = {
  id: 'tasks-009',
  lives: inCore,
  words: 'A server without tasks of tools serves a call that asks for one as any other',
  mend: 'pass over the parameter task',
  needs: 'tools',
  probe: (bench) =>
    withoutTasks(bench, (answer) => {
      if (isObject(answer.result?.['task'])) return notJudged('it made a task: see tasks-001');
      return unless(answer.response?.error !== undefined, answer, 'with it the call was refused');
    }),
};

const declaresTasks: ProbeRule = {
  id: 'tasks-001',
  lives: inCore,
  words: 'A server that makes tasks of calls declares it',
  mend: 'declare tasks.requests.tools.call',
  needs: 'tools',
  probe: (bench) =>
    withoutTasks(bench, (answer) => unless(isObject(answer.result?.['task']), answer, 'it made a task')),
};

/** Asks a server that declares no tasks of tools for one. */
async function withoutTasks(bench: Bench, judge: (answer: Answered) => RuleVerdict): Promise<RuleVerdict> {
  if (await takesCalls(bench)) return notApplicable('it declares tasks of tools');
  const made = (await bench.made('obliging')).find((one) => one.result !== undefined);
  if (made === undefined) return notApplicable('no tool that was called gave a result');
  const answer = await bench.kept('a call with a task', () =>
    bench.asked((speaker) => sendCall(speaker, made.of, { params: { task: { ttl } } })),
  );
  return judge(answer);
}

const aboutTasks = ['tasks/get', 'tasks/list', 'tasks/cancel'];

const unrelated: WatchRule = {
  id: 'tasks-027',
  lives: inCore,
  words: 'Answers to tasks/get, tasks/list and tasks/cancel, and notifications of a status, name no related task',
  mend: 'leave "io.modelcontextprotocol/related-task" out: the taskId is there',
  watch({ message, request }: HeardMessage) {
    const { method, params, result } = message;
    const isStatus = method === 'notifications/tasks/status';
    const isAnswer = isResponse(message) && aboutTasks.includes(String(request?.['method']));
    if (!isStatus && !(isAnswer && isObject(result))) return 'not-seen';
    const related = relatedOf(isStatus ? params : result);
    return related === undefined ? 'holds' : { breaks: `it names ${JSON.stringify(related)}` };
  },
};

const toldFailure: WatchRule = {
  id: 'tasks-042',
  lives: inCore,
  words: 'A task that failed says why in its statusMessage',
  mend: 'send a statusMessage with the status failed',
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
  associates,
  promptly,
  sameOutcome,
  waits(
    'tasks-028',
    'A task that asks something has the status input_required',
    'change the status before the question goes out',
  ),
  waits('tasks-030', 'A task that was answered is input_required no more', 'change the status when the answer came'),
  staysCancelled,
  uniqueIds,
  secretIds,
  openList,
  boundedTtl,
  undeclaredTasks,
  declaresTasks,
  unrelated,
  toldFailure,
];
