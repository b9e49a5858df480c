import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { excerptOf, type Harness } from '../../harness/harness.ts';
import { sendCall } from '../../harness/calls.ts';
import type { RequestExchange } from '../../harness/probe-client.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, notApplicable, notJudged, unless, type RuleVerdict } from '../../harness/verdict.ts';
import { looksGuessable } from '../common/guessable.ts';
import { coreLives } from './core-life.ts';
import { inCore, onTask, takesCalls, ttl } from './common.ts';
import { wholeText } from '../../whole-text.ts';

/** Rules about who has tasks that a client asks for: their ids, how long they are kept, and servers that declare none. */

/** Ids of tasks that were made one after the other. */
async function taskIds(
  harness: Harness,
): Promise<{ readonly made: RequestExchange; readonly ids: readonly unknown[] }> {
  return await harness.kept('ids of tasks', async () => {
    const ids: unknown[] = [];
    let made: RequestExchange | undefined;
    for (let left = 3; left > 0; left--)
      await onTask(harness, (task, answer) => {
        made = answer;
        ids.push(task['taskId']);
        return holds;
      });
    if (made === undefined) throw new TypeError('a task was made');
    return { made, ids };
  });
}

/** A rule about the ids of tasks. */
function aboutIds(
  rule: Omit<ProbeRule, 'probe' | 'needs' | 'lives'>,
  fault: (ids: readonly unknown[]) => string | undefined,
): ProbeRule {
  return {
    ...rule,
    lives: inCore,
    needs: 'tasks',
    async probe(harness) {
      if (rule.over === 'http' && harness.http.knows('own'))
        return notApplicable('a task belongs to whose token it is');
      if ((await coreLives(harness)).length === 0) return notApplicable('no tool that may be called made a task');
      const { made, ids } = await taskIds(harness);
      const found = fault(ids);
      return found === undefined ? holds : breaks(made, found);
    },
  };
}

const uniqueIds = aboutIds(
  {
    id: 'tasks-010',
    message: 'The id of a task is a string that no other task has',
    fix: 'make a new id for each task',
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
    message: 'Task ids are unguessable if the server does not authenticate users',
    fix: 'make ids of at least 64 random bits, such as by crypto.randomUUID()',
  },
  (ids) => (new Set(ids).size < ids.length ? undefined : looksGuessable(ids.map(wholeText))),
);

/** A server without accounts, as far as is seen: sessions may tell its clients apart, unless they see each other's tasks. */
const openList: ProbeRule = {
  id: 'tasks-046',
  lives: inCore,
  message: 'A server that cannot tell its clients apart lists no tasks',
  fix: 'do not declare tasks.list where requests have no token, or list the tasks of the session alone',
  over: 'http',
  needs: 'tasks',
  async probe(harness) {
    const probeClient = await harness.unopened();
    try {
      if (!(await probeClient.open('nobody')) || probeClient.opening === undefined)
        return notApplicable('it wants to know who asks');
      const { tasks } = probeClient.capabilities;
      if (!isObject(tasks) || tasks['list'] === undefined) return holds;
      if (probeClient.session === undefined)
        return breaks(probeClient.opening, 'it has no sessions, and declares tasks.list');
      const [life] = await coreLives(harness);
      if (life === undefined) return notApplicable('no tool that may be called made a task');
      const listed = await probeClient.request('tasks/list');
      const all = listed.result?.['tasks'];
      const isThere = Array.isArray(all) && all.some((one) => isObject(one) && one['taskId'] === life.task['taskId']);
      return unless(isThere, listed, 'a session without a token sees the task of another');
    } finally {
      await harness.end(probeClient);
    }
  },
};

/** Time for which nobody keeps a task, in milliseconds: a hundred years. */
const forever = 100 * 365 * 86_400_000;

const boundedTtl: ProbeRule = {
  id: 'tasks-048',
  lives: inCore,
  message: 'The server limits the requested ttl of a task',
  fix: 'cut the ttl that a client asks for, and say the real one in the task',
  needs: 'tasks',
  async probe(harness) {
    const [life] = await coreLives(harness);
    if (life === undefined) return notApplicable('no tool that may be called made a task');
    return await harness.asked(async (probeClient) => {
      const made = await sendCall(probeClient, life.tool, { params: { task: { ttl: forever } } });
      const task = made.result?.['task'];
      if (!isObject(task)) return holds;
      await probeClient.request('tasks/cancel', { taskId: task['taskId'] });
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
  message: 'A server without task support runs a task call as a plain call',
  fix: 'pass over the parameter task',
  needs: 'tools',
  probe: (harness) =>
    withoutTasks(harness, (answer) => {
      if (isObject(answer.result?.['task'])) return notJudged('it made a task: see tasks-001');
      // Who has places for few conversations lets the idlest go, which is no refusal of a task.
      if (answer.status === 404) return notJudged(excerptOf(answer));
      return unless(answer.response?.error !== undefined, answer, 'with it the call was refused');
    }),
};

const declaresTasks: ProbeRule = {
  id: 'tasks-001',
  lives: inCore,
  message: 'A server that runs calls as tasks declares tasks',
  fix: 'declare tasks.requests.tools.call',
  needs: 'tools',
  probe: (harness) =>
    withoutTasks(harness, (answer) => unless(isObject(answer.result?.['task']), answer, 'it made a task')),
};

/** Asks a server that declares no tasks of tools for one. */
async function withoutTasks(harness: Harness, judge: (answer: RequestExchange) => RuleVerdict): Promise<RuleVerdict> {
  if (await takesCalls(harness)) return notApplicable('it declares tasks of tools');
  const made = (await harness.made('obliging')).find((one) => one.result !== undefined);
  if (made === undefined) return notApplicable('no tool that was called gave a result');
  const answer = await harness.kept('a call with a task', () =>
    harness.asked((probeClient) => sendCall(probeClient, made.of, { params: { task: { ttl } } })),
  );
  return judge(answer);
}

/** Rules about ids of tasks, and servers without tasks. */
export const coreLimitRules: readonly ProbeRule[] = [
  uniqueIds,
  secretIds,
  openList,
  boundedTtl,
  undeclaredTasks,
  declaresTasks,
];
