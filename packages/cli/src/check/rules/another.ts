import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { obliging, type Harness } from '../harness/harness.ts';
import { completeIn, nextRound, questionsIn, sendCall, wantsInput } from '../harness/calls.ts';
import { guardOf } from '../harness/guard.ts';
import type { RequestExchange, ProbeClient } from '../harness/probe-client.ts';
import type { ProbeRule } from '../rule.ts';
import {
  breaks,
  holds,
  NotAllowed,
  NotJudged,
  notApplicable,
  notJudged,
  unless,
  type RuleVerdict,
} from '../harness/verdict.ts';
import { inCore, inExtension, onTask } from './tasks/common.ts';
import { taskStatus } from './tasks/core-life.ts';
import { asTaker, becameTask, taking } from './tasks/extension-life.ts';

/** Rules about what one person has of a server that another must not get at: tasks, states and questions. */

/**
 * Runs an action as another user, in a separate conversation. @throws NotAllowed without another user's token,
 * NotJudged if it is rejected.
 */
async function asAnother<T>(
  harness: Harness,
  capabilities: Parameters<Harness['unopened']>[0],
  act: (probeClient: ProbeClient) => Promise<T>,
): Promise<T> {
  await guardOf(harness);
  if (!harness.http.knows('another'))
    throw new NotAllowed('it needs the token of another user for this server: --other-token-env <name>');
  const probeClient = await harness.unopened(capabilities);
  try {
    if (!(await probeClient.open('another'))) throw new NotJudged('the other token is not taken');
    return await act(probeClient);
  } finally {
    await harness.end(probeClient);
  }
}

const ownTasks: ProbeRule = {
  id: 'tasks-043',
  lives: inCore,
  over: 'http',
  needs: 'tasks',
  message: 'Only the user who created a task can read, list or cancel it',
  fix: 'keep with each task who made it, and answer others with -32602',
  probe: (harness) =>
    asAnother(harness, obliging, (other) =>
      onTask(harness, async ({ taskId }, _, probeClient) => {
        await harness.works(probeClient, 'tasks/get', { taskId });
        // Cancel comes first, since many tasks end soon, and cannot be cancelled then.
        const gone = await other.request('tasks/cancel', { taskId });
        if (gone.result !== undefined) return breaks(gone, 'tasks/cancel of another user was served');
        const got = await other.request('tasks/get', { taskId });
        if (got.result !== undefined) return breaks(got, 'tasks/get of another user was served');
        const { result, ...listed } = await other.request('tasks/list');
        const all = Array.isArray(result?.['tasks']) ? result['tasks'] : [];
        const isListed = all.some((one) => isObject(one) && one['taskId'] === taskId);
        return unless(isListed, listed, 'it is in the list of another user');
      }),
    ),
};

type Asks = (method: string, params: Readonly<Record<string, unknown>>) => Promise<RequestExchange>;

/** A task of the user, and how it stands with it. */
interface LookedAt {
  readonly taskId: string;
  look(): Promise<RequestExchange>;
}

/**
 * Sends a task request as another user. Some servers acknowledge requests about unknown tasks without an effect: then
 * the task itself decides.
 *
 * @returns The answer, if it was served.
 */
async function servedTo(ask: Asks, method: string, { taskId, look }: LookedAt): Promise<RequestExchange | undefined> {
  const paramsOf = (id: string): Readonly<Record<string, unknown>> => ({
    taskId: id,
    ...(method === 'tasks/update' && { inputResponses: {} }),
  });
  const before = taskStatus(await look());
  const answer = await ask(method, paramsOf(taskId));
  if (answer.result === undefined) return undefined;
  if (method === 'tasks/get') return answer;
  const isAnyAcknowledged = (await ask(method, paramsOf(unknownLike(taskId)))).result !== undefined;
  if (!isAnyAcknowledged) return answer;
  if (method !== 'tasks/cancel' || before === 'cancelled') return undefined;
  return taskStatus(await look()) === 'cancelled' ? answer : undefined;
}

/** An id of the same look that no task has. */
function unknownLike(taskId: string): string {
  const other = taskId.replaceAll(/\d/g, (digit) => `${9 - Number(digit)}`);
  return other === taskId ? `${taskId}0` : other;
}

const verifiedTasks: ProbeRule = {
  id: 'tasks-096',
  lives: inExtension,
  over: 'http',
  needs: 'tools',
  message: 'Only the user who created a task can send requests about it',
  fix: 'keep with each task who made it, and answer others with -32602',
  probe: (harness) =>
    asAnother(harness, taking, (other) =>
      asTaker(harness, async (probeClient) => {
        for (const tool of await harness.callables()) {
          const task = await becameTask(probeClient, tool);
          if (task === undefined) continue;
          const { taskId } = task;
          const life = { taskId, look: () => harness.works(probeClient, 'tasks/get', { taskId }) };
          const ofNobody: Asks = (method, params) => probeClient.request(method, params, { as: 'nobody' });
          const ofAnother: Asks = (method, params) => other.request(method, params);
          for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
            const bare = await servedTo(ofNobody, method, life);
            if (bare !== undefined) return breaks(bare, `${method} without a token was served`);
            const answer = await servedTo(ofAnother, method, life);
            if (answer !== undefined) return breaks(answer, `${method} of another user was served`);
          }
          return holds;
        }
        return notApplicable('no tool that may be called becomes a task');
      }),
    ),
};

/** Continues, as another user, a call that asked its user. */
async function onTakenOver(harness: Harness, isAbout: (methods: readonly unknown[]) => boolean): Promise<RuleVerdict> {
  return await asAnother(harness, obliging, async (other) => {
    const asking = (await harness.made('obliging')).find(
      ({ rounds: [first, ...more], result }) =>
        first !== undefined && more.length === 1 && wantsInput(first) && result !== undefined,
    );
    if (asking === undefined) return notApplicable('no tool that was called asks, and ends when it is answered');
    const { of } = asking;
    return await harness.asked(async (probeClient) => {
      const [first, second] = [await sendCall(probeClient, of), await sendCall(probeClient, of)];
      const asked = questionsIn(first.result).map(([, { method }]) => method);
      if (!isAbout(asked)) return notApplicable('it asks nothing of the kind');
      const round = nextRound(first);
      if (typeof round['requestState'] !== 'string') return notApplicable('the result that asks has no requestState');
      // A server that continues without the state reveals nothing by it.
      const without = await sendCall(probeClient, of, { params: { inputResponses: round['inputResponses'] } });
      if (completeIn(without) !== undefined) return notApplicable('it goes on without its state');
      if (completeIn(await sendCall(probeClient, of, { params: nextRound(second) })) === undefined)
        return notJudged(`${of.name} did not end when it was answered`);
      const answer = await sendCall(other, of, { params: round });
      const isServed = completeIn(answer) !== undefined && answer.result?.['isError'] !== true;
      return isServed ? breaks(answer, `${of.name}: another user continued it`, `tools/${of.name}`) : holds;
    });
  });
}

const boundState: ProbeRule = {
  id: 'mrtr-012',
  over: 'http',
  needs: 'tools',
  message: 'A requestState is accepted only from the user who received it',
  fix: 'seal who is asked into the state, and compare it when the state comes back',
  probe: (harness) => onTakenOver(harness, () => true),
};

const boundQuestion: ProbeRule = {
  id: 'elicit-047',
  lives: ({ clientDescribed }) => clientDescribed === 'each-request',
  over: 'http',
  needs: 'tools',
  message: 'Only the user who received an elicitation can answer it',
  fix: 'seal who is asked into the state, and compare it when the answer comes',
  probe: (harness) => onTakenOver(harness, (methods) => methods.includes('elicitation/create')),
};

/** Lists that may be kept by anybody, with the field of their entries. */
const keptLists = [
  ['tools/list', 'tools', 'tools'],
  ['prompts/list', 'prompts', 'prompts'],
  ['resources/list', 'resources', 'resources'],
  ['resources/templates/list', 'resourceTemplates', 'resources'],
] as const;

/** Names on the first page of a list, where that says that anybody may keep it. */
function publicNames({ result }: RequestExchange, field: string): string | undefined {
  const entries = result?.['cacheScope'] === 'public' ? result[field] : undefined;
  if (!Array.isArray(entries)) return undefined;
  const names = entries
    .filter(isObject)
    .map((one) => JSON.stringify(one['uri'] ?? one['uriTemplate'] ?? one['name']) ?? 'none');
  return names.toSorted((a, b) => (a < b ? -1 : 1)).join(', ');
}

const sameForAll: ProbeRule = {
  id: 'caching-018',
  over: 'http',
  message: 'A list with the cacheScope public is the same for every user',
  fix: 'say "cacheScope": "private" where a list depends on who asks',
  probe: (harness) =>
    asAnother(harness, {}, async (other) => {
      const { capabilities } = await harness.offer();
      const probeClient = await harness.shared();
      let judged = 0;
      let unsteady: string | undefined;
      for (const [method, field] of keptLists.filter(([, , name]) => isObject(capabilities[name]))) {
        const mine = async (): Promise<string | undefined> =>
          publicNames(await harness.works(probeClient, method), field);
        const before = [await mine(), await mine()];
        const first = publicNames(await other.request(method), field);
        const answer = await other.request(method);
        const theirs = publicNames(answer, field);
        const [own, ...again] = [...before, await mine(), await mine()];
        if (own === undefined || theirs === undefined) continue;
        // A value that changes by itself, or between servers behind the address, does not depend on the caller.
        if (first !== theirs || again.some((one) => one !== own)) {
          unsteady = method;
          continue;
        }
        judged++;
        if (own !== theirs) return breaks(answer, `${method} gives another user other items, and calls both public`);
      }
      if (judged > 0) return holds;
      return unsteady === undefined
        ? notApplicable('it says of no list that anybody may keep it')
        : notJudged(`${unsteady} gives the same person now these and now others`);
    }),
};

/** Rules that need another user's token. */
export const anotherRules: readonly ProbeRule[] = [ownTasks, verifiedTasks, boundState, boundQuestion, sameForAll];
