import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { excerptOf, nobody } from '../../harness/harness.ts';
import { sendCall } from '../../harness/calls.ts';
import type { RequestExchange } from '../../harness/probe-client.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, NotJudged, notApplicable, notJudged, unless } from '../../harness/verdict.ts';
import { refusedWith } from '../common/refusals.ts';
import { inCore, maxPolls, onTask, taskOutcome, takesCalls, taskTool, ttl } from './common.ts';

/** Rules about tasks of 2025-11-25, for which a client asks: how one is made, listed, read and cancelled. */

const makesTasks: ProbeRule = {
  id: 'tasks-014',
  message: 'A task call to a tool with task support returns a task',
  fix: 'answer with {"task": {…}}',
  needs: 'tasks',
  async probe(harness) {
    const tool = await taskTool(harness, 'optional', 'required');
    if (tool === undefined || !(await takesCalls(harness)))
      return notApplicable('no tool that may be called makes tasks');
    const made = await harness.asked((probeClient) => sendCall(probeClient, tool, { params: { task: { ttl } } }));
    if (made.result === undefined) return notJudged(`the call was not served: ${excerptOf(made)}`);
    return unless(!isObject(made.result['task']), made, 'the result has no task');
  },
};

const beginsWorking: ProbeRule = {
  id: 'tasks-011',
  message: 'A task begins as working',
  fix: 'answer with the status working',
  needs: 'tasks',
  probe: (harness) =>
    onTask(harness, ({ status }, made) => unless(status !== 'working', made, `it began as ${JSON.stringify(status)}`)),
};

const isDate = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) && !Number.isNaN(Date.parse(value));

const hasTimes: ProbeRule = {
  id: 'tasks-023',
  message: 'A task has createdAt and lastUpdatedAt in ISO 8601',
  fix: 'send createdAt and lastUpdatedAt',
  needs: 'tasks',
  probe: (harness) =>
    onTask(harness, async (task, made, probeClient) => {
      const got = await probeClient.request('tasks/get', { taskId: task['taskId'] });
      for (const [from, answer] of [
        [task, made],
        [got.result ?? task, got],
      ] as const)
        if (!isDate(from['createdAt']) || !isDate(from['lastUpdatedAt'])) return breaks(answer, 'it does not');
      return holds;
    }),
};

const saysTtl: ProbeRule = {
  id: 'tasks-024',
  message: 'tasks/get returns the ttl of a task: a number, or null for no limit',
  fix: 'send ttl',
  needs: 'tasks',
  probe: (harness) =>
    onTask(harness, async ({ taskId }, _, probeClient) => {
      const got = await probeClient.request('tasks/get', { taskId });
      if (got.result === undefined) return breaks(got, 'the task that was made is not found');
      const kept = got.result['ttl'];
      return unless(kept !== null && typeof kept !== 'number', got, `ttl is ${JSON.stringify(kept) ?? 'missing'}`);
    }),
};

const yieldsResult: ProbeRule = {
  id: 'tasks-022',
  message: 'The result of tasks/result names its task in _meta',
  fix: 'add "io.modelcontextprotocol/related-task" with the taskId to _meta',
  needs: 'tasks',
  probe: (harness) =>
    onTask(harness, async ({ taskId }, _, probeClient) => {
      const result = await taskOutcome(probeClient, taskId);
      const meta = result.result?.['_meta'];
      const related = isObject(meta) ? meta['io.modelcontextprotocol/related-task'] : undefined;
      return unless(!isObject(related) || related['taskId'] !== taskId, result, 'it does not');
    }),
};

const endsOnce: ProbeRule = {
  id: 'tasks-036',
  message: 'A task that has ended is not cancelled: -32602',
  fix: 'answer with the error -32602',
  needs: 'tasks',
  probe: (harness) =>
    onTask(harness, async ({ taskId }, _, probeClient) => {
      const { tasks } = (await harness.offer()).capabilities;
      if (!isObject(tasks) || tasks['cancel'] === undefined) return notApplicable('it does not declare tasks.cancel');
      await taskOutcome(probeClient, taskId);
      return refusedWith(await probeClient.request('tasks/cancel', { taskId }), { code: -32602 });
    }),
};

const cancels: ProbeRule = {
  id: 'tasks-038',
  message: 'A task has the status cancelled when tasks/cancel is answered',
  fix: 'change the status before the answer',
  needs: 'tasks',
  probe: (harness) =>
    onTask(harness, async ({ taskId }, _, probeClient) => {
      const answer = await probeClient.request('tasks/cancel', { taskId });
      if (answer.result === undefined) return notApplicable(`it was not cancelled: ${excerptOf(answer)}`);
      const got = await probeClient.request('tasks/get', { taskId });
      if (got.result === undefined) return holds;
      const { status } = got.result;
      return unless(status !== 'cancelled', got, `it is ${JSON.stringify(status)} after tasks/cancel was answered`);
    }),
};

const listsTasks: ProbeRule = {
  id: 'tasks-035',
  message: 'A task that tasks/get finds is in tasks/list',
  fix: 'list every task of the requestor',
  needs: 'tasks',
  probe: (harness) =>
    onTask(harness, async ({ taskId }, _, probeClient) => {
      const { tasks } = (await harness.offer()).capabilities;
      if (!isObject(tasks) || tasks['list'] === undefined) return notApplicable('it does not declare tasks.list');
      let cursor: unknown;
      let answer: RequestExchange;
      for (let page = 0; ; page++) {
        answer = await probeClient.request('tasks/list', cursor === undefined ? {} : { cursor });
        const listed = answer.result?.['tasks'];
        if (Array.isArray(listed) && listed.some((one) => isObject(one) && one['taskId'] === taskId)) return holds;
        cursor = answer.result?.['nextCursor'];
        if (cursor === undefined) break;
        if (page >= maxPolls) throw new NotJudged('the list of tasks is too long');
      }
      const got = await probeClient.request('tasks/get', { taskId });
      return unless(got.result !== undefined, answer, 'it is not');
    }),
};

const unknownTask: ProbeRule = {
  id: 'tasks-041',
  message: 'A request about an unknown task gets -32602',
  fix: 'answer with the error -32602',
  needs: 'tasks',
  async probe(harness) {
    const probeClient = await harness.shared();
    await harness.ready(probeClient);
    for (const method of ['tasks/get', 'tasks/result']) {
      const verdict = refusedWith(await probeClient.request(method, { taskId: nobody }), { code: -32602 });
      if (verdict.verdict === 'breaks') return { ...verdict, why: `${method}: ${verdict.why}` };
    }
    return holds;
  },
};

const onlyTasks: ProbeRule = {
  id: 'tasks-008',
  message: 'A tool that requires a task refuses a plain call with -32601',
  fix: 'answer with the error -32601',
  needs: 'tasks',
  async probe(harness) {
    const tool = await taskTool(harness, 'required');
    if (tool === undefined) return notApplicable('no tool that may be called has taskSupport required');
    return refusedWith(await harness.asked((probeClient) => sendCall(probeClient, tool)), { code: -32601 });
  },
};

const noTasks: ProbeRule = {
  id: 'tasks-006',
  message: 'A tool without task support refuses a task call with -32601',
  fix: 'answer with the error -32601',
  needs: 'tasks',
  async probe(harness) {
    const tool = await taskTool(harness, 'forbidden');
    if (tool === undefined || !(await takesCalls(harness)))
      return notApplicable('no tool that may be called makes no tasks, where others do');
    const answer = await harness.asked((probeClient) => sendCall(probeClient, tool, { params: { task: { ttl } } }));
    return refusedWith(answer, { code: -32601 });
  },
};

/** Rules about tasks that a client asks for. */
export const coreTaskRules: readonly ProbeRule[] = [
  makesTasks,
  beginsWorking,
  hasTimes,
  saysTtl,
  yieldsResult,
  endsOnce,
  cancels,
  listsTasks,
  unknownTask,
  onlyTasks,
  noTasks,
].map((rule) => ({ ...rule, lives: inCore }));
